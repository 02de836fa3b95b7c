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

/** hasDatasets reports whether names have a dataset in a kind of sources, where others have a schema. */
export function hasDatasets(kind: string): boolean {
  return kind === "bigquery";
}

/** hasProcedures reports whether stored procedures can be root fields. */
export function hasProcedures(kind: string): boolean {
  return kind === "mssql";
}

/** hasConventions reports whether generated names can follow another convention than that of the database. */
export function hasConventions(kind: string): boolean {
  return kind !== "mssql" && kind !== "bigquery";
}

/** hasTags reports whether statements can have comments that say what they are for. */
export function hasTags(kind: string): boolean {
  return kind !== "bigquery";
}

const names: Record<string, string> = {
  postgres: "PostgreSQL",
  citus: "Citus",
  cockroach: "CockroachDB",
  mssql: "SQL Server",
  bigquery: "BigQuery",
  sqlite: "SQLite",
};

const proofs: Record<string, string> = {
  citus: "Proven on Citus 13.2.",
  cockroach: "A preview: the tests haven't run on CockroachDB yet.",
  mssql: "Proven on Babelfish 4.3; a preview on SQL Server.",
  bigquery: "Proven on an emulator; a preview on BigQuery.",
};

/** proofOf says on which databases a kind was proven; nothing for those that every run of all tests uses. */
export function proofOf(kind: string): string | undefined {
  return proofs[kind];
}

/** kinds are those that the console knows. */
export const kinds = Object.keys(names);

/** kindName is a kind of sources in words. */
export function kindName(kind: string): string {
  return names[kind] ?? kind;
}
