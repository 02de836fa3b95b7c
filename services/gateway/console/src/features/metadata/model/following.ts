import { useEffect } from "react";
import { useQueryClient, type QueryClient } from "@tanstack/react-query";
import type { Exported } from "../../../lib/http/client";
import { follow } from "../../../lib/http/follow";
import { exportKey } from "../api/queries";
import type { Credentials } from "../../../lib/http/credentials";
import { createStore } from "../../../lib/store";
import { useSession } from "../../../lib/session";

/** kept are the keys of what doesn't come from the metadata. */
const kept = new Set<unknown>(["config", "events", "history", "kinds", "rows", "status", "version"]);

/**
 * between is the least time between two times that everything is read again, and again the time until a server is
 * followed again that can't be; in ms.
 */
const between = 1_000;
const again = 5_000;

/** live is whether the server reports changes of the metadata; where it can't, pages ask for them. */
export const live = createStore(false);

/**
 * useFollowing reads what was read of the metadata again as soon as somebody has changed it. A tab that can't be seen
 * doesn't follow: browsers have few connections to a server, for all tabs together.
 */
export function useFollowing() {
  const { session } = useSession();
  const client = useQueryClient();
  const credentials = session?.admin ? session.credentials : undefined;
  useEffect(() => {
    if (!credentials) return undefined;
    const ended = new AbortController();
    void keepFollowing(credentials, client, ended.signal);
    return () => ended.abort();
  }, [credentials, client]);
}

async function keepFollowing(credentials: Credentials, client: QueryClient, signal: AbortSignal) {
  let known = 0;
  const refresh = throttled(() => void client.invalidateQueries({ predicate: (q) => !kept.has(q.queryKey[0]) }));
  // What was requested before a change may arrive after the change was reported.
  const old = () => {
    const read = client.getQueryData<Exported>(exportKey)?.resource_version;
    if (read !== undefined && read < known) refresh();
  };
  const unsubscribe = client
    .getQueryCache()
    .subscribe(
      (e) => e.type === "updated" && e.action.type === "success" && e.query.queryKey[1] === exportKey[1] && old(),
    );
  signal.addEventListener("abort", unsubscribe);
  while (!signal.aborted) {
    await visible(signal);
    const hidden = new AbortController();
    const hide = () => document.hidden && hidden.abort();
    document.addEventListener("visibilitychange", hide);
    const seen = (version: number) => {
      if (known > 0) refresh(); // else the page reads what there is just now
      known = version;
      old();
    };
    const outcome = await follow(
      credentials,
      known,
      () => live.set(true),
      (t) => seen(t.resource_version),
      AbortSignal.any([signal, hidden.signal]),
    ).catch(() => "ended" as const);
    document.removeEventListener("visibilitychange", hide);
    live.set(false);
    if (outcome === undefined) return;
    if (!hidden.signal.aborted) await pause(again, signal);
  }
}

/** throttled calls at once, or as soon as enough time has passed since the last call. */
function throttled(call: () => void): () => void {
  let last = 0;
  let timer: ReturnType<typeof setTimeout> | undefined;
  return () => {
    timer ??= setTimeout(
      () => {
        timer = undefined;
        last = Date.now();
        call();
      },
      Math.max(0, last + between - Date.now()),
    );
  };
}

function visible(signal: AbortSignal): Promise<void> {
  return new Promise((done) => {
    if (!document.hidden || signal.aborted) return done();
    const shown = () => {
      if (document.hidden && !signal.aborted) return;
      document.removeEventListener("visibilitychange", shown);
      signal.removeEventListener("abort", shown);
      done();
    };
    document.addEventListener("visibilitychange", shown);
    signal.addEventListener("abort", shown);
  });
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((done) => {
    const timer = setTimeout(done, ms);
    signal.addEventListener("abort", () => {
      clearTimeout(timer);
      done();
    });
  });
}
