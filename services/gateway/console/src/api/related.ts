import type { Condition } from "./conditions";
import { textOf } from "./conditions";
import { keyOf, type Row, type TableInfo } from "./tables";
import type { Name, Source, Table } from "./types";

/** Link is a relationship from a table to a table of the same source. */
export interface Link {
  name: string;
  array: boolean;
  using: Using;
}

/** Using is how a relationship finds its rows. */
interface Using {
  foreign_key_constraint_on?: string | string[] | { table: Name | string; column?: string; columns?: string[] };
  manual_configuration?: { remote_table: Name | string; column_mapping: Record<string, string> };
}

/** Target is the table that a link leads to, with its column for each one here. */
export interface Target {
  table: Name;
  mapping: Record<string, string>;
}

/** linksOf are the relationships of a table to tables of its source. */
export function linksOf(table: Table): Link[] {
  const links = (list: { name: string; using: unknown }[] | undefined, array: boolean) => (list ?? []).map((r) => ({ name: r.name, array, using: r.using as Using }));
  return [...links(table.object_relationships, false), ...links(table.array_relationships, true)];
}

/** targetOf finds where a link leads to. infoOf describes another table, whose foreign key it may be. */
export async function targetOf(source: Source, info: TableInfo, link: Link, infoOf: (table: Name) => Promise<TableInfo>): Promise<Target> {
  const { foreign_key_constraint_on: key, manual_configuration: manual } = link.using;
  if (manual) return { table: named(source, manual.remote_table), mapping: manual.column_mapping };
  if (typeof key === "string" || Array.isArray(key)) {
    const columns = typeof key === "string" ? [key] : key;
    const found = Object.values(info.foreign_keys ?? {}).find((k) => sameColumns(Object.keys(k.column_mapping), columns));
    if (found) return { table: found.foreign_table, mapping: found.column_mapping };
  } else if (key) {
    const table = named(source, key.table);
    const columns = key.columns ?? (key.column ? [key.column] : []);
    const keys = Object.values((await infoOf(table)).foreign_keys ?? {});
    const found = keys.find((k) => keyOf(k.foreign_table) === keyOf(info.name) && sameColumns(Object.keys(k.column_mapping), columns));
    if (found) return { table, mapping: Object.fromEntries(Object.entries(found.column_mapping).map(([there, here]) => [here, there])) };
  }
  throw new Error(`The foreign key of the relationship ${link.name} isn't there any more.`);
}

/** conditionsOf are those that the rows related to one row meet; undefined when it relates to none. */
export function conditionsOf(target: Target, row: Row): Condition[] | undefined {
  const conditions = Object.entries(target.mapping).map(([here, there]) => ({ column: there, value: row[here] }));
  if (conditions.some((c) => c.value === null || c.value === undefined)) return undefined;
  return conditions.map((c) => ({ column: c.column, value: textOf(c.value) }));
}

/** named is the name of a tracked table; metadata may leave out the schema that the kind of source does. */
function named(source: Source, table: Name | string): Name {
  const name = typeof table === "string" ? { name: table } : table;
  const found = source.tables.find((t) => t.table.name === name.name && (name.schema === undefined || t.table.schema === name.schema));
  return found?.table ?? name;
}

function sameColumns(a: string[], b: string[]): boolean {
  return a.length === b.length && a.every((c) => b.includes(c));
}
