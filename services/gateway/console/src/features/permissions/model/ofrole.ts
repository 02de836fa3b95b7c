import { type MetadataRequest } from "../../../lib/http/client";
import { allowOf, permittedOf, withdrawOf } from "./objects";
import { dropOf, operations, permissionsOf } from "./permissions";
import { keyOf } from "../../data/model/tables";
import { prefixOf } from "../../../lib/http/prefix";
import type { MetadataDocument } from "../../../lib/http/types";

/** OfRole is one permission of a role, with the requests that withdraw it and that give it to another role. */
export interface OfRole {
  /** What it is for, the same for all roles. */
  key: string;
  /** What it is, for counts of them. */
  what: string;
  drop: MetadataRequest;
  create: (role: string) => MetadataRequest;
}

/** permissionsOfRole are all permissions of a role's own, in all sources. */
export function permissionsOfRole(document: MetadataDocument, role: string): OfRole[] {
  const found: OfRole[] = [];
  for (const source of document.sources) {
    for (const { table, ...t } of source.tables ?? []) {
      for (const operation of operations) {
        const own = permissionsOf({ table, ...t }, operation).find((p) => p.role === role);
        if (!own) continue;
        const type = `${prefixOf(source.kind)}_create_${operation}_permission`;
        found.push({
          key: JSON.stringify([source.name, keyOf(table), operation]),
          what: operation,
          drop: dropOf({ source, table, role, operation }),
          create: (to) => ({ type, args: { ...own, source: source.name, table, role: to } }),
        });
      }
    }
  }
  // Actions and remote schemas belong to no source: they are those of the document alone.
  for (const source of [undefined, ...document.sources]) {
    for (const object of permittedOf(source ? { ...document, actions: [], remote_schemas: [] } : document, source)) {
      const own = object.permissions.find((p) => p.role === role);
      if (!own) continue;
      found.push({
        key: JSON.stringify([source?.name, object.kind, object.name]),
        what: object.kind,
        drop: withdrawOf(source, object, role),
        create: (to) => {
          switch (object.kind) {
            case "function":
            case "action":
              return allowOf(source, object, to, own.comment);
            case "remote schema":
              return {
                type: "add_remote_schema_permissions",
                args: { remote_schema: object.name, role: to, definition: own.permission, comment: own.comment },
              };
            case "logical model":
              return {
                type: `${prefixOf(source!.kind)}_create_logical_model_select_permission`,
                args: { ...own, source: source!.name, name: object.name, role: to },
              };
          }
        },
      });
    }
  }
  return found;
}
