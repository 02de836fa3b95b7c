import type { SQLNamespace } from "@codemirror/lang-sql";
import { queryOptions } from "@tanstack/react-query";
import { type Server } from "../../../lib/http/client";
import type { Source } from "../../../lib/http/types";
import { prefixOf } from "../../../lib/http/prefix";
import type { StatementResult } from "./run";

/**
 * Names are the columns of the tables of a source, by their schemas and names. Where a kind has no schemas, that is "".
 */
export type Names = Record<string, Record<string, string[]>>;

/** mostTables bounds how many tables are completed. */
const mostTables = 5000;

const postgres = `SELECT n.nspname, c.relname, (SELECT to_json(array_agg(a.attname ORDER BY a.attnum))::text FROM pg_catalog.pg_attribute a WHERE a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped)
FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
WHERE c.relkind IN ('r', 'v', 'm', 'p', 'f') AND n.nspname NOT LIKE 'pg\\_%' AND n.nspname NOT IN ('information_schema', 'crdb_internal') ORDER BY 1, 2`;

const sqlite = `SELECT '', m.name, json_group_array(p.name) FROM sqlite_schema m JOIN pragma_table_info(m.name) p WHERE m.type IN ('table', 'view') GROUP BY m.name ORDER BY m.name`;

const mssql = `SELECT TABLE_SCHEMA, TABLE_NAME, COLUMN_NAME FROM INFORMATION_SCHEMA.COLUMNS ORDER BY TABLE_SCHEMA, TABLE_NAME, ORDINAL_POSITION`;

/** namesQuery reads what the editor completes. */
export function namesQuery(server: Server, source: Source | undefined) {
  return queryOptions({
    queryKey: ["metadata", "names", source?.name, source?.kind],
    enabled: source !== undefined,
    staleTime: 60_000,
    meta: { quiet: true },
    queryFn: ({ signal }) => namesIn(server, source!, signal),
  });
}

async function namesIn(server: Server, source: Source, signal: AbortSignal): Promise<Names> {
  const names: Names = {};
  const add = (schema: unknown, table: unknown, columns: string[]) =>
    ((names[String(schema)] ??= {})[String(table)] ??= []).push(...columns);
  if (source.kind === "bigquery") {
    const found = await server.query<{ result: string[][] }>(
      "bigquery_database_inspection",
      { source: source.name },
      signal,
    );
    for (const [schema, table, , columns] of found.result.slice(1))
      add(
        schema,
        table,
        (JSON.parse(columns!) as { column_name: string }[]).map((c) => c.column_name),
      );
    return names;
  }
  const sql = source.kind === "sqlite" ? sqlite : source.kind === "mssql" ? mssql : postgres;
  const limit = source.kind === "mssql" ? mostTables * 20 : mostTables;
  const args = { source: source.name, sql, read_only: true, all_results: true, max_rows: limit };
  const found = await server.query<{ results: StatementResult[] }>(`${prefixOf(source.kind)}_run_sql`, args, signal);
  for (const [schema, table, columns] of found.results[0]?.rows ?? [])
    add(
      schema,
      table,
      source.kind === "mssql" ? [String(columns)] : ((JSON.parse(String(columns)) as string[] | null) ?? []),
    );
  return names;
}

/** usualSchema is the schema that names without one are of. */
export const usualSchema = (kind: string) => ({ sqlite: "", mssql: "dbo", bigquery: undefined })[kind] ?? "public";

/** completed is what the editor completes names from. */
export function completed(names: Names | undefined, kind: string): { schema: SQLNamespace; defaultSchema?: string } {
  if (!names) return { schema: {} };
  return "" in names ? { schema: names[""]! } : { schema: names, defaultSchema: usualSchema(kind) };
}
