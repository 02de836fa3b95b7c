/** Explained is what a role may do with a row, and by which rules. */
export interface Explained {
  found: boolean;
  select?: OperationExplained;
  update?: OperationExplained;
  delete?: OperationExplained;
}

/** OperationExplained is one operation of a role on a row. */
export interface OperationExplained {
  allowed: boolean;
  /** Why it isn't allowed. */
  reason?: string;
  rules?: { role: string; rule: string; matches: boolean }[];
  columns?: { name: string; shows: "value" | "mask" | "null"; role?: string; rule?: string; value?: unknown }[];
}

/** matching tells whether an operation is allowed, and the names of the rules that match or why none does. */
export function matching(o: OperationExplained | undefined): [allowed: boolean, why: string] {
  if (!o?.allowed) return [false, o?.reason ?? ""];
  const names = (o.rules ?? []).filter((r) => r.matches).map((r) => (r.rule ? `${r.role}, ${r.rule}` : r.role));
  return [true, names.join(" and ")];
}
