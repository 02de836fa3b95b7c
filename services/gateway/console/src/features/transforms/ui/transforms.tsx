import { useId, useMemo, useRef, useState, type ReactNode } from "react";
import type { CustomProps } from "../../../ui/forms/types";
import { at, type Value } from "../../../lib/json/path";
import { Pairs, wordsFor } from "../../../ui/forms/pairs";
import { Body } from "./body";
import { TryOut, type Typed } from "./tryout";
import { addressOf, headersOf, variablesOf, type Subject } from "../model/subject";
import { faultsOf, placeOf, useTried, type Fault } from "../model/tried";

/** Transforms edits how the request of a webhook and its answer are changed, next to what becomes of a sample. */
export default function Transforms(props: CustomProps & { subject: Subject }) {
  const { subject, value, put, faultAt } = props;
  const request = `${subject.base}request_transform`;
  const response = `${subject.base}response_transform`;
  const [typed, setTyped] = useState<Typed>();
  const address = addressOf(subject, value);
  const headers = headersOf(subject, value);
  const env = useMemo(() => ({ ...variablesOf(address, headers), ...typed?.env }), [address, headers, typed?.env]);
  const requestTransform = at(value, request) as Value | undefined;
  const responseTransform = at(value, response) as Value | undefined;
  const changes = requestTransform !== undefined || responseTransform !== undefined;
  const result = useTried(
    typed && changes
      ? {
          webhook_url: address,
          env,
          method: "POST",
          body: typed.body,
          request_headers: headers,
          show_paths: true,
          request_transform: requestTransform ?? null,
          response_transform: responseTransform ?? null,
          ...(typed.session && { session_variables: typed.session }),
          ...(responseTransform && { response: typed.answer }),
        }
      : undefined,
  );
  const faults = changes ? (result.data?.faults ?? []) : [];
  const part = (path: string, key: "request_transform" | "response_transform") => ({
    transform: at(value, path) as Value | undefined,
    change: (t: Value | undefined) => put(path, t),
    faults: faultsOf(faults, key),
    faultAt: (place: string) => faultAt(place ? `${path}.${place}` : path),
  });
  return (
    <div className="transforms">
      <div className="form">
        <Part title="Change the request" {...part(request, "request_transform")}>
          {(p) => <Request {...p} />}
        </Part>
        <Part title="Change the answer" {...part(response, "response_transform")}>
          {(p) => <Body of="answer" {...p} />}
        </Part>
      </div>
      {changes && (
        <TryOut
          subject={subject}
          value={value}
          env={env}
          typed={typed}
          setTyped={setTyped}
          answers={responseTransform !== undefined}
          result={result}
        />
      )}
    </div>
  );
}

interface PartProps {
  transform: Value | undefined;
  change: (transform: Value | undefined) => void;
  faults: Fault[];
  faultAt: (place: string) => string | undefined;
}

interface Edited extends PartProps {
  transform: Value;
}

/** Part is a transform, if there is one. One that is taken off comes back as it was. */
function Part(props: PartProps & { title: string; children: (p: Edited) => ReactNode }) {
  const { title, transform, change, faults, faultAt, children } = props;
  const last = useRef<Value>({ version: 2, template_engine: "Kriti" });
  const set = (t: Value | undefined) => {
    if (t === undefined && transform) last.current = transform;
    change(t);
  };
  // What is typed is tried at once; what the server has refused stays until then.
  const at = (place: string) => textOf(faults.filter((f) => f.path === place)) ?? (place ? faultAt(place) : undefined);
  const whole =
    transform &&
    (textOf(faults.filter((f) => f.path === "" || /^(version|template_engine)$/.test(f.path))) ?? faultAt(""));
  return (
    <fieldset className="rule">
      <label className="inline">
        <input
          type="checkbox"
          checked={transform !== undefined}
          onChange={(e) => set(e.target.checked ? last.current : undefined)}
        />{" "}
        {title}
      </label>
      {transform && children({ transform, change: set, faults, faultAt: at })}
      {transform && (
        <label className="inline">
          Template language
          <select
            value={typeof transform.template_engine === "string" ? transform.template_engine : ""}
            onChange={(e) => set({ ...transform, template_engine: e.target.value || undefined })}
          >
            <option value="">the default, Kriti</option>
            <option value="Kriti">Kriti</option>
            {typeof transform.template_engine === "string" && !["Kriti", ""].includes(transform.template_engine) && (
              <option>{transform.template_engine}</option>
            )}
          </select>
        </label>
      )}
      {whole && <span className="removed">{whole}</span>}
    </fieldset>
  );
}

/**
 * textOf is what faults say; in texts that only interpolate, the first column is that of the quote that they are read
 * in.
 */
