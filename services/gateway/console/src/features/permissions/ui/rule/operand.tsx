import { memo, use, useId, useState } from "react";
import { Known } from "./known";
import { operandOf, problemOf, textOfOperand, typingOf } from "../../model/operands";

interface OperandProps {
  label: string;
  operator: string;
  type: string | undefined;
  list?: boolean;
  values?: string[];
  operand: unknown;
  change: (operand: unknown) => void;
}

/** Operand edits what is compared with: a value, a session variable, or a list. */
export function Operand(props: OperandProps) {
  const { label, operator, type, list = false, values, operand, change } = props;
  const id = useId();
  const { variables } = use(Known);
  const typing = typingOf(operator, type, list);
  const [text, setText] = useState(() => textOfOperand(operand, typing));
  // What was typed is kept as long as it means what is there.
  const shown =
    operand !== null && JSON.stringify(operandOf(text, typing)) === JSON.stringify(operand)
      ? text
      : textOfOperand(operand, typing);
  const problem = problemOf(operand, typing);
  return (
    <>
      <input
        list={id}
        aria-label={label}
        aria-describedby={problem ? `${id}-problem` : undefined}
        autoComplete="off"
        spellCheck={false}
        placeholder={
          operand === null ? "NULL" : typing.list ? "values with commas, or X-Engine-…" : "value or X-Engine-…"
        }
        value={shown}
        onChange={(e) => {
          setText(e.target.value);
          change(operandOf(e.target.value, typing));
        }}
      />
      <Suggestions
        id={id}
        values={values ?? (type && /^bool|^bit$/i.test(type) ? truths : none)}
        variables={variables}
      />
      {problem && (
        <span className="hint problem" id={`${id}-problem`}>
          {problem}
        </span>
      )}
    </>
  );
}

const truths = ["true", "false"];
const none: string[] = [];

/**
 * Suggestions are what an operand may be, among other things. There may be many, which don't change while one types.
 */
const Suggestions = memo(function Suggestions(props: { id: string; values: string[]; variables: string[] }) {
  const { id, values, variables } = props;
  return (
    <datalist id={id}>
      {[...values, ...variables].map((v) => (
        <option key={v} value={v} />
      ))}
    </datalist>
  );
});
