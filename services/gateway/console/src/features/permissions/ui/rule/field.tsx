import { useId, useState } from "react";
import type { LogicalModel, Name, Source } from "../../../../lib/http/types";
import { parseExact } from "../../../../lib/json/exact";
import type { ControlProps } from "../../../../ui/forms/types";
import { at } from "../../../../lib/json/path";
import { RuleEditor } from "./editor";
import { isRule, wrongOf } from "../../model/rule";
import { RulePreview } from "../rulepreview";
import { Root } from "./scope";
import { Button } from "../../../../ui/button";

/** RuleField edits a rule by its conditions, and as JSON next to them. */
export function RuleField(props: ControlProps & { source: Source; table: Name; model?: LogicalModel }) {
  const { field, value, fault, change, report, source, table, model } = props;
  const id = useId();
  const part = at(value, field.path);
  const [text, setText] = useState<string>();
  const edit = (typed: string) => {
    setText(typed);
    try {
      const read: unknown = typed.trim() ? parseExact(typed) : undefined;
      if (read !== undefined && !isRule(read) && read !== null) throw new Error();
      change(read);
      report(undefined);
    } catch {
      report("This isn't an object of JSON.");
    }
  };
  const place = { source, table, model };
  return (
    <fieldset className="rule" aria-describedby={fault ? `${id}-fault` : `${id}-hint`}>
      <legend>{field.label}</legend>
      <div className="rule-both">
        {part === undefined || part === null ? (
          <div>
            <Button
              onPress={() => {
                setText(undefined);
                change({});
              }}
            >
              {field.label}: add a rule
            </Button>
          </div>
        ) : (
          isRule(part) && (
            <Root value={place}>
              <RuleEditor
                label={field.label}
                rule={part}
                change={(r) => {
                  setText(undefined);
                  report(undefined);
                  change(r);
                }}
                place={place}
                wrong={wrongOf(fault)}
                depth={0}
              />
            </Root>
          )
        )}
        <label className="field">
          As JSON
          <textarea
            aria-label={`${field.label} as JSON`}
            aria-invalid={fault ? true : undefined}
            rows={5}
            spellCheck="false"
            value={text ?? (part === undefined ? "" : JSON.stringify(part, null, 2))}
            onChange={(e) => edit(e.target.value)}
          />
        </label>
      </div>
      {!model && field.path === "permission.filter" && isRule(part) && (
        <RulePreview source={source} table={table} rule={part} />
      )}
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
