import { lazy, Suspense, useState } from "react";
import { json } from "@codemirror/lang-json";
import type { GraphQLErrorItem, Heard } from "../../../lib/http/client";
import { chunk } from "../../../lib/chunk";
import { Editor } from "../../../ui/editor";
import { Copy } from "../../../ui/copy";
import { Failure } from "../../../ui/failure";
import { Loading } from "../../../ui/progress";
import { Pre } from "../../../ui/pre";
import type { Result, Runner } from "../api/run";
import { Button } from "../../../ui/button";

const Plans = lazy(chunk(() => import("./plans")));
const language = json();

/** shownErrors bounds the errors that are listed; the text has all of them. */
const shownErrors = 20;

/**
 * Answer is what came of an operation. placeOf finds the part of the operation that an error is about, and go leads
 * there.
 */
export function Answer<P>(props: {
  runner: Runner;
  placeOf: (e: GraphQLErrorItem) => P | undefined;
  go: (place: P) => void;
}) {
  const { runner, placeOf, go } = props;
  const [latest, ...earlier] = runner.results;
  return (
    <section className="column" aria-label="Result">
      {runner.error !== undefined && <Failure error={runner.error} />}
      {latest && (
        <>
          {latest.errors.length > 0 && <Errors errors={latest.errors} placeOf={placeOf} go={go} />}
          {latest.plans ? (
            <Suspense fallback={<Loading what="the plans" />}>
              <Plans plans={latest.plans} />
            </Suspense>
          ) : (
            <div className="grow">
              <Editor label="Result of the operation" value={latest.text} extensions={language} readOnly />
            </div>
          )}
          <div className="row">
            <Copy texts={{ Copy: () => latest.text }} />
            {latest.heard && <Headers heard={latest.heard} />}
          </div>
        </>
      )}
      {!latest && runner.error === undefined && <p className="hint">Run a query to see its result.</p>}
      {earlier.length > 0 && <Earlier results={earlier} />}
    </section>
  );
}

/** Errors lists what is wrong, with a way to each place of the operation. */
function Errors<P>(props: {
  errors: GraphQLErrorItem[];
  placeOf: (e: GraphQLErrorItem) => P | undefined;
  go: (place: P) => void;
}) {
  const { errors, placeOf, go } = props;
  return (
    <ul className="errors" aria-label="Errors">
      {errors.slice(0, shownErrors).map((e, i) => {
        const path = e.extensions?.path ?? e.path?.join(".");
        const place = placeOf(e);
        return (
          <li key={i}>
            <span className="failure-message">{e.message}</span>
            <div className="row">
              {e.extensions?.code && <code>{e.extensions.code}</code>}
              {path && <code>{path}</code>}
              {place !== undefined && (
                <Button look="link" onPress={() => go(place)}>
                  Show in the operation
                </Button>
              )}
            </div>
          </li>
        );
      })}
      {errors.length > shownErrors && <li className="hint">{errors.length - shownErrors} more are in the result.</li>}
    </ul>
  );
}

/** Headers are those of the answer. */
function Headers(props: { heard: Heard }) {
  return (
    <details>
      <summary>Response headers</summary>
      <dl className="pairs">
        {props.heard.headers.map(([name, value]) => (
          <div key={name}>
            <dt>
              <code>{name}</code>
            </dt>
            <dd>
              <code>{value}</code>
            </dd>
          </div>
        ))}
      </dl>
    </details>
  );
}

/** Earlier lists the results of a subscription before the latest. One that is opened stays, however many follow. */
function Earlier(props: { results: Result[] }) {
  const [listed, setListed] = useState(false);
  const [open, setOpen] = useState<Result>();
  return (
    <div className="earlier">
      <div className="row">
        <Button aria-expanded={listed} onPress={() => setListed(!listed)}>
          Earlier results
        </Button>
        {listed && (
          <ul className="row" aria-label="Earlier results">
            {props.results.map((r) => (
              <li key={r.number}>
                <Button look="link" aria-pressed={r === open} onPress={() => setOpen(r)}>
                  {r.number}
                </Button>
              </li>
            ))}
          </ul>
        )}
      </div>
      {listed && open && (
        <Pre className={open.errors.length > 0 ? "failed" : undefined} label={`Result ${open.number}`}>
          {open.text}
        </Pre>
      )}
    </div>
  );
}

/** heardText says how an operation went: status, time, and size of the answer. */
export function heardText(result: Result | undefined): string {
  if (!result) return "";
  const { took, heard, number } = result;
  const size =
    heard &&
    (heard.bytes < 1000
      ? `${heard.bytes} B`
      : heard.bytes < 1e6
        ? `${(heard.bytes / 1000).toFixed(1)} kB`
        : `${(heard.bytes / 1e6).toFixed(1)} MB`);
  return [
    heard && `HTTP ${heard.status}`,
    took !== undefined && `${Math.round(took)} ms`,
    size,
    number > 1 && `${number} results`,
  ]
    .filter(Boolean)
    .join(", ");
}
