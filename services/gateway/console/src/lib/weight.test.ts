import { expect, test } from "vitest";
import type { Change, DryRun } from "./http/client";
import { drops, isLight } from "./weight";

const table = (part: object, before: object | undefined = {}): Change => ({
  op: before ? "change" : "add",
  kind: "table",
  schema: "public",
  name: "orders",
  before,
  after: part,
});
const select = (permission: object, role = "reader") => ({ select_permissions: [{ role, permission }] });

test.each([
  [table({ comment: "new" }, { comment: "old" }), false],
  [table({}, { comment: "old" }), false],
  [table({ array_relationships: [{ name: "a" }] }, { array_relationships: [] }), false],
  [table({ array_relationships: [] }, { array_relationships: [{ name: "a" }] }), true],
  [table({}, { array_relationships: [{ name: "a" }] }), true],
  [table(select({ columns: ["id"] }), select({ columns: ["id", "name"] })), true],
  [{ op: "remove", kind: "table", before: {} } as Change, true],
  [{ op: "add", kind: "table", after: {} } as Change, false],
])("%j drops something: %j", (change, is) => expect(drops(change)).toBe(is));

test("what is refused, inconsistent or loses events isn't light", () => {
  const run: DryRun = { resource_version: 1, changes: [], is_consistent: true, inconsistent_objects: [] };
  expect(isLight(run)).toBe(true);
  expect(isLight({ ...run, is_consistent: false })).toBe(false);
  expect(isLight({ ...run, refused: { error: "", code: "", path: "" } })).toBe(false);
  expect(isLight({ ...run, undelivered_events: [{ kind: "event", events: 1 }] })).toBe(false);
});
