import { time } from "../model/time";
import { Pre } from "../../../ui/pre";

/** Call is a call of a webhook, with what was sent and what came back. */
export interface Call {
  id: string;
  event_id: string;
  /** Of HTTP; null when there was no answer. */
  status: number | null;
  request: unknown;
  response: unknown;
  created_at: string;
}

export function succeeded(c: Call): boolean {
  return c.status !== null && c.status >= 200 && c.status < 300;
}

/** Calls lists calls of webhooks. */
export function Calls(props: { calls: Call[] }) {
  if (props.calls.length === 0) return <p className="hint">No calls</p>;
  return (
    <ul className="changes" aria-label="Calls">
      {props.calls.map((c) => (
        <li key={c.id}>
          <details>
            <summary>
              <span className={succeeded(c) ? "good" : "removed"}>{succeeded(c) ? "succeeded" : "failed"}</span> with{" "}
              {c.status ?? "no answer"}, {time(c.created_at).toLocaleString()}
            </summary>
            <h3>Request</h3>
            <Pre label="Request">{pretty(c.request)}</Pre>
            <h3>Response</h3>
            <Pre label="Response">{pretty(c.response)}</Pre>
          </details>
        </li>
      ))}
    </ul>
  );
}

function pretty(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value, null, 2);
}
