import type { TableInfo } from "./tables";
import type { MetadataDocument, Table } from "./types";

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
  const inherited = document.inherited_roles?.find((r) => r.role_name === role);
  const roles = [role, ...(inherited?.role_set ?? [])];
  const allowed = (names: string[], permissions: { role: string; permission: { columns?: "*" | string[]; set?: unknown } }[] | undefined) => {
    const own = (permissions ?? []).filter((p) => roles.includes(p.role)).map((p) => p.permission);
    return names.filter((n) => own.some((p) => (p.columns === "*" || (p.columns ?? []).includes(n)) && !(n in ((p.set as object | undefined) ?? {}))));
  };
  return {
    select: allowed(all.select, table.select_permissions),
    insert: allowed(all.insert, table.insert_permissions),
    update: allowed(all.update, table.update_permissions),
    remove: all.remove && (table.delete_permissions ?? []).some((p) => roles.includes(p.role)),
  };
}
