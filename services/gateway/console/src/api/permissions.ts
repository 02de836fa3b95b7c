import { prefixOf, type MetadataRequest } from "./client";
import type { MetadataDocument, Name, Source, Table } from "./types";

export const operations = ["select", "insert", "update", "delete"] as const;

/** Operation is what a permission allows. */
export type Operation = (typeof operations)[number];

/** Permission is one of a role to do one thing with a table; fields that the console doesn't know are kept. */
export interface Permission {
  role: string;
  permission: Record<string, unknown>;
  comment?: string;
}

/** permissionsOf are those of all roles for an operation on a table. */
export function permissionsOf(table: Table, operation: Operation): Permission[] {
  return (table[`${operation}_permissions`] ?? []) as unknown as Permission[];
}

/** Parents are the roles that an inherited role is made of. */
export type Parents = ReadonlyMap<string, string[]>;

export function parentsOf(document: MetadataDocument): Parents {
  return new Map((document.inherited_roles ?? []).map((r) => [r.role_name, r.role_set]));
}

/** Grant says whether a role has a permission of its own, or by its parents. */
export type Grant = "own" | "inherited" | undefined;

/** grantOf finds how a role comes by an operation on a table, as far as the metadata says it; the server decides. */
export function grantOf(table: Table, operation: Operation, role: string, parents: Parents): Grant {
  const permissions = permissionsOf(table, operation);
  if (permissions.some((p) => p.role === role)) return "own";
  const found = inheritedOf(permissions, role, parents, new Set());
  // Rows are seen when one parent sees them; what is written has to be allowed by all parents in the same way.
  const granted = operation === "select" ? found.length > 0 : new Set(found.map((p) => JSON.stringify(p.permission))).size === 1;
  return granted ? "inherited" : undefined;
}

/** inheritedOf are the permissions of the parents of a role, and of theirs. A circle, which the server refuses, ends. */
export function inheritedOf(permissions: Permission[], role: string, parents: Parents, seen: Set<string>): Permission[] {
  if (seen.has(role)) return [];
  seen.add(role);
  return (parents.get(role) ?? []).flatMap((parent) => {
    const own = permissions.find((p) => p.role === parent);
    return own ? [own] : inheritedOf(permissions, parent, parents, seen);
  });
}

/** Place is where a permission belongs. */
export interface Place {
  source: Source;
  table: Name;
  role: string;
  operation: Operation;
}

/** dropOf is the request that takes a permission away. */
export function dropOf(place: Place): MetadataRequest {
  const { source, table, role, operation } = place;
  return { type: `${prefixOf(source.kind)}_drop_${operation}_permission`, args: { source: source.name, table, role } };
}

/** saveOf is the request that gives a permission, in the place of one that is there. */
export function saveOf(place: Place, args: Record<string, unknown>): MetadataRequest {
  const { source, table, role, operation } = place;
  const there = source.tables.find((t) => t.table === table);
  const create: MetadataRequest = { type: `${prefixOf(source.kind)}_create_${operation}_permission`, args: { source: source.name, table, role, ...args } };
  const exists = there !== undefined && permissionsOf(there, operation).some((p) => p.role === role);
  return { type: "bulk", args: exists ? [dropOf(place), create] : [create] };
}
