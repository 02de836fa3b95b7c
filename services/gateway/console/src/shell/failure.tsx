import { Button } from "react-aria-components";
import { ApiError } from "../api/client";

/** Failure shows an error with its code and path. */
export function Failure(props: { error: unknown; retry?: () => void }) {
  const { error, retry } = props;
  const api = error instanceof ApiError ? error : undefined;
  return (
    <div className="failure" role="alert">
      <p className="failure-message">{error instanceof Error ? error.message : String(error)}</p>
      {api && (
        <dl>
          <dt>Code</dt>
          <dd><code>{api.code}</code></dd>
          {api.path && <dt>Path</dt>}
          {api.path && <dd><code>{api.path}</code></dd>}
        </dl>
      )}
      {api?.internal !== undefined && (
        <details>
          <summary>Internal</summary>
          <pre tabIndex={0}>{typeof api.internal === "string" ? api.internal : JSON.stringify(api.internal, null, 2)}</pre>
        </details>
      )}
      {retry && <Button className="button" onPress={retry}>Try again</Button>}
    </div>
  );
}
