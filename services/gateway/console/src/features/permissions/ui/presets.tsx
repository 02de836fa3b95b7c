import { useId, useState } from "react";
import type { ColumnInfo } from "../../data/model/tables";
import type { ControlProps } from "../../../ui/forms/types";
import { at } from "../../../lib/json/path";
import { Operand } from "./rule/operand";
import { Button } from "../../../ui/button";

type Set = Record<string, unknown>;

const kinds = ["session variable", "value", "NULL"] as const;

/** Presets edits the values that a permission writes itself: one for each column, and as JSON next to them. */
export function Presets(props: ControlProps & { columns: ColumnInfo[] }) {
  const { field, value, fault, change, report, columns } = props;
  const id = useId();
  const part = at(value, field.path);
  const set = isSet(part) ? part : {};
  const [text, setText] = useState<string>();
  const [column, setColumn] = useState("");
  const put = (to: Set) => {
    setText(undefined);
    report(undefined);
    change(Object.keys(to).length > 0 ? to : undefined);
  };
  const edit = (typed: string) => {
    setText(typed);
    try {
      const read: unknown = typed.trim() ? JSON.parse(typed) : {};
      if (!isSet(read)) throw new Error();
      change(Object.keys(read).length > 0 ? read : undefined);
      report(undefined);
    } catch {
      report("This isn't an object of JSON.");
    }
  };
  const free = columns.filter((c) => !(c.name in set));
  const add = (name: string) => {
    put({ ...set, [name]: "x-engine-user-id" });
    setColumn("");
  };
  return (
    <fieldset className="rule" aria-describedby={fault ? `${id}-fault` : `${id}-hint`}>
      <legend>{field.label}</legend>
      <div className="rule-both">
        <div className="conditions" role="group" aria-label={field.label}>
          {Object.keys(set).length === 0 && <span className="hint">None.</span>}
          {Object.entries(set).map(([name, v]) => {
            const type = columns.find((c) => c.name === name)?.type;
            return (
              <div key={name} className="row">
                <strong>{name}</strong> <small className="hint">{type ?? "doesn't exist"}</small>
                <select
                  aria-label={`${field.label}: what ${name} gets`}
                  value={kindOf(v)}
                  onChange={(e) => put({ ...set, [name]: startOf(e.target.value as Kind) })}
                >
                  {kinds.map((k) => (
                    <option key={k}>{k}</option>
                  ))}
                </select>
                {v !== null && (
                  <Operand
                    label={`${field.label}: value of ${name}`}
                    operator="_eq"
                    type={type}
                    operand={v}
                    change={(to) => put({ ...set, [name]: to })}
                  />
                )}
                <Button
                  aria-label={`${field.label}: remove ${name}`}
                  onPress={() => put(Object.fromEntries(Object.entries(set).filter(([n]) => n !== name)))}
                >
                  Remove
                </Button>
              </div>
            );
          })}
          <select aria-label={`${field.label}: add a column`} value={column} onChange={(e) => add(e.target.value)}>
            <option value="">add a column…</option>
            {free.map((c) => (
              <option key={c.name}>{c.name}</option>
            ))}
          </select>
        </div>
        <label className="field">
          As JSON
          <textarea
            aria-label={`${field.label} as JSON`}
            aria-invalid={fault ? true : undefined}
            rows={4}
            value={text ?? (part === undefined ? "" : JSON.stringify(part, null, 2))}
            onChange={(e) => edit(e.target.value)}
          />
        </label>
      </div>
      <span className="hint" id={`${id}-hint`}>
        {field.hint}
      </span>
      {fault && (
        <span className="removed" id={`${id}-fault`}>
          {fault}
        </span>
      )}
    </fieldset>
  );
}

type Kind = (typeof kinds)[number];

function kindOf(value: unknown): Kind {
  if (value === null) return "NULL";
  return typeof value === "string" && /^x-engine-/i.test(value) ? "session variable" : "value";
}

function startOf(kind: Kind): unknown {
  return kind === "NULL" ? null : kind === "value" ? "" : "x-engine-user-id";
}

function isSet(value: unknown): value is Set {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
