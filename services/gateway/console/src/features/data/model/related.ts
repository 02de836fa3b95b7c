import type { Condition } from "./conditions";
import { textOf } from "../../../lib/json/exact";
import { display, keyOf, schemaOf, type TableInfo } from "./tables";
import type { Row } from "../../../lib/json/rows";
import type { Name, Relationship, Source, Table } from "../../../lib/http/types";

/** Link is a relationship from a table to a table of the same source. */
export interface Link {
  name: string;
  array: boolean;
  using: Using;
  comment?: string;
}

/** Using is how a relationship finds its rows. */
export interface Using {
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
  const links = (list: Relationship[] | undefined, array: boolean): Link[] =>
    (list ?? []).map((r) => ({ name: r.name, array, using: r.using as Using, comment: r.comment }));
  return [...links(table.object_relationships, false), ...links(table.array_relationships, true)];
}

/** usingText says how a relationship finds its rows. */
export function usingText(using: Using): string {
  const { foreign_key_constraint_on: key, manual_configuration: manual } = using;
  const text = (n: Name | string) => (typeof n === "string" ? n : display(n));
  if (manual)
    return `${text(manual.remote_table)} where ${Object.entries(manual.column_mapping)
      .map(([here, there]) => `${there} = ${here}`)
      .join(" and ")}`;
  if (typeof key === "string") return key;
  if (Array.isArray(key)) return key.join(", ");
  return key ? `${text(key.table)}.${key.column ?? key.columns?.join(", ")}` : "";
}

/** targetOf finds where a link leads to. infoOf describes another table, whose foreign key it may be. */
export async function targetOf(
  source: Source,
  info: TableInfo,
  link: Link,
  infoOf: (table: Name) => Promise<TableInfo>,
): Promise<Target> {
  const { foreign_key_constraint_on: key, manual_configuration: manual } = link.using;
  if (manual) return { table: named(source, manual.remote_table), mapping: manual.column_mapping };
  if (typeof key === "string" || Array.isArray(key)) {
    const columns = typeof key === "string" ? [key] : key;
    const found = Object.values(info.foreign_keys ?? {}).find((k) =>
      sameColumns(Object.keys(k.column_mapping), columns),
    );
    if (found) return { table: found.foreign_table, mapping: found.column_mapping };
  } else if (key) {
    const table = named(source, key.table);
    const columns = key.columns ?? (key.column ? [key.column] : []);
    const keys = Object.values((await infoOf(table)).foreign_keys ?? {});
    const found = keys.find(
      (k) => keyOf(k.foreign_table) === keyOf(info.name) && sameColumns(Object.keys(k.column_mapping), columns),
    );
    if (found)
      return {
        table,
        mapping: Object.fromEntries(Object.entries(found.column_mapping).map(([there, here]) => [here, there])),
      };
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
  const found = source.tables.find(
    (t) => t.table.name === name.name && (schemaOf(name) === undefined || schemaOf(t.table) === schemaOf(name)),
  );
  return found?.table ?? name;
}

function sameColumns(a: string[], b: string[]): boolean {
  return a.length === b.length && a.every((c) => b.includes(c));
}
