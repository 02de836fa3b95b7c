import { useId, useState } from "react";
import type { Header } from "../../lib/http/types";
import { at } from "../../lib/json/path";
import type { ControlProps, CustomProps } from "./types";
import { Mapping } from "./mapping";
import { Button } from "../button";

/** Control is the control of a field, with its label, its hint, and what is wrong with it. */
export function Control(of: Omit<CustomProps, "change" | "fault">) {
  const { field, value } = of;
  const fault = of.faultAt(field.path);
  const props: CustomProps = { ...of, fault, change: (part) => of.put(field.path, part) };
  const id = useId();
  const hint = field.about?.(at(value, field.path), value) ?? field.hint;
  const described = fault ? `${id}-fault` : hint ? `${id}-hint` : undefined;
  const control = {
    id,
    "aria-describedby": described,
    "aria-invalid": fault !== undefined || undefined,
    required: field.required,
    disabled: field.fixed,
  };
  if (field.kind === "headers") return <Headers {...props} />;
  if (field.kind === "mapping") return <Mapping {...props} />;
  if (field.control) return field.control(props);
  return (
    <div className={field.kind === "flag" || field.kind === "operation" ? "field flag" : "field"}>
      <label htmlFor={id}>{field.label}</label>
      <Input {...props} control={control} />
      {hint && (
        <span className="hint" id={`${id}-hint`}>
          {hint}
        </span>
      )}
      {fault && (
        <span className="removed" id={`${id}-fault`}>
          {fault}
        </span>
      )}
    </div>
  );
}

interface Attributes {
  id: string;
  "aria-describedby": string | undefined;
  "aria-invalid": true | undefined;
  required: boolean | undefined;
  disabled: boolean | undefined;
}

function Input(props: ControlProps & { control: Attributes }) {
  const { field, value, change, report, control } = props;
  const part = at(value, field.path);
  const text = part === undefined || part === null ? "" : String(part);
  switch (field.kind) {
    case "flag":
      return (
        <input
          {...control}
          type="checkbox"
          checked={part === true}
          onChange={(e) => change(e.target.checked || undefined)}
        />
      );
    case "operation":
      return (
        <input
          {...control}
          type="checkbox"
          checked={part !== undefined}
          onChange={(e) => change(e.target.checked ? { columns: "*" } : undefined)}
        />
      );
    case "choice":
      return (
        <select {...control} value={text} onChange={(e) => change(e.target.value || undefined)}>
          {field.options?.map((o) => (
            <option key={o.value} value={o.value}>
              {o.label}
            </option>
          ))}
        </select>
      );
    case "object":
      return (
        <select
          {...control}
          value={part === undefined ? "" : JSON.stringify(part)}
          onChange={(e) => change(e.target.value ? JSON.parse(e.target.value) : undefined)}
        >
          {field.options?.map((o) => (
            <option key={o.value} value={o.value}>
              {o.label}
            </option>
          ))}
        </select>
      );
    case "number":
      return (
        <input
          {...control}
          type="number"
          min={0}
          value={text}
          onChange={(e) => change(e.target.value === "" ? undefined : Number(e.target.value))}
        />
      );
    case "json":
      return <JSONInput {...props} />;
    case "list":
      return <ListInput {...props} />;
    case "long":
      return <textarea {...control} rows={5} value={text} onChange={(e) => change(e.target.value || undefined)} />;
    default:
      return (
        <>
          <input
            {...control}
            type="text"
            autoComplete="off"
            list={field.suggestions && `${control.id}-list`}
            value={text}
            onChange={(e) => {
              change(e.target.value || undefined);
              if (field.check) report(e.target.value ? field.check(e.target.value) : undefined);
            }}
          />
          {field.suggestions && (
            <datalist id={`${control.id}-list`}>
              {field.suggestions.map((s) => (
                <option key={s} value={s} />
              ))}
            </datalist>
          )}
        </>
      );
  }
}

/** JSONInput keeps what is typed, also while it isn't JSON. */
function JSONInput(props: ControlProps & { control: Attributes }) {
  const { field, value, change, report, control } = props;
  const part = at(value, field.path);
  const [text, setText] = useState(part === undefined ? "" : JSON.stringify(part, null, 2));
  const edit = (typed: string) => {
    setText(typed);
    try {
      change(typed.trim() ? JSON.parse(typed) : undefined);
      report(undefined);
    } catch {
      report("This isn't JSON.");
    }
  };
  return <textarea {...control} rows={4} value={text} onChange={(e) => edit(e.target.value)} />;
}

/** ListInput is names with commas between them. */
function ListInput(props: ControlProps & { control: Attributes }) {
  const { field, value, change, control } = props;
  const part = at(value, field.path);
  const [text, setText] = useState(Array.isArray(part) ? part.join(", ") : "");
  const edit = (typed: string) => {
    setText(typed);
    const names = typed
      .split(",")
      .map((n) => n.trim())
      .filter(Boolean);
    change(names.length > 0 ? names : undefined);
  };
  return <input {...control} type="text" autoComplete="off" value={text} onChange={(e) => edit(e.target.value)} />;
}

/** Headers are names with values, or with the variables of the environment that hold them. */
function Headers(props: ControlProps) {
  const { field, value, fault, change } = props;
  const headers = (at(value, field.path) as Header[] | undefined) ?? [];
  const set = (list: Header[]) => change(list.length > 0 ? list : undefined);
  const replace = (i: number, h: Header) => set(headers.map((old, j) => (i === j ? h : old)));
  return (
    <fieldset className="field">
      <legend>{field.label}</legend>
      {headers.map((h, i) => (
        <div className="row" key={i}>
          <input
            type="text"
            aria-label={`Name of header ${i + 1}`}
            value={h.name}
            onChange={(e) => replace(i, { ...h, name: e.target.value })}
          />
          <select
            aria-label={`What header ${i + 1} has`}
            value={h.value_from_env === undefined ? "value" : "variable"}
            onChange={(e) =>
              replace(
                i,
                e.target.value === "value"
                  ? { name: h.name, value: h.value_from_env ?? "" }
                  : { name: h.name, value_from_env: h.value ?? "" },
              )
            }
          >
            <option value="value">value</option>
            <option value="variable">environment variable</option>
          </select>
          <input
            type="text"
            aria-label={`Value of header ${i + 1}`}
            value={h.value_from_env ?? h.value ?? ""}
            onChange={(e) =>
              replace(
                i,
                h.value_from_env === undefined
                  ? { name: h.name, value: e.target.value }
                  : { name: h.name, value_from_env: e.target.value },
              )
            }
          />
          <Button aria-label={`Remove header ${i + 1}`} onPress={() => set(headers.filter((_, j) => i !== j))}>
            Remove
          </Button>
        </div>
      ))}
      <Button onPress={() => set([...headers, { name: "", value: "" }])}>Add a header</Button>
      {fault && <span className="removed">{fault}</span>}
    </fieldset>
  );
}
