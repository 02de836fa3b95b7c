import { expect, test } from "vitest";
import { describe } from "./describe";

const drop = { type: "pg_drop_select_permission", args: {} };
const create = { type: "pg_create_select_permission", args: {} };
const relate = { type: "pg_create_array_relationship", args: {} };

test.each([
  [{ type: "pg_track_tables", args: { tables: [1, 2, 3] } }, "3 tables tracked"],
  [{ type: "pg_track_table", args: {} }, "Table tracked"],
  [{ type: "mssql_add_source", args: {} }, "Source added"],
  [{ type: "create_cron_trigger", args: {} }, "Cron trigger created"],
  [{ type: "bulk", args: [create] }, "Select permission created"],
  [{ type: "bulk", args: [drop, create] }, "Select permission updated"],
  [{ type: "bulk", args: [drop, drop, create, create] }, "2 select permissions updated"],
  [
    { type: "bulk_keep_going", args: [relate, relate, { type: "pg_create_object_relationship", args: {} }] },
    "3 relationships created",
  ],
  [{ type: "rollback_metadata", args: {} }, "Metadata restored"],
  [{ type: "replace_metadata", args: {} }, "Metadata replaced"],
  [{ type: "set_graphql_schema_introspection_options", args: {} }, "Graphql schema introspection options updated"],
])("%j is described", (request, words) => expect(describe(request)).toBe(words));
