import { queryOptions } from "@tanstack/react-query";
import { type Server } from "../../../lib/http/client";
import type { Using } from "../model/related";
import { nameIn, type TableInfo } from "../model/tables";
import { prefixOf } from "../../../lib/http/prefix";
import type { Name, Source, TableDescription } from "../../../lib/http/types";

/** tablesQuery lists what the database has now. */
export function tablesQuery(server: Server, source: Source) {
  return queryOptions({
    queryKey: ["metadata", "tables", source.name],
    queryFn: async ({ signal }) => {
      const names = await server.ofSource<Name[], "get_source_tables">(
        source.kind,
        "get_source_tables",
        { source: source.name },
        signal,
      );
      return names.map((n) => nameIn(source, n.schema, n.name));
    },
  });
}

/**
 * suggestionsQuery lists the relationships that foreign keys between tracked tables suggest, and that aren't there yet.
 */
export function suggestionsQuery(server: Server, source: Source) {
  return queryOptions({
    queryKey: ["metadata", "suggestions", source.name],
    queryFn: ({ signal }) =>
      server.ofSource<{ relationships: Suggestion[] }, "suggest_relationships">(
        source.kind,
        "suggest_relationships",
        { source: source.name, omit_tracked: true },
        signal,
      ),
  });
}

/** infoQuery describes a table as the database has it now. */
export function infoQuery(server: Server, source: Source, table: Name) {
  return queryOptions({
    queryKey: ["metadata", "table", source.name, table],
    queryFn: ({ signal }) =>
      server.ofSource<TableInfo, "get_table_info">(
        source.kind,
        "get_table_info",
        { source: source.name, table },
        signal,
      ),
  });
}

/** describeQuery has the definition of a table in its database, tracked or not. */
export function describeQuery(server: Server, source: Source, table: Name) {
  return queryOptions({
    queryKey: ["metadata", "definition", source.name, table],
    queryFn: ({ signal }) =>
      server.ofSource<TableDescription, "describe_table">(
        source.kind,
        "describe_table",
        { source: source.name, table },
        signal,
      ),
  });
}

/** typesSQL lists the types of a database of PostgreSQL that users have made, and those of extensions. */
const typesSQL = `SELECT pg_catalog.format_type(t.oid, NULL) FROM pg_catalog.pg_type t JOIN pg_catalog.pg_namespace n ON n.oid = t.typnamespace
  LEFT JOIN pg_catalog.pg_class c ON c.oid = t.typrelid
  WHERE n.nspname NOT LIKE 'pg\\_%' AND n.nspname <> 'information_schema' AND t.typelem = 0 AND (t.typtype IN ('b', 'd', 'e', 'r') OR c.relkind = 'c') ORDER BY 1 LIMIT 500`;

/** typesQuery lists the types of a source of PostgreSQL besides those that every one has. */
export function typesQuery(server: Server, source: Source) {
  return queryOptions({
    queryKey: ["metadata", "types", source.name],
    queryFn: async ({ signal }) => {
      const { result } = await server.query<{ result: string[][] }>(
        `${prefixOf(source.kind)}_run_sql`,
        { source: source.name, sql: typesSQL, read_only: true },
        signal,
      );
      return result.slice(1).map(([name]) => name!);
    },
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

/**
 * relationshipFor is the request that adds a suggested relationship. The foreign key is on the side that names its
 * constraint.
 */
export function relationshipFor(prefix: string, source: string, s: Suggestion) {
  const { table, columns } = s.from;
  const own = s.from.constraint_name !== undefined;
  const [column] = columns;
  const name = own && columns.length === 1 && column!.endsWith("_id") ? column!.slice(0, -3) : s.to.table.name;
  const using: Using = { foreign_key_constraint_on: own ? columns : { table: s.to.table, columns: s.to.columns } };
  return { type: `${prefix}_create_${s.type}_relationship`, args: { source, table, name, using } };
}