function textOf(faults: Fault[]): string | undefined {
  if (faults.length === 0) return undefined;
  return faults
    .map(
      (f) =>
        `${f.error_code}: ${f.message}${f.source_position ? ` (column ${Math.max(1, f.source_position.start_column - 1)})` : ""}`,
    )
    .join(" ");
}

const methods = ["GET", "POST", "PUT", "PATCH", "DELETE"];

/** Request edits what becomes of a request. */
function Request(props: Edited) {
  const { transform, change, faultAt } = props;
  const id = useId();
  const set = (key: string, part: unknown) => {
    const { [key]: _, ...rest } = transform;
    change(part === undefined ? rest : { ...rest, [key]: part });
  };
  const headers = (transform.request_headers ?? {}) as Value;
  const setHeaders = (key: string, part: unknown) => {
    const { [key]: _, ...rest } = headers;
    const next = part === undefined ? rest : { ...rest, [key]: part };
    set("request_headers", Object.keys(next).length > 0 ? next : undefined);
  };
  const query = transform.query_params;
  const way = query === undefined || query === null ? "same" : typeof query === "string" ? "text" : "pairs";
  return (
    <>
      <Text
        label="Method"
        value={transform.method}
        change={(t) => set("method", t)}
        options={methods}
        placeholder="POST"
        fault={faultAt("method")}
      />
      <Text
        label="URL"
        value={transform.url}
        change={(t) => set("url", t)}
        placeholder="{{$base_url}}"
        fault={faultAt("url")}
        hint="What is between {{ and }} is computed: $base_url is the address of the webhook, $body the request's body."
      />
      <div className="field">
        <label htmlFor={id}>Query parameters</label>
        <select
          id={id}
          value={way}
          onChange={(e) =>
            set("query_params", e.target.value === "same" ? undefined : e.target.value === "text" ? "" : {})
          }
        >
          <option value="same">as they are</option>
          <option value="pairs">these</option>
          <option value="text">one text</option>
        </select>
        {way === "text" && (
          <Text
            label="Query"
            value={query}
            change={(t) => set("query_params", t ?? "")}
            fault={faultAt("query_params")}
          />
        )}
      </div>
      {way === "pairs" && (
        <Pairs
          legend="These parameters take the place of all others"
          words={wordsFor("Parameter")}
          nullable
          value={query as Record<string, string | null>}
          change={(pairs) => set("query_params", pairs)}
          faultOf={(name) => faultAt(`query_params${placeOf(name)}`)}
        />
      )}
      <Pairs
        legend="Headers that are added"
        words={{ ...wordsFor("Added header"), add: "Add a header to the request" }}
        value={headers.add_headers as Record<string, string> | undefined}
        change={(pairs) => setHeaders("add_headers", Object.keys(pairs).length > 0 ? pairs : undefined)}
        faultOf={(name) => faultAt(`request_headers.add_headers${placeOf(name)}`)}
      />
      <Names
        label="Headers that are removed"
        value={headers.remove_headers}
        change={(names) => setHeaders("remove_headers", names)}
        fault={faultAt("request_headers.remove_headers")}
      />
      <Body of="request" {...props} />
    </>
  );
}

function Text(props: {
  label: string;
  value: unknown;
  change: (text: string | undefined) => void;
  options?: string[];
  placeholder?: string;
  hint?: string;
  fault: string | undefined;
}) {
  const { label, value, change, options, placeholder, hint, fault } = props;
  const id = useId();
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      <input
        id={id}
        type="text"
        autoComplete="off"
        spellCheck={false}
        placeholder={placeholder}
        list={options && `${id}-options`}
        aria-invalid={fault !== undefined || undefined}
        aria-describedby={(fault ?? hint) && `${id}-about`}
        value={typeof value === "string" ? value : ""}
        onChange={(e) => change(e.target.value || undefined)}
      />
      {options && (
        <datalist id={`${id}-options`}>
          {options.map((o) => (
            <option key={o} value={o} />
          ))}
        </datalist>
      )}
      {(hint ?? fault) && (
        <span className="hint" id={`${id}-about`}>
          {fault && <span className="removed">{fault}</span>} {hint}
        </span>
      )}
    </div>
  );
}

/** Names is a list with commas between the names. */
function Names(props: {
  label: string;
  value: unknown;
  change: (names: string[] | undefined) => void;
  fault: string | undefined;
}) {
  const [text, setText] = useState(Array.isArray(props.value) ? props.value.join(", ") : "");
  const edit = (typed: string | undefined) => {
    setText(typed ?? "");
    const names = (typed ?? "")
      .split(",")
      .map((n) => n.trim())
      .filter(Boolean);
    props.change(names.length > 0 ? names : undefined);
  };
  return (
    <Text label={props.label} value={text} change={edit} hint="Names with commas between them." fault={props.fault} />
  );
}
