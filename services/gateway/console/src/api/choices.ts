import { keyOf, type ColumnInfo, type TableInfo } from "./tables";
import type { Source, Table, TableDescription } from "./types";

/** Choices are what a column can be: the values of an enum, or the keys of another table. */
export type Choices = { values: string[] } | { table: Table; column: string };

/** choicesOf are the choices of a column. Foreign keys of several columns have none: their columns can't be chosen one by one. */
export function choicesOf(source: Source, info: TableInfo, described: TableDescription | undefined, column: string): Choices | undefined {
  const values = described?.columns.find((c) => c.name === column)?.values;
  if (values) return { values };
  for (const key of Object.values(info.foreign_keys ?? {})) {
    const target = key.column_mapping[column];
    const table = source.tables.find((t) => keyOf(t.table) === keyOf(key.foreign_table));
    if (table && target !== undefined && Object.keys(key.column_mapping).length === 1) return { table, column: target };
  }
  return undefined;
}

/** telling are names of columns that say what a row is, the best first. */
const telling = [/^(name|title|label)$/i, /(name|title|label)$/i, /^(comment|description|email|login|code|slug)$/i, /./];

/** displayOf is the column that tells people which row a key is of; undefined when there is none. */
export function displayOf(info: TableInfo, key: string, readable: string[]): ColumnInfo | undefined {
  const texts = info.columns.filter((c) => c.name !== key && readable.includes(c.name) && isText(c.type));
  return telling.map((t) => texts.find((c) => t.test(c.name))).find((c) => c !== undefined);
}

/** isText reports whether values of a type can be searched by a part of them. */
export function isText(type: string): boolean {
  return /^((n|bp)?(var)?char|n?text|citext|name|string)/i.test(type) && !type.endsWith("[]");
}
