import type { Name } from "./types";

/** TableInfo is the answer of get_table_info. */
export interface TableInfo {
  name: Name;
  type: "table" | "view";
  columns: { name: string; type: string; nullable: boolean; description?: string }[];
  primary_key?: string[];
  foreign_keys?: Record<string, { foreign_table: Name; column_mapping: Record<string, string> }>;
  description?: string;
}

/** Suggestion is a relationship that a foreign key suggests. */
export interface Suggestion {
  type: "object" | "array";
  from: Side;
  to: Side;
}

interface Side {
  table: Name;
  columns: string[];
  constraint_name?: string;
}

export function display(n: Name): string {
  return n.schema ? `${n.schema}.${n.name}` : n.name;
}

export function keyOf(n: Name): string {
  return JSON.stringify([n.schema ?? "", n.name]);
}

/** relationshipFor is the request that adds a suggested relationship. */
export function relationshipFor(prefix: string, source: string, s: Suggestion) {
  const table = s.from.table;
  if (s.type === "object") {
    const [column] = s.from.columns;
    const name = s.from.columns.length === 1 && column!.endsWith("_id") ? column!.slice(0, -3) : s.to.table.name;
    return { type: `${prefix}_create_object_relationship`, args: { source, table, name, using: { foreign_key_constraint_on: s.from.columns } } };
  }
  const name = s.to.table.name;
  return { type: `${prefix}_create_array_relationship`, args: { source, table, name, using: { foreign_key_constraint_on: { table: s.to.table, columns: s.to.columns } } } };
}
