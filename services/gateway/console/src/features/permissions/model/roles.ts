import type { MetadataDocument } from "../../../lib/http/types";

/** rolesOf lists the roles that the metadata names, in the order of the alphabet. */
export function rolesOf(document: MetadataDocument): string[] {
  const roles = new Set<string>();
  for (const source of document.sources) {
    for (const o of [
      ...(source.functions ?? []).map((f) => f.permissions),
      ...(source.logical_models ?? []).map((m) => m.select_permissions),
    ])
      for (const p of o ?? []) roles.add(p.role);
    for (const t of source.tables ?? []) {
      for (const list of [t.select_permissions, t.insert_permissions, t.update_permissions, t.delete_permissions]) {
        for (const p of list ?? []) roles.add(p.role);
      }
    }
  }
  for (const r of document.inherited_roles ?? []) roles.add(r.role_name);
  for (const schema of document.remote_schemas ?? []) for (const p of schema.permissions ?? []) roles.add(p.role);
  for (const a of (document.actions ?? []) as { permissions?: { role: string }[] }[])
    for (const p of a.permissions ?? []) roles.add(p.role);
  roles.delete("admin");
  return [...roles].sort();
}
