import { queryOptions, replaceEqualDeep } from "@tanstack/react-query";
import type { Exported, Server } from "../../../lib/http/client";
import { kindOf } from "../../../lib/http/prefix";

export const exportKey = ["metadata", "export"] as const;

/** exportQuery is the metadata document. Whatever changes it invalidates the key "metadata". */
export function exportQuery(server: Server) {
  return queryOptions({
    queryKey: exportKey,
    queryFn: ({ signal }) => server.export(signal),
    // What is shared with the document before is copied, which numbers that are kept as they are written don't survive.
    structuralSharing: (before, now) => ((now as Exported).exact ? now : replaceEqualDeep(before, now)),
  });
}

/** configQuery is how the server was started, undefined where it doesn't say. */
export function configQuery(server: Server) {
  return queryOptions({
    queryKey: ["config"],
    staleTime: Infinity,
    queryFn: async () => (await server.config()) ?? null,
  });
}

/** inconsistencyQuery is what of the metadata can't be used. */
export function inconsistencyQuery(server: Server) {
  return queryOptions({
    queryKey: ["metadata", "inconsistencies"],
    queryFn: ({ signal }) => server.inconsistencies(signal),
  });
}

/** kindsQuery lists the kinds of sources that the server has. */
export function kindsQuery(server: Server) {
  return queryOptions({
    queryKey: ["kinds"],
    staleTime: Infinity,
    queryFn: async ({ signal }) => {
      const found = await server.metadata<{ sources: { kind: string; available: boolean }[] }, "list_source_kinds">(
        "list_source_kinds",
        {},
        signal,
      );
      return found.sources.filter((k) => k.available).map((k) => kindOf(k.kind));
    },
  });
}
