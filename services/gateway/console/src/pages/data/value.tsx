import { useId } from "react";
import type { ColumnInfo } from "../../api/tables";
import { isTruth } from "../../api/values";

/** Draft is what a column is to get. */
export interface Draft {
  how: "value" | "null" | "default";
  text: string;
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
