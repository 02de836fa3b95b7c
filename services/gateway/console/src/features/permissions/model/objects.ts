import type { MetadataRequest } from "../../../lib/http/client";
import { prefixOf } from "../../../lib/http/prefix";
import { inheritedOf, type Grant, type Parents, type Permission } from "./permissions";
import { display } from "../../data/model/tables";
import type { Function, LogicalModel, MetadataDocument, Name, RemoteSchema, Source } from "../../../lib/http/types";

/** Permitted is an object that isn't a table and that roles are allowed to use, with what is allowed. */
export type Permitted = { name: string; permissions: Permission[] } & (
  | { kind: "function"; function: Name }
  | { kind: "action" }
  | { kind: "remote schema"; remote: RemoteSchema }
  | { kind: "logical model"; model: LogicalModel }
);

/** uses are what each kind of objects is allowed for. */
export const uses = {
  function: "call",
  action: "call",
  "remote schema": "query",
  "logical model": "select",
} as const satisfies Record<Permitted["kind"], string>;

interface ActionPermissions {
  name: string;
  permissions?: { role: string; comment?: string }[];
}

/** permittedOf are the objects of a document and of one of its sources that aren't tables. */
export function permittedOf(document: MetadataDocument, source: Source | undefined): Permitted[] {
  const alike = (list: { role: string; comment?: string }[] | undefined): Permission[] =>
    (list ?? []).map(({ role, comment }) => ({ role, permission: {}, comment }));
  return [
    ...(source?.functions ?? []).map((f: Function): Permitted => ({
      kind: "function",
      name: display(f.function),
      function: f.function,
      permissions: alike(f.permissions),
    })),
    ...((document.actions ?? []) as ActionPermissions[]).map((a): Permitted => ({
      kind: "action",
      name: a.name,
      permissions: alike(a.permissions),
    })),
    ...(document.remote_schemas ?? []).map((r): Permitted => ({
      kind: "remote schema",
      name: r.name,
      remote: r,
      permissions: (r.permissions ?? []).map((p) => ({
        role: p.role,
        permission: { ...p.definition },
        comment: p.comment,
      })),
    })),
    ...(source?.logical_models ?? []).map((m): Permitted => ({
      kind: "logical model",
      name: m.name,
      model: m,
      permissions: (m.select_permissions ?? []) as unknown as Permission[],
    })),
  ];
}

/** grantOfObject finds how a role comes by an object, as far as the metadata says it; the server decides. */
export function grantOfObject(object: Permitted, role: string, parents: Parents): Grant {
  if (object.permissions.some((p) => p.role === role)) return "own";
  const found = inheritedOf(object.permissions, role, parents, new Set());
  // A remote schema is inherited when all parents that see it see the same of it.
  const granted =
    object.kind === "remote schema"
      ? new Set(found.map((p) => JSON.stringify(p.permission))).size === 1
      : found.length > 0;
  return granted ? "inherited" : undefined;
}

/**
 * allowOf and withdrawOf are the requests that let a role use an object that needs nothing else said, and that end it.
 * Functions have no comment.
 */
export function allowOf(
  source: Source | undefined,
  object: Permitted,
  role: string,
  comment?: string,
): MetadataRequest {
  if (object.kind === "function")
    return {
      type: `${prefixOf(source!.kind)}_create_function_permission`,
      args: { source: source!.name, function: object.function, role },
    };
  return { type: "create_action_permission", args: { action: object.name, role, comment } };
}

export function withdrawOf(source: Source | undefined, object: Permitted, role: string): MetadataRequest {
  switch (object.kind) {
    case "function":
      return {
        type: `${prefixOf(source!.kind)}_drop_function_permission`,
        args: { source: source!.name, function: object.function, role },
      };
    case "action":
      return { type: "drop_action_permission", args: { action: object.name, role } };
    case "remote schema":
      return { type: "drop_remote_schema_permissions", args: { remote_schema: object.name, role } };
    case "logical model":
      return {
        type: `${prefixOf(source!.kind)}_drop_logical_model_select_permission`,
        args: { source: source!.name, name: object.name, role },
      };
  }
}
