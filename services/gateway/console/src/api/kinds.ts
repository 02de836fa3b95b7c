/** hasFunctions reports whether the functions of a kind of sources can be listed and tracked. */
export function hasFunctions(kind: string): boolean {
  return kind === "postgres" || kind === "citus";
}

/** hasComputedFields reports whether tables of a kind of sources can have computed fields. */
export function hasComputedFields(kind: string): boolean {
  return kind === "postgres" || kind === "bigquery";
}

/** hasEnums reports whether tables of a kind of sources can be enums. */
export function hasEnums(kind: string): boolean {
  return ["postgres", "cockroach", "sqlite"].includes(kind);
}

const names: Record<string, string> = { postgres: "PostgreSQL", citus: "Citus", cockroach: "CockroachDB", mssql: "SQL Server", bigquery: "BigQuery", sqlite: "SQLite" };

/** kindName is a kind of sources in words. */
export function kindName(kind: string): string {
  return names[kind] ?? kind;
}
