import { useCallback, useSyncExternalStore } from "react";
import { notifyManager, useQueryClient, type Query } from "@tanstack/react-query";
import { ApiError } from "../lib/http/client";
import { Button } from "../ui/button";

/** isStale reports whether a query is shown that was read once, but couldn't be read again. */
function isStale(q: Query): boolean {
  return q.isActive() && q.state.data !== undefined && q.state.status === "error";
}

/**
 * StaleNotice tells that something that is shown couldn't be read again, since when, and why. Pages go on to show what
 * they have, so that nobody loses what they look at or type.
 */
export function StaleNotice() {
  const client = useQueryClient();
  const cache = client.getQueryCache();
  const said = useSyncExternalStore(
    useCallback((tell) => cache.subscribe(notifyManager.batchCalls(tell)), [cache]),
    () => {
      const stale = cache.getAll().filter(isStale);
      const oldest = stale.toSorted((a, b) => a.state.dataUpdatedAt - b.state.dataUpdatedAt)[0];
      return (
        oldest &&
        `What is shown may be old: some of it was read at ${new Date(oldest.state.dataUpdatedAt).toLocaleTimeString()} and can't be read again. ${wordsOf(oldest.state.error)}`
      );
    },
  );
  return (
    <div className="stale" role="status" aria-label="Old data">
      {said && <p>{said}</p>}
      {said && <Button onPress={() => void client.refetchQueries({ predicate: isStale })}>Read again</Button>}
    </div>
  );
}

function wordsOf(error: unknown): string {
  if (error instanceof ApiError) return `${error.message} (${[error.code, error.path].filter(Boolean).join(", ")})`;
  return error instanceof Error ? error.message : String(error);
}
