import type { Change } from "../../../lib/http/client";
import { isWhole, operations, rulesOf, type Operation, type Permission, type Rule } from "./permissions";

/** Widened is a permission that lets a role do more than before, or as much in other rows. */
export interface Widened {
  role: string;
  operation: Operation;
  table: string;
  /** It is all rows and columns. */
  whole: boolean;
  /** No rule narrows its rows. */
  allRows: boolean;
  /** It has no column, or a rule compares with an empty text: both are slips more often than not. */
  noColumns: boolean;
  emptyText: boolean;
}

type Tracked = Record<string, unknown> | undefined;

/** widenedBy are the permissions that a change of a table makes or widens. */
export function widenedBy(change: Change): Widened[] {
  if (change.kind !== "table" || change.op === "remove") return [];
  const list = (table: Tracked, o: Operation) => (table?.[`${o}_permissions`] ?? []) as Permission[];
  const table = [change.schema, change.name].filter(Boolean).join(".");
  return operations.flatMap((operation) =>
    list(change.after as Tracked, operation).flatMap(({ role, permission }) => {
      const before = list(change.before as Tracked, operation).find((p) => p.role === role);
      if (before && !isWider(before.permission, permission)) return [];
      const rules = rulesOf(permission);
      const conditions = rules.map((r) => r.filter ?? r.check);
      const allRows = conditions.some((c) => typeof c === "object" && c !== null && Object.keys(c).length === 0);
      const noColumns = rules.every((r) => Array.isArray(r.columns) && r.columns.length === 0 && r.set === undefined);
      const emptyText = /"_(eq|neq|like|ilike|in)":("")|"_in":\[\]/.test(JSON.stringify(conditions));
      const whole = rules.some((r) => isWhole(operation, r));
      return [{ role, operation, table, whole, allRows, noColumns, emptyText }];
    }),
  );
}

/** isWider reports whether a permission allows what another one doesn't, or could: rules that differ aren't compared. */
function isWider(before: Permission["permission"], now: Permission["permission"]): boolean {
  if (Array.isArray(before) || Array.isArray(now)) return JSON.stringify(before) !== JSON.stringify(now);
  const columns = (p: Rule) => p.columns as string[] | "*" | undefined;
  const [had, has] = [columns(before), columns(now)];
  const more = had !== "*" && (has === "*" || (has ?? []).some((c) => !(had ?? []).includes(c)));
  const { columns: _, ...rest } = before;
  const { columns: __, ...others } = now;
  return more || JSON.stringify(rest) !== JSON.stringify(others);
}
