import { ApiError } from "../lib/http/client";
import { Pre } from "./pre";
import { Button } from "./button";

/** Failure shows an error with its code and path. */
export function Failure(props: { error: unknown; retry?: () => void }) {
  const { error, retry } = props;
  const api = error instanceof ApiError ? error : undefined;
  const reason = reasonOf(api?.internal);
  return (
    <div className="failure" role="alert">
      <p className="failure-message">{error instanceof Error ? error.message : String(error)}</p>
      {reason && <p className="failure-message">{reason}</p>}
      {api && (
        <dl>
          <dt>Code</dt>
          <dd>
            <code>{api.code}</code>
          </dd>
          {api.path && <dt>Path</dt>}
          {api.path && (
            <dd>
              <code>{api.path}</code>
            </dd>
          )}
        </dl>
      )}
      {api?.internal !== undefined && (
        <details>
          <summary>Internal</summary>
          <Pre>{typeof api.internal === "string" ? api.internal : JSON.stringify(api.internal, null, 2)}</Pre>
        </details>
      )}
      {/* The button goes with the error. A dialog without the focus wouldn't be closed by Escape. */}
      {retry && (
        <Button
          onPress={(e) => {
            e.target.closest<HTMLElement>("[role=dialog]")?.focus();
            retry();
          }}
        >
          Try again
        </Button>
      )}
    </div>
  );
}

/** reasonOf is what a database has said, with what it adds to it. */
function reasonOf(internal: unknown): string | undefined {
  const { message, description, hint } = (internal as { error?: Record<string, unknown> } | undefined)?.error ?? {};
  if (typeof message !== "string") return undefined;
  return [message, description, hint].filter((t) => typeof t === "string" && t !== "").join("\n");
}
