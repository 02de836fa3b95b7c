/** prefixOf is what the names of the operations of a kind of sources begin with. */
export function prefixOf(kind: string): string {
  return kind === "postgres" ? "pg" : kind;
}

/** kindOf is the kind that the prefix of an operation names. */
export function kindOf(prefix: string): string {
  return prefix === "pg" ? "postgres" : prefix;
}
