import { Written } from "../../../lib/json/exact";
import type { Row } from "../../../lib/json/rows";

/** Condition is a column that has to have a value, as text; null is NULL. */
export interface Condition {
  column: string;
  value: string | null;
}

/** whereOf is the rule of conditions that hold together. */
export function whereOf(conditions: Condition[]): object {
  return { $and: conditions.map((c) => equals(c.column, c.value)) };
}

/** equals is the rule that a column has a value. */
export function equals(column: string, value: unknown): object {
  return {
    [column]:
      value === null || value === undefined
        ? { _is_null: true }
        : { $eq: value instanceof Written ? value.text : value },
  };
}

/** keyRule is the rule that finds a row by its key. Without a key there is none, as it would find all rows. */
export function keyRule(key: string[] | undefined, row: Row): object {
  if (!key?.length) throw new Error("Nothing tells the row apart from others.");
  return { $and: key.map((c) => equals(c, row[c])) };
}
