import type { Change } from "../../../lib/http/client";
import { isWhole, operations, type Operation, type Permission } from "./permissions";

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
      const rule = permission.filter ?? permission.check;
      const allRows = typeof rule === "object" && rule !== null && Object.keys(rule).length === 0;
      const noColumns =
        Array.isArray(permission.columns) && permission.columns.length === 0 && permission.set === undefined;
      const emptyText = /"_(eq|neq|like|ilike|in)":("")|"_in":\[\]/.test(JSON.stringify(rule ?? {}));
      return [{ role, operation, table, whole: isWhole(operation, permission), allRows, noColumns, emptyText }];
    }),
  );
}

/** isWider reports whether a permission allows what another one doesn't, or could: rules that differ aren't compared. */
function isWider(before: Permission["permission"], now: Permission["permission"]): boolean {
  const columns = (p: Permission["permission"]) => p.columns as string[] | "*" | undefined;
  const [had, has] = [columns(before), columns(now)];
  const more = had !== "*" && (has === "*" || (has ?? []).some((c) => !(had ?? []).includes(c)));
  const { columns: _, ...rest } = before;
  const { columns: __, ...others } = now;
  return more || JSON.stringify(rest) !== JSON.stringify(others);
}
