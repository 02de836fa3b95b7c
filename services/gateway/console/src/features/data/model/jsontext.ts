import { isExact, Raw, Written } from "../../../lib/json/exact";
import type { ColumnInfo } from "./tables";
import type { Row } from "../../../lib/json/rows";
import { elementOf, hasBounds, isJSON, isKnown, isSpatial, isUnequal, typed } from "./values";

/**
 * hasJSONText reports whether data operations of a kind of sources have JSON as the text that holds it: as it is in the
 * database, with a null that isn't NULL.
 */
const hasJSONText = (kind: string) => hasTexts(kind) || kind === "sqlite";

/** hasTexts reports whether they have the texts of all values. */
export const hasTexts = (kind: string) => ["postgres", "citus", "cockroach"].includes(kind);

/** asText are the arguments that ask for it. */
export const asText = (kind: string) => (hasJSONText(kind) ? { json_as_text: true } : {});

/**
 * asked are columns as a select takes them, with the texts of those whose JSON may not tell all: composite values and
 * lists.
 */
export function asked(kind: string, columns: ColumnInfo[], names: string[]): unknown[] {
  if (!hasTexts(kind)) return names;
  const also = columns.filter((c) => names.includes(c.name) && (c.type.endsWith("[]") || !isKnown(c.type)));
  return [...names, ...also.map((c) => ({ name: c.name, alias: aliasOf(columns, c.name), as_text: true }))];
}

/** aliasOf is what the text of a column is called, which no other column is. */
function aliasOf(columns: ColumnInfo[], name: string): string {
  let alias = `${name} as text`;
  while (columns.some((c) => c.name === alias)) alias += "'";
  return alias;
}

/**
 * withTexts makes of rows that were asked for with asText and asked what is shown: JSON of the texts of it, and values
 * with their texts.
 */
export function withTexts(kind: string, columns: ColumnInfo[], rows: Row[]): Row[] {
  for (const { name, type } of hasTexts(kind) ? columns : []) {
    const alias = aliasOf(columns, name);
    for (const row of rows) {
      const text = row[alias];
      delete row[alias];
      const value = row[name];
      if (value instanceof Raw && typeof text === "string")
        row[name] = new Written(text, value, isPlain(type, value, text) ? value.text : text);
    }
  }
  return withJSON(kind, columns, rows);
}

/** isPlain reports whether a list is found, and written again, by its JSON. */
function isPlain(type: string, value: Raw, text: string): boolean {
  const element = elementOf(type);
  if (!type.endsWith("[]") || hasBounds(text) || isUnequal(type)) return false;
  const parts = value.toJSON() as unknown[];
  // A null, and a list, may be one of JSON.
  return isJSON(element) ? !parts.some((p) => p === null || Array.isArray(p)) : isSpatial(element) || !hasObject(parts);
}

const hasObject = (parts: unknown[]): boolean =>
  parts.some((p) => (Array.isArray(p) ? hasObject(p) : p !== null && typeof p === "object" && !isExact(p)));

function withJSON(kind: string, columns: ColumnInfo[], rows: Row[]): Row[] {
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
  return isJSON(type) && hasJSONText(kind) ? text : value;
}
