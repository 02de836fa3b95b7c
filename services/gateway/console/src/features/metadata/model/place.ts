import type { EventSearch, NameSearch, PermissionSearch, TableSearch } from "../../../lib/search";
import type { Inconsistency } from "../../../lib/http/types";

/** Place is the page of an object. */
export type Place =
  | { to: "/data"; search: TableSearch }
  | { to: "/permissions"; search: PermissionSearch }
  | { to: "/events"; search: EventSearch }
  | { to: "/actions"; search: NameSearch }
  | { to: "/remote-schemas"; search: NameSearch };

/** placeOf is where an object that can't be used is changed; undefined for what has no page. */
export function placeOf(o: Pick<Inconsistency, "type" | "name" | "definition">): Place | undefined {
  const d = record(o.definition);
  // The definition of a table is its name alone; the source is in the name of the object then.
  const source = text(d.source) ?? / in source (.*)$/.exec(o.name ?? "")?.[1];
  const table = nameOf(d.table);
  switch (o.type) {
    case "source":
      return { to: "/data", search: { source: text(o.definition) } };
    case "table": {
      const { schema, name } = nameOf(o.definition);
      return { to: "/data", search: { source, schema, table: name } };
    }
    case "function": {
      const { schema, name } = nameOf(d.function);
      return { to: "/data", search: { source, schema, function: name } };
    }
    case "object_relation":
    case "array_relation":
    case "computed_field":
    case "remote_relationship":
      return { to: "/data", search: { source, schema: table.schema, table: table.name } };
    case "native_query":
    case "logical_model":
      return { to: "/data", search: { source, view: "queries" } };
    case "select_permission":
    case "insert_permission":
    case "update_permission":
    case "delete_permission":
      return { to: "/permissions", search: { source, schema: table.schema, table: table.name, role: text(d.role) } };
    case "inherited_role":
      return { to: "/permissions", search: {} };
    case "event_trigger":
      return { to: "/events", search: { kind: "triggers", source, name: text(record(d.configuration).name) } };
    case "cron_trigger":
      return { to: "/events", search: { kind: "cron", name: text(d.name) } };
    case "action":
      return { to: "/actions", search: { name: text(d.name) } };
    case "action_permission":
      return { to: "/actions", search: { name: text(d.action) } };
    case "custom_types":
      return { to: "/actions", search: {} };
    case "remote_schema":
      return { to: "/remote-schemas", search: { name: text(d.name) } };
    case "remote_schema_permission":
    case "remote_schema_remote_relationship":
      return { to: "/remote-schemas", search: { name: text(d.remote_schema) } };
    default:
      return undefined;
  }
}

/** nameOf reads a name, which is a text where it has no schema. */
function nameOf(value: unknown): { schema?: string; name?: string } {
  if (typeof value === "string") return { name: value };
  const n = record(value);
  return { schema: text(n.schema), name: text(n.name) };
}

function record(value: unknown): Record<string, unknown> {
  return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {};
}

function text(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}
