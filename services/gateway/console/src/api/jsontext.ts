import { Raw } from "./exact";
import type { ColumnInfo, Row } from "./tables";
import { isJSON, typed } from "./values";

/** hasJSONText reports whether data operations of a kind of sources have JSON as the text that holds it: as it is in the database, with a null that isn't NULL. */
export const hasJSONText = (kind: string) => ["postgres", "citus", "cockroach"].includes(kind);

/** asText are the arguments that ask for it. */
export const asText = (kind: string) => (hasJSONText(kind) ? { json_as_text: true } : {});

/** withJSON makes JSON of the texts of it in rows that were asked for with asText. */
export function withJSON(kind: string, columns: ColumnInfo[], rows: Row[]): Row[] {
  const names = hasJSONText(kind) ? columns.filter((c) => isJSON(c.type)).map((c) => c.name) : [];
  for (const row of rows) {
    for (const name of names) {
      const text = row[name];
      if (typeof text === "string") row[name] = new Raw(text);
    }
  }
  return rows;
}

/** sent is the value that a text stands for, as it is sent with asText. It throws what is wrong with it. */
export function sent(kind: string, type: string, text: string): unknown {
  const value = typed(type, text);
  if (!isJSON(type)) return value;
  if (hasJSONText(kind)) return text;
  if (text.trim() === "null") throw new Error("The null of JSON can't be written here: choose NULL, or write it by SQL.");
  return value;
}
