import { expect, test } from "vitest";
import type { MetadataDocument, Source, Table } from "../../../lib/http/types";
import { allOf, conflictOf, grantOf, isWhole, parentsOf, saveOf, startFrom } from "./permissions";
import { rolesOf } from "./roles";

const table = {
  table: { schema: "public", name: "t" },
  select_permissions: [
    { role: "a", permission: { columns: "*", filter: {} } },
    { role: "b", permission: { columns: ["x"], filter: { x: { _eq: 1 } } } },
  ],
  update_permissions: [
    { role: "a", permission: { columns: "*", filter: {} } },
    { role: "b", permission: { columns: ["x"], filter: {} } },
  ],
  delete_permissions: [
    { role: "a", permission: { filter: {} } },
    { role: "b", permission: { filter: {} } },
  ],
} as unknown as Table;
const document = {
  inherited_roles: [
    { role_name: "both", role_set: ["a", "b"] },
    { role_name: "all", role_set: ["both", "none"] },
    { role_name: "round", role_set: ["about"] },
    { role_name: "about", role_set: ["round"] },
  ],
  sources: [{ name: "default", kind: "citus", tables: [table] }],
  actions: [{ permissions: [{ role: "z" }, { role: "admin" }] }],
} as unknown as MetadataDocument;
const parents = parentsOf(document);

test.each([
  ["select", "a", "own"],
  ["select", "both", "inherited"],
  ["select", "all", "inherited"],
  ["update", "both", undefined], // the parents differ
  ["delete", "both", "inherited"],
  ["insert", "both", undefined],
  ["select", "round", undefined],
  ["select", "none", undefined],
] as const)("%s of %s is %s", (operation, role, grant) => expect(grantOf(table, operation, role, parents)).toBe(grant));

test("parents that differ in what may be written are a conflict", () => {
  expect(conflictOf(table, "update", "both", parents).map((p) => p.role)).toEqual(["a", "b"]);
  expect(conflictOf(table, "delete", "both", parents)).toEqual([]);
  expect(conflictOf(table, "select", "both", parents)).toEqual([]);
});

test("a permission is whole without anything that narrows or changes it", () => {
  expect(isWhole("select", { columns: "*", filter: {} })).toBe(true);
  expect(isWhole("insert", { check: {} })).toBe(true);
  expect(isWhole("delete", { filter: {} })).toBe(true);
  expect(isWhole("select", { columns: ["x"], filter: {} })).toBe(false);
  expect(isWhole("select", { columns: "*", limit: 5 })).toBe(false);
  expect(isWhole("select", { columns: "*", filter: {}, mask: { email: "redact" } })).toBe(false);
  expect(isWhole("insert", { check: {}, backend_only: true })).toBe(false);
});

test("a permission begins with the rule and the columns of another one", () => {
  const from = { columns: ["x"], filter: { x: { _eq: 1 } } };
  expect(startFrom("insert", "select", from)).toEqual({ columns: ["x"], check: from.filter });
  expect(startFrom("update", "select", from)).toEqual({ ...from, check: {} });
  expect(startFrom("delete", "update", from)).toEqual({ filter: from.filter });
  expect(startFrom("select", "select", from)).toBe(from);
  expect(startFrom("delete", "update", [from, from])).toEqual([{ filter: from.filter }, { filter: from.filter }]);
});

test("a permission that is there is replaced in one request", () => {
  const source = document.sources[0] as Source;
  const save = (role: string) => saveOf({ source, table: table.table, role, operation: "select" }, { permission: {} });
  expect(save("c").args).toMatchObject([{ type: "citus_create_select_permission" }]);
  expect(save("a").args).toMatchObject([
    { type: "citus_drop_select_permission" },
    { args: { role: "a", permission: {} } },
  ]);
  expect(allOf([save("a"), save("c")]).args).toHaveLength(3);
});

test("roles are those of all objects, without admin", () =>
  expect(rolesOf(document)).toEqual(["a", "about", "all", "b", "both", "round", "z"]));
