import { ProgressBar } from "react-aria-components";
import { useIsFetching, useIsMutating } from "@tanstack/react-query";

/**
 * Progress is shown at the top of every page as long as a request is pending, but for those that are quiet: they read
 * something again by themselves.
 */
export function Progress() {
  const pending =
    useIsFetching({ predicate: (q) => q.state.data === undefined || q.meta?.quiet !== true }) + useIsMutating() > 0;
  return (
    <div className="progress" data-pending={pending || undefined}>
      {pending && (
        <ProgressBar aria-label="Waiting for the server" isIndeterminate>
          <div className="progress-bar" />
        </ProgressBar>
      )}
    </div>
  );
}

/** Loading stands in the place of what isn't there yet. */
export function Loading(props: { what: string }) {
  return (
    <p className="loading" role="status">
      Loading {props.what}…
    </p>
  );
}
