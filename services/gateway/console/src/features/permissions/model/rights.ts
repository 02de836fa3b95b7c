import { grantOf, parentsOf } from "./permissions";
import { effectiveOf } from "../api/roleschema";
import type { TableInfo } from "../../data/model/tables";
import type { MetadataDocument, Table } from "../../../lib/http/types";

/** Rights are what a role may do with the rows of a table, as far as the metadata says it; the server decides. */
export interface Rights {
  select: string[];
  insert: string[];
  update: string[];
  remove: boolean;
}

/** rightsOf are the rights of a role; the empty one is admin. */
export function rightsOf(document: MetadataDocument, table: Table, info: TableInfo, role: string): Rights {
  const named = (keep: (c: TableInfo["columns"][number]) => boolean) => info.columns.filter(keep).map((c) => c.name);
  const all: Rights = {
    select: named(() => true),
    insert: named((c) => c.insertable),
    update: named((c) => c.updatable),
    remove: info.deletable,
  };
  if (role === "" || role === "admin") return all;
  const parents = parentsOf(document);
  const allowed = (names: string[], operation: "select" | "insert" | "update") => {
    if (grantOf(table, operation, role, parents) === undefined) return [];
    const found = effectiveOf(table, operation, role, parents) as { columns?: "*" | string[]; set?: object }[];
    // An insert permission that says no columns has all of them.
    return names.filter((n) =>
      found.some(
        (p) =>
          (p.columns === "*" || (p.columns ?? (operation === "insert" ? names : [])).includes(n)) &&
          !(n in (p.set ?? {})),
      ),
    );
  };
  return {
    select: allowed(all.select, "select"),
    insert: allowed(all.insert, "insert"),
    update: allowed(all.update, "update"),
    remove: all.remove && grantOf(table, "delete", role, parents) !== undefined,
  };
}
