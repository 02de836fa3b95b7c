import { type MetadataRequest } from "../../../lib/http/client";
import { prefixOf } from "../../../lib/http/prefix";
import type { MetadataDocument, Name, Source, Table } from "../../../lib/http/types";

export const operations = ["select", "insert", "update", "delete"] as const;

/** Operation is what a permission allows. */
export type Operation = (typeof operations)[number];

/** Rule is a permission, or one of several that a permission is made of; fields that the console doesn't know are kept. */
export type Rule = Record<string, unknown>;

/** Permission is one of a role to do one thing with a table. */
export interface Permission {
  role: string;
  permission: Rule | Rule[];
  comment?: string;
}

/** permissionsOf are those of all roles for an operation on a table. */
export function permissionsOf(table: Table, operation: Operation): Permission[] {
  return (table[`${operation}_permissions`] ?? []) as unknown as Permission[];
}

/** rulesOf are the rules of a permission, each of which allows something. */
export function rulesOf(permission: Rule | Rule[]): Rule[] {
  return Array.isArray(permission) ? permission : [permission];
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
  const granted =
    operation === "select" ? found.length > 0 : new Set(found.map((p) => JSON.stringify(p.permission))).size === 1;
  return granted ? "inherited" : undefined;
}

/**
 * inheritedOf are the permissions of the parents of a role, and of theirs. A circle, which the server refuses, ends.
 */
export function inheritedOf(
  permissions: Permission[],
  role: string,
  parents: Parents,
  seen: Set<string>,
): Permission[] {
  if (seen.has(role)) return [];
  seen.add(role);
  return (parents.get(role) ?? []).flatMap((parent) => {
    const own = permissions.find((p) => p.role === parent);
    return own ? [own] : inheritedOf(permissions, parent, parents, seen);
  });
}

/** conflictOf are the permissions to write that a role would inherit if they didn't differ; the role has none then. */
export function conflictOf(table: Table, operation: Operation, role: string, parents: Parents): Permission[] {
  if (operation === "select" || grantOf(table, operation, role, parents) !== undefined) return [];
  return inheritedOf(permissionsOf(table, operation), role, parents, new Set());
}

/**
 * isWhole reports whether a permission allows an operation on all rows and columns, without anything that narrows or
 * changes it.
 */
export function isWhole(operation: Operation, permission: Rule): boolean {
  const {
    columns,
    filter,
    check,
    set,
    mask,
    limit,
    backend_only,
    validate_input,
    query_root_fields,
    subscription_root_fields,
  } = permission;
  const empty = (part: unknown) =>
    part === undefined || part === null || (typeof part === "object" && Object.keys(part).length === 0);
  const all = columns === "*" || operation === "delete" || (operation === "insert" && columns === undefined);
  const narrowed = limit ?? validate_input ?? query_root_fields ?? subscription_root_fields;
  return all && empty(filter) && empty(check) && empty(set) && empty(mask) && narrowed == null && backend_only !== true;
}

/**
 * startFrom is a permission for an operation with what another one, of any operation, says: its rule, and its columns
 * where both have some.
 */
export function startFrom(operation: Operation, from: Operation, permission: Rule | Rule[]): Rule | Rule[] {
  if (from === operation) return permission;
  return Array.isArray(permission) ? permission.map((r) => ruleFrom(operation, r)) : ruleFrom(operation, permission);
}

function ruleFrom(operation: Operation, { columns = [], filter, check, set }: Rule): Rule {
  const rule = filter ?? check ?? {};
  const presets = set === undefined ? {} : { set };
  switch (operation) {
    case "select":
      return { columns, filter: rule };
    case "insert":
      return { columns, check: rule, ...presets };
    case "update":
      return { columns, filter: rule, check: check ?? {}, ...presets };
    case "delete":
      return { filter: rule };
  }
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

/** allOf are requests that are made together, or not at all. */
export function allOf(requests: MetadataRequest[]): MetadataRequest {
  return { type: "bulk", args: requests.flatMap((r) => (r.type === "bulk" ? (r.args as MetadataRequest[]) : [r])) };
}

/** saveOf is the request that gives a permission, in the place of one that is there. */
export function saveOf(place: Place, args: Record<string, unknown>): MetadataRequest {
  const { source, table, role, operation } = place;
  const there = source.tables.find((t) => t.table === table);
  const create: MetadataRequest = {
    type: `${prefixOf(source.kind)}_create_${operation}_permission`,
    args: { source: source.name, table, role, ...args },
  };
  const exists = there !== undefined && permissionsOf(there, operation).some((p) => p.role === role);
  return { type: "bulk", args: exists ? [dropOf(place), create] : [create] };
}
