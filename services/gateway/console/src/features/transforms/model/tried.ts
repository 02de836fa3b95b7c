import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { ApiError } from "../../../lib/http/client";
import type { TestWebhookTransformArgs } from "../../../lib/http/types";
import { useServer } from "../../../lib/session";
import { useDebounced } from "../../../lib/debounced";

/** Fault is what is wrong with a part of a transform. */
export interface Fault {
  /** Of the part, below the transform. */
  path: string;
  error_code: string;
  message: string;
  source_position?: { start_line: number; start_column: number; end_line: number; end_column: number };
}

/** Tried is the request that transforms make, and the answer. */
export interface Tried {
  webhook_url: string;
  method: string;
  headers: [string, string][];
  body: unknown;
  response_body?: unknown;
}

/** placeOf spells a key as the paths of errors have it. */
export function placeOf(key: string): string {
  return /^[A-Za-z_]\w*$/.test(key) ? `.${key}` : `[${JSON.stringify(key)}]`;
}

/** useTried tries transforms out while they are typed; undefined for arguments that can't be sent. */
export function useTried(args: object | undefined) {
  const server = useServer();
  const settled = useDebounced(JSON.stringify(args) ?? "");
  return useQuery({
    queryKey: ["transform", settled],
    enabled: settled !== "",
    gcTime: 0,
    retry: false,
    placeholderData: keepPreviousData,
    meta: { quiet: true },
    queryFn: async ({ signal }) => {
      try {
        return {
          tried: await server.metadata<Tried, "test_webhook_transform">(
            "test_webhook_transform",
            JSON.parse(settled) as TestWebhookTransformArgs,
            signal,
          ),
          faults: [],
        };
      } catch (e) {
        const faults = faultsIn(e);
        if (!faults) throw e;
        return { faults };
      }
    },
  });
}

/** faultsIn are the faults of transforms that an error is about, undefined when it is about something else. */
function faultsIn(e: unknown): Fault[] | undefined {
  if (!(e instanceof ApiError)) return undefined;
  if (Array.isArray(e.internal) && e.internal.every((f: Fault) => typeof f.path === "string"))
    return e.internal as Fault[];
  const path = e.path?.replace(/^\$\.args\./, "");
  return path && /^(request|response)_transform/.test(path)
    ? [{ path, error_code: e.code, message: e.message }]
    : undefined;
}

/** faultsOf are those of a transform, with the paths in it. */
export function faultsOf(faults: Fault[], key: "request_transform" | "response_transform"): Fault[] {
  return faults
    .filter((f) => f.path.startsWith(key))
    .map((f) => ({ ...f, path: f.path.slice(key.length).replace(/^\./, "") }));
}
