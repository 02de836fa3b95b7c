import { type ColumnInfo, keyOf, type TableInfo } from "./tables";
import type { Source, Table, TableDescription } from "../../../lib/http/types";

/** Choices are what a column can be: the values of an enum, or the keys of another table. */
export type Choices = { values: string[] } | KeyChoices;

/**
 * KeyChoices are the keys of another table; mapping has its column for each one here, column that of the one that is
 * chosen for.
 */
export interface KeyChoices {
  table: Table;
  column: string;
  mapping: Record<string, string>;
  /** The columns here that other foreign keys have, too. */
  shared: string[];
}

/**
 * choicesOf are the choices of a column. Foreign keys of several columns have some where all of them can be written
 * together.
 */
export function choicesOf(
  source: Source,
  info: TableInfo,
  described: TableDescription | undefined,
  column: string,
  together: boolean,
): Choices | undefined {
  const values = described?.columns.find((c) => c.name === column)?.values;
  if (values) return { values };
  const keys = Object.values(info.foreign_keys ?? {});
  const width = (mapping: object) => Object.keys(mapping).length;
  for (const key of keys.toSorted((a, b) => width(a.column_mapping) - width(b.column_mapping))) {
    const { column_mapping: mapping } = key;
    const target = mapping[column];
    const table = source.tables.find((t) => keyOf(t.table) === keyOf(key.foreign_table));
    if (!table || target === undefined || (width(mapping) > 1 && !together)) continue;
    return {
      table,
      column: target,
      mapping,
      shared: Object.keys(mapping).filter((c) => keys.some((k) => k !== key && c in k.column_mapping)),
    };
  }
  return undefined;
}

/** telling are names of columns that say what a row is, the best first. */
const telling = [
  /^(name|title|label)$/i,
  /(name|title|label)$/i,
  /^(comment|description|email|login|code|slug)$/i,
  /./,
];

/** displayOf is the column that tells people which row a key is of; undefined when there is none. */
export function displayOf(info: TableInfo, key: string[], readable: string[]): ColumnInfo | undefined {
  const texts = info.columns.filter((c) => !key.includes(c.name) && readable.includes(c.name) && isText(c.type));
  return telling.map((t) => texts.find((c) => t.test(c.name))).find((c) => c !== undefined);
}

/** isText reports whether values of a type can be searched by a part of them. */
export function isText(type: string): boolean {
  return /^((n|bp)?(var)?char|n?text|citext|name|string)/i.test(type) && !type.endsWith("[]");
}
