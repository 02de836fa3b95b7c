import { lazy, Suspense, type FocusEvent } from "react";
import { choicesOf } from "../model/choices";
import { hasDate, hasTime } from "../../../lib/moments";
import type { ControlProps } from "./controlprops";
import { isJSON, isTruth, problemOfJSON } from "../model/values";
import { withLineEnds } from "../../../lib/lineends";
import { chunk } from "../../../lib/chunk";

const ChoiceInput = lazy(chunk(() => import("./choiceinput")));
const MomentInput = lazy(chunk(() => import("./momentinput")));

/** ValueControl is the control of a value by the type of its column, the same in forms and in cells. */
export function ValueControl(props: ControlProps) {
  const { context, column, draft, edit, id, about, invalid, autoFocus } = props;
  const { source, info, described } = context;
  const text = draft.how === "value" ? draft.text : "";
  const control = {
    id,
    "aria-invalid": invalid || undefined,
    "aria-describedby": about,
    autoFocus,
    onFocus: autoFocus ? toEnd : undefined,
    spellCheck: "false" as const,
    placeholder: draft.how === "null" ? "NULL" : undefined,
  };
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
  const plain = (
    <textarea
      {...control}
      rows={Math.min(8, text.split("\n").length)}
      value={text}
      onChange={(e) => set(withLineEnds(e.target.value, draft.text))}
    />
  );
  const choices = choicesOf(source, info, described, column.name, props.together !== undefined);
  if (choices)
    return (
      <Suspense fallback={plain}>
        <ChoiceInput {...props} choices={choices} />
      </Suspense>
    );
  if (hasDate(column.type) || hasTime(column.type))
    return (
      <Suspense fallback={plain}>
        <MomentInput {...props} />
      </Suspense>
    );
  if (!isJSON(column.type)) return plain;
  const problem = text.trim() && problemOfJSON(text);
  return (
    <div className="value-json">
      <textarea
        {...control}
        aria-invalid={invalid || Boolean(problem) || undefined}
        rows={Math.max(3, Math.min(16, text.split("\n").length))}
        value={text}
        onChange={(e) => set(withLineEnds(e.target.value, draft.text))}
      />
      {problem && !invalid && (
        <span className="removed" role="status">
          {problem}
        </span>
      )}
    </div>
  );
}

/** toEnd puts the cursor behind what is there already. */
function toEnd(e: FocusEvent<HTMLElement>) {
  if (e.currentTarget instanceof HTMLTextAreaElement)
    e.currentTarget.setSelectionRange(e.currentTarget.value.length, e.currentTarget.value.length);
}
