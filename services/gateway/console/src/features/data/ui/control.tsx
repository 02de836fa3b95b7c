import { lazy, Suspense, type FocusEvent } from "react";
import { choicesOf } from "../model/choices";
import type { Draft } from "../api/edits";
import { hasDate, hasTime } from "../../../lib/moments";
import type { RunAs } from "../../../lib/http/runas";
import type { ColumnInfo, TableInfo } from "../api/tables";
import type { MetadataDocument, Source, TableDescription } from "../../../lib/http/types";
import { isJSON, isTruth, problemOfJSON } from "../model/values";
import { withLineEnds } from "../../../lib/lineends";
import { chunk } from "../../../lib/chunk";

const ChoiceInput = lazy(chunk(() => import("./choiceinput")));
const MomentInput = lazy(chunk(() => import("./momentinput")));

/** ControlContext is what controls know of the table that their columns are of, and as whom choices are read. */
export interface ControlContext {
  document: MetadataDocument;
  source: Source;
  info: TableInfo;
  /** Undefined until it is read, or where it can't be: native enums have no choices then. */
  described: TableDescription | undefined;
  as: RunAs;
}

/** Together is the row whose columns a foreign key of several of them is chosen for. */
export interface Together {
  /** What another column is to get; undefined where that isn't known. */
  draftOf: (column: string) => Draft | undefined;
  isWritable: (column: string) => boolean;
  /** Takes the drafts of all columns of the key that was chosen, of those that can't be written, too. */
  choose: (drafts: Record<string, Draft>) => void;
}

/** ControlProps are those of each control. */
export interface ControlProps {
  context: ControlContext;
  column: ColumnInfo;
  draft: Draft;
  edit: (draft: Draft) => void;
  /** Without it, foreign keys of several columns have no list. */
  together?: Together;
  id: string;
  /** The id of what is said about it. */
  about: string;
  invalid: boolean;
  autoFocus?: boolean;
}

/** ValueControl is the control of a value by the type of its column, the same in forms and in cells. */
export function ValueControl(props: ControlProps) {
  const { context, column, draft, edit, id, about, invalid, autoFocus } = props;
  const { source, info, described } = context;
  const text = draft.how === "value" ? draft.text : "";
  const control = { id, "aria-invalid": invalid || undefined, "aria-describedby": about, autoFocus, onFocus: autoFocus ? toEnd : undefined, spellCheck: "false" as const, placeholder: draft.how === "null" ? "NULL" : undefined };
  const set = (to: string) => edit({ how: "value", text: to });
  if (isTruth(column.type) || (source.kind === "mssql" && column.type === "bit")) {
    return (
      <select {...control} value={text} onChange={(e) => set(e.target.value)}>
        <option value="" />
        <option>true</option>
        <option>false</option>
      </select>
    );
  }
  const plain = <textarea {...control} rows={Math.min(8, text.split("\n").length)} value={text} onChange={(e) => set(withLineEnds(e.target.value, draft.text))} />;
  const choices = choicesOf(source, info, described, column.name, props.together !== undefined);
  if (choices) return <Suspense fallback={plain}><ChoiceInput {...props} choices={choices} /></Suspense>;
  if (hasDate(column.type) || hasTime(column.type)) return <Suspense fallback={plain}><MomentInput {...props} /></Suspense>;
  if (!isJSON(column.type)) return plain;
  const problem = text.trim() && problemOfJSON(text);
  return (
    <div className="value-json">
      <textarea {...control} aria-invalid={invalid || Boolean(problem) || undefined} rows={Math.max(3, Math.min(16, text.split("\n").length))} value={text} onChange={(e) => set(withLineEnds(e.target.value, draft.text))} />
      {problem && !invalid && <span className="removed" role="status">{problem}</span>}
    </div>
  );
}

/** toEnd puts the cursor behind what is there already. */
function toEnd(e: FocusEvent<HTMLElement>) {
  if (e.currentTarget instanceof HTMLTextAreaElement) e.currentTarget.setSelectionRange(e.currentTarget.value.length, e.currentTarget.value.length);
}

