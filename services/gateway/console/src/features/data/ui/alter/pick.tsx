import { useId } from "react";
import type { ControlProps } from "../../../../ui/forms/types";
import { at } from "../../../../lib/json/path";
import { Button } from "../../../../ui/button";

/** pick is the control of a field that is columns in an order. */
export function pick(columns: string[]) {
  return (props: ControlProps) => {
    const chosen = (at(props.value, props.field.path) as string[] | undefined) ?? [];
    return (
      <Pick
        key={props.field.path}
        label={props.field.label}
        hint={props.field.hint}
        columns={columns}
        chosen={chosen}
        change={(list) => props.change(list.length > 0 ? list : undefined)}
      />
    );
  };
}

function Pick(props: {
  label: string;
  hint?: string;
  columns: string[];
  chosen: string[];
  change: (chosen: string[]) => void;
}) {
  const { label, hint, columns, chosen, change } = props;
  const id = useId();
  const left = columns.filter((c) => !chosen.includes(c));
  return (
    <fieldset className="field" aria-describedby={hint && `${id}-hint`}>
      <legend>{label}</legend>
      <div className="row">
        {chosen.map((c) => (
          <span key={c} className="row sorted">
            {c}
            <Button look="link" aria-label={`${label}: not ${c}`} onPress={() => change(chosen.filter((o) => o !== c))}>
              ×
            </Button>
          </span>
        ))}
        {left.length > 0 && (
          <select aria-label={`${label}: one more`} value="" onChange={(e) => change([...chosen, e.target.value])}>
            <option value="">choose a column</option>
            {left.map((c) => (
              <option key={c}>{c}</option>
            ))}
          </select>
        )}
      </div>
      {hint && (
        <span className="hint" id={`${id}-hint`}>
          {hint}
        </span>
      )}
    </fieldset>
  );
}
