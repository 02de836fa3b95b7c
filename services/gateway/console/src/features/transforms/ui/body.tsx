import { useId, useMemo } from "react";
import { json } from "@codemirror/lang-json";
import { linter, type Diagnostic } from "@codemirror/lint";
import type { Text } from "@codemirror/state";
import { Editor } from "../../../ui/editor";
import type { Value } from "../../../lib/json/path";
import { Pairs, wordsFor } from "../../../ui/forms/pairs";
import { placeOf, type Fault } from "../model/tried";

/** Way is how a body comes about; other is one that only JSON can show. */
type Way = "same" | "transform" | "x_www_form_urlencoded" | "remove" | "other";

interface BodyAction {
  action?: string;
  template?: string;
  form_template?: Record<string, string>;
}

/** wayOf is that of a transform. In its first version, a body is a template alone. */
function wayOf(transform: Value): Way {
  const { body } = transform;
  if (body === undefined || body === null) return "same";
  if (typeof body === "string") return transform.version === 2 ? "other" : "transform";
  const { action, template, form_template } = body as BodyAction;
  if (transform.version !== 2) return "other";
  if (action === "remove" || (action === "transform" && typeof template === "string")) return action;
  return action === "x_www_form_urlencoded" && typeof form_template === "object" ? action : "other";
}

/** started is the body of a way that is chosen. */
const started: Partial<Record<Way, BodyAction>> = {
  transform: { action: "transform", template: "{{$body}}" },
  x_www_form_urlencoded: { action: "x_www_form_urlencoded", form_template: {} },
  remove: { action: "remove" },
};

/** Body edits the body of a transform, of a request or of an answer. */
export function Body(props: {
  of: "request" | "answer";
  transform: Value;
  change: (transform: Value) => void;
  faults: Fault[];
  faultAt: (path: string) => string | undefined;
}) {
  const { of, transform, change, faults, faultAt } = props;
  const id = useId();
  const way = wayOf(transform);
  const { body: _, ...rest } = transform;
  const choose = (next: Way) => change(next === "same" ? rest : { ...transform, version: 2, body: started[next] });
  const path = typeof transform.body === "string" ? "body" : "body.template";
  const fault = faultAt("body");
  return (
    <>
      <div className="field">
        <label htmlFor={id}>Body of the {of}</label>
        <select
          id={id}
          value={way}
          aria-invalid={(way === "other" && fault !== undefined) || undefined}
          onChange={(e) => choose(e.target.value as Way)}
        >
          <option value="same">as it is</option>
          <option value="transform">JSON, by a template</option>
          <option value="x_www_form_urlencoded">form, by templates</option>
          <option value="remove">none</option>
          {way === "other" && <option value="other">as JSON says</option>}
        </select>
        {way === "other" && <pre>{JSON.stringify(transform.body, null, 2)}</pre>}
        {fault && <span className="removed">{fault}</span>}
      </div>
      {way === "transform" && (
        <Template
          label={`Template of the body of the ${of}`}
          value={typeof transform.body === "string" ? transform.body : ((transform.body as BodyAction).template ?? "")}
          change={(text) =>
            change({
              ...transform,
              body: typeof transform.body === "string" ? text : { ...(transform.body as BodyAction), template: text },
            })
          }
          faults={faults.filter((f) => f.path === path)}
        />
      )}
      {way === "x_www_form_urlencoded" && (
        <Pairs
          legend={`Form of the ${of}`}
          words={wordsFor(`Field of the ${of}`)}
          value={(transform.body as BodyAction).form_template}
          change={(pairs) =>
            change({ ...transform, body: { ...(transform.body as BodyAction), form_template: pairs } })
          }
          faultOf={(name) => faultAt(`body.form_template${placeOf(name)}`)}
          hint={
            of === "request" ? "Name application/x-www-form-urlencoded as the Content-Type of the headers." : undefined
          }
        />
      )}
    </>
  );
}

/** Template edits a whole template, in which faults are marked. */
function Template(props: { label: string; value: string; change: (text: string) => void; faults: Fault[] }) {
  const { label, value, change, faults } = props;
  const key = JSON.stringify(faults);
  const extensions = useMemo(
    () => [
      json(),
      linter((view) => (JSON.parse(key) as Fault[]).map((f) => diagnostic(view.state.doc, f)), { delay: 0 }),
    ],
    [key],
  );
  return (
    <div className="field">
      <div className="short-editor">
        <Editor label={label} value={value} onChange={change} extensions={extensions} />
      </div>
      {faults.map((f, i) => (
        <span key={i} className="removed">
          {f.error_code}: {f.message}
          {f.source_position && (
            <>
              {" "}
              (line {f.source_position.start_line + 1}, column {f.source_position.start_column})
            </>
          )}
        </span>
      ))}
    </div>
  );
}

/** diagnostic marks a fault: lines count from 0, columns from 1. */
function diagnostic(doc: Text, { error_code, message, source_position: at }: Fault): Diagnostic {
  const offset = (line: number, column: number) => {
    const found = doc.line(Math.min(line + 1, doc.lines));
    return Math.min(found.from + [...found.text].slice(0, column - 1).join("").length, found.to);
  };
  const from = at ? offset(at.start_line, at.start_column) : 0;
  return {
    from,
    to: at ? Math.max(from, offset(at.end_line, at.end_column)) : doc.length,
    severity: "error",
    message: `${error_code}: ${message}`,
  };
}
