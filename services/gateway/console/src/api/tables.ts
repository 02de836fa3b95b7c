import { queryOptions } from "@tanstack/react-query";
import type { Server } from "./client";
import type { Name, Source } from "./types";

/** TableInfo is the answer of get_table_info. */
export interface TableInfo {
  name: Name;
  type: "table" | "view";
  columns: ColumnInfo[];
  primary_key?: string[];
  foreign_keys?: Record<string, { foreign_table: Name; column_mapping: Record<string, string> }>;
  description?: string;
  insertable: boolean;
  updatable: boolean;
  deletable: boolean;
}

export interface ColumnInfo {
  name: string;
  type: string;
  nullable: boolean;
  description?: string;
  insertable: boolean;
  updatable: boolean;
  /** Where a value comes from when none is given. */
  value_generated?: { type: string };
}

/** Row is a row by the names of its columns. */
export type Row = Record<string, unknown>;

/** infoQuery describes a table as the database has it now. */
export function infoQuery(server: Server, source: Source, table: Name) {
  return queryOptions({
    queryKey: ["metadata", "table", source.name, table],
    queryFn: ({ signal }) => server.ofSource<TableInfo, "get_table_info">(source.kind, "get_table_info", { source: source.name, table }, signal),
  });
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
