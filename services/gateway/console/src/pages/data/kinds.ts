/** hasFunctions reports whether the functions of a kind of sources can be listed and tracked. */
export function hasFunctions(kind: string): boolean {
  return kind === "postgres" || kind === "citus";
}

/** hasComputedFields reports whether tables of a kind of sources can have computed fields. */
export function hasComputedFields(kind: string): boolean {
  return kind === "postgres" || kind === "bigquery";
}
