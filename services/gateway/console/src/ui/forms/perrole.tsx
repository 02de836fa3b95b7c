import { useState } from "react";
import type { ControlProps } from "./types";
import { at } from "../../lib/json/path";
import { Button } from "../button";

/** PerRole is a number for each of some roles. */
export function PerRole(props: ControlProps) {
  const { field, value, fault, change } = props;
  // One that is being typed may have no role yet, or no number.
  const [lines, setLines] = useState<[string, string][]>(() =>
    Object.entries((at(value, field.path) as Record<string, number> | undefined) ?? {}).map(([role, n]) => [
      role,
      String(n),
    ]),
  );
  const set = (list: [string, string][]) => {
    setLines(list);
    const whole = list.filter(([role, n]) => role && n !== "").map(([role, n]) => [role, Number(n)] as const);
    change(whole.length > 0 ? Object.fromEntries(whole) : undefined);
  };
  const replace = (i: number, line: [string, string]) => set(lines.map((old, j) => (i === j ? line : old)));
  return (
    <fieldset className="field">
      <legend>{field.label}</legend>
      {lines.map(([role, n], i) => (
        <div className="row" key={i}>
          <input
            type="text"
            autoComplete="off"
            aria-label={`Role ${i + 1}: ${field.label}`}
            value={role}
            onChange={(e) => replace(i, [e.target.value, n])}
          />
          <input
            type="number"
            min={0}
            step="any"
            aria-label={`Number ${i + 1}: ${field.label}`}
            value={n}
            onChange={(e) => replace(i, [role, e.target.value])}
          />
          <Button
            aria-label={`Remove role ${i + 1}: ${field.label}`}
            onPress={() => set(lines.filter((_, j) => i !== j))}
          >
            Remove
          </Button>
        </div>
      ))}
      <Button aria-label={`Add a role: ${field.label}`} onPress={() => set([...lines, ["", ""]])}>
        Add a role
      </Button>
      {fault && <span className="removed">{fault}</span>}
    </fieldset>
  );
}
