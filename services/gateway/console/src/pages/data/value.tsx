import { useId } from "react";
import { number } from "../../api/exact";
import type { ColumnInfo } from "../../api/tables";

/** Draft is what a column is to get. */
export interface Draft {
  how: "value" | "null" | "default";
  text: string;
}

const isTruth = (type: string) => /^bool(ean)?$/i.test(type);
const isJSON = (type: string) => /^jsonb?$/i.test(type);
const isNumber = (type: string) => /^(big|small|tiny)?int(eger)?$|^(numeric|decimal|real|float|double)/i.test(type) && !type.endsWith("[]");

/** comparable reports whether values of a type have an equality, so that a change can ask for the old one. */
export function comparable(kind: string, type: string): boolean {
  const without = kind === "mssql" ? /^(n?text|image|xml|geometry|geography)$/i : /^(json|xml|point|path|polygon|line|lseg|box|circle)$/i;
  return !without.test(type);
}

/** typed is the value that a text stands for. It throws what is wrong with it. What the database has to read is left to it. */
export function typed(type: string, text: string): unknown {
  if (isTruth(type)) {
    if (text !== "true" && text !== "false") throw new Error("Choose true or false.");
    return text === "true";
  }
  if (isJSON(type) || (type.endsWith("[]") && text.trimStart().startsWith("["))) {
    try {
      return JSON.parse(text);
    } catch {
      throw new Error("This isn't JSON.");
    }
  }
  if (isNumber(type) && /^-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?$/.test(text.trim())) return number(text.trim());
  return text;
}

/** ValueInput is the control of a column: its value, NULL, or what the database puts there. */
export function ValueInput(props: { column: ColumnInfo; draft: Draft; fault: string | undefined; insert: boolean; edit: (draft: Draft) => void }) {
  const { column, draft, fault, insert, edit } = props;
  const id = useId();
  const control = { id, "aria-invalid": fault !== undefined || undefined, "aria-describedby": `${id}-about` };
  const text = draft.how === "value" ? draft.text : "";
  return (
    <div className="field">
      <label htmlFor={id}>{column.name}</label>
      <div className="row value">
        {isTruth(column.type) ? (
          <select {...control} value={text} onChange={(e) => edit({ how: "value", text: e.target.value })}>
            <option value="" />
            <option>true</option>
            <option>false</option>
          </select>
        ) : (
          <textarea {...control} rows={Math.min(8, text.split("\n").length)} spellCheck="false" value={text} onChange={(e) => edit({ how: "value", text: e.target.value })} />
        )}
        <select aria-label={`What ${column.name} gets`} value={draft.how} onChange={(e) => edit({ ...draft, how: e.target.value as Draft["how"] })}>
          <option value="value">value</option>
          {column.nullable && <option value="null">NULL</option>}
          {insert && <option value="default">default</option>}
        </select>
      </div>
      <span className="hint" id={`${id}-about`}>{column.type}{column.description && `: ${column.description}`} {fault && <span className="removed">{fault}</span>}</span>
    </div>
  );
}
