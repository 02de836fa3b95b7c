import { useId } from "react";
import type { Draft } from "../api/edits";
import type { ColumnInfo } from "../model/tables";
import type { ControlContext, Together } from "./controlprops";
import { ValueControl } from "./control";

/** ValueInput is a column of a form: its value, NULL, or what the database puts there. */
export function ValueInput(props: {
  context: ControlContext;
  column: ColumnInfo;
  draft: Draft;
  fault: string | undefined;
  insert: boolean;
  edit: (draft: Draft) => void;
  together?: Together;
}) {
  const { context, column, draft, fault, insert, edit, together } = props;
  const id = useId();
  return (
    <div className="field">
      <label htmlFor={id}>{column.name}</label>
      <div className="row value">
        <ValueControl
          context={context}
          column={column}
          draft={draft}
          edit={edit}
          together={together}
          id={id}
          about={`${id}-about`}
          invalid={fault !== undefined}
        />
        <select
          aria-label={`What ${column.name} gets`}
          value={draft.how}
          onChange={(e) => edit({ ...draft, how: e.target.value as Draft["how"] })}
        >
          <option value="value">value</option>
          {column.nullable && <option value="null">NULL</option>}
          {insert && <option value="default">default</option>}
        </select>
      </div>
      <span className="hint" id={`${id}-about`}>
        {column.type}
        {column.description && `: ${column.description}`} {fault && <span className="removed">{fault}</span>}
      </span>
    </div>
  );
}
