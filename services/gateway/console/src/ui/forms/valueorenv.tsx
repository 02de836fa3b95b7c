import { useId, useState } from "react";
import { hideSecrets, shownText } from "../../lib/json/secrets";
import type { ControlProps } from "./types";
import { at, put, type Value } from "../../lib/json/path";
import { Button } from "../button";

/** Way is a way to give a value: as itself, or by where it is found. */
export type Way = "text" | "list" | "json" | "from_env" | "connection_parameters" | "dynamic_from_file";

const names: Record<Way, string> = {
  text: "as a text",
  list: "as a list",
  json: "as JSON",
  from_env: "environment variable",
  connection_parameters: "in its parts",
  dynamic_from_file: "file, read for each connection",
};

interface ValueOrEnvProps {
  label: string;
  part: unknown;
  change: (part: unknown) => void;
  ways: Way[];
  hint?: string;
  fault?: string;
  required?: boolean;
  /** What can be secret isn't shown until that is asked for. */
  secret?: boolean;
}

/**
 * ValueOrEnv is the control of a value that is given as itself or by reference. What was typed for another way comes back
 * with it.
 */
export function ValueOrEnv(props: ValueOrEnvProps) {
  const { label, part, change, ways, hint, fault, required, secret } = props;
  const id = useId();
  const [way, setWay] = useState<Way>(() => wayOf(part, ways));
  const [drafts, setDrafts] = useState<Partial<Record<Way, unknown>>>({});
  const [shown, setShown] = useState(false);
  const choose = (next: Way) => {
    setDrafts({ ...drafts, [way]: part });
    setWay(next);
    change(drafts[next]);
  };
  const below = (at({ part }, `part.${way}`) ?? undefined) as string | undefined;
  const text = way === "text" && (typeof part === "string" || typeof part === "number") ? String(part) : "";
  const hides = secret && way === "text" && hideSecrets(text).secrets.length > 0;
  const control = {
    id,
    required,
    "aria-invalid": fault !== undefined || undefined,
    "aria-describedby": `${id}-about`,
    autoComplete: "off",
  } as const;
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      <div className="row value">
        {ways.length > 1 && (
          <select aria-label={`How ${label} is given`} value={way} onChange={(e) => choose(e.target.value as Way)}>
            {ways.map((w) => (
              <option key={w} value={w}>
                {names[w]}
              </option>
            ))}
          </select>
        )}
        {way === "text" && (
          <input
            {...control}
            type={secret && !shown ? "password" : "text"}
            {...(secret && { autoComplete: "new-password", spellCheck: false })}
            value={text}
            onChange={(e) => change(e.target.value || undefined)}
          />
        )}
        {way === "from_env" && (
          <input
            {...control}
            type="text"
            placeholder="NAME"
            value={below ?? ""}
            onChange={(e) => change(e.target.value ? { from_env: e.target.value } : undefined)}
          />
        )}
        {way === "dynamic_from_file" && (
          <input
            {...control}
            type="text"
            placeholder="/path"
            value={below ?? ""}
            onChange={(e) => change(e.target.value ? { dynamic_from_file: e.target.value } : undefined)}
          />
        )}
        {way === "list" && <NamesInput control={control} part={part} change={change} />}
        {way === "json" && <KeyInput control={control} part={part} change={change} shown={shown} />}
        {secret && (way === "text" || way === "json") && (
          <Button aria-label={`${shown ? "Hide" : "Show"} ${label}`} onPress={() => setShown(!shown)}>
            {shown ? "Hide" : "Show"}
          </Button>
        )}
      </div>
      {way === "connection_parameters" && <Parts id={id} label={label} part={part} change={change} />}
      {hides && <code className="hint">{shownText(text)}</code>}
      <span className="hint" id={`${id}-about`}>
        {fault && <span className="removed">{fault}</span>} {hint}
      </span>
    </div>
  );
}

/** given is the control of a field whose value is given in one of these ways. */
export function valueOrEnv(ways: Way[], secret = false) {
  return (props: ControlProps) => (
    <ValueOrEnv
      key={props.field.path}
      label={props.field.label}
      hint={props.field.hint}
      required={props.field.required}
      part={at(props.value, props.field.path)}
      change={props.change}
      fault={props.fault}
      ways={ways}
      secret={secret}
    />
  );
}

function wayOf(part: unknown, ways: Way[]): Way {
  const found = ways.find((w) => {
    if (w === "text") return typeof part === "string" || typeof part === "number";
    if (w === "list") return Array.isArray(part);
    return at({ part }, `part.${w}`) !== undefined;
  });
  return found ?? (part !== undefined && ways.includes("json") ? "json" : ways[0]!);
}

type Attributes = { id: string };

/** NamesInput is names with commas between them. */
function NamesInput(props: { control: Attributes; part: unknown; change: (part: unknown) => void }) {
  const [text, setText] = useState(Array.isArray(props.part) ? props.part.join(", ") : "");
  const edit = (typed: string) => {
    setText(typed);
    const list = typed
      .split(",")
      .map((n) => n.trim())
      .filter(Boolean);
    props.change(list.length > 0 ? list : undefined);
  };
  return <input {...props.control} type="text" value={text} onChange={(e) => edit(e.target.value)} />;
}

/** KeyInput is JSON that is a secret: an object, or a text as long as it isn't one. */
function KeyInput(props: { control: Attributes; part: unknown; change: (part: unknown) => void; shown: boolean }) {
  const { control, part, change, shown } = props;
  const [text, setText] = useState(
    typeof part === "string" ? part : part === undefined ? "" : JSON.stringify(part, null, 2),
  );
  const edit = (typed: string) => {
    setText(typed);
    try {
      change(typed.trim() ? JSON.parse(typed) : undefined);
    } catch {
      change(typed);
    }
  };
  if (!shown && text) return <input {...control} type="password" autoComplete="new-password" readOnly value={text} />;
  return <textarea {...control} rows={6} spellCheck="false" value={text} onChange={(e) => edit(e.target.value)} />;
}

const parts = [
  { key: "host", label: "Host" },
  { key: "port", label: "Port", number: true },
  { key: "username", label: "User" },
  { key: "password", label: "Password", secret: true },
  { key: "database", label: "Database" },
];

/** Parts are those of an address. */
function Parts(props: { id: string; label: string; part: unknown; change: (part: unknown) => void }) {
  const { id, label, part, change } = props;
  const value = (typeof part === "object" && part !== null ? part : {}) as Value;
  return (
    <div className="fields" role="group" aria-label={label} id={id}>
      {parts.map((p) => (
        <label key={p.key}>
          {p.label}
          <input
            type={p.secret ? "password" : p.number ? "number" : "text"}
            autoComplete={p.secret ? "new-password" : "off"}
            value={String(at(value, `connection_parameters.${p.key}`) ?? "")}
            onChange={(e) => {
              const changed = put(
                value,
                `connection_parameters.${p.key}`,
                e.target.value === "" ? undefined : p.number ? Number(e.target.value) : e.target.value,
              );
              change(Object.keys(changed).length > 0 ? changed : undefined);
            }}
          />
        </label>
      ))}
    </div>
  );
}
