import { expect, test } from "vitest";
import type { Change } from "../../../lib/http/client";
import { widenedBy } from "./widened";

const table = (after: object, before: object = {}): Change => ({
  op: "change",
  kind: "table",
  schema: "public",
  name: "orders",
  before,
  after,
});
const select = (permission: object, role = "reader") => ({ select_permissions: [{ role, permission }] });

test("permissions that allow more are widened", () => {
  const all = { columns: "*", filter: {} };
  const own = { columns: ["id"], filter: { id: { _eq: "x-engine-id" } } };
  const found = { role: "reader", operation: "select", table: "public.orders", noColumns: false, emptyText: false };
  expect(widenedBy(table(select(all)))).toEqual([{ ...found, whole: true, allRows: true }]);
  expect(widenedBy(table(select(own)))).toEqual([{ ...found, whole: false, allRows: false }]);
  expect(widenedBy(table(select(own), select(own)))).toEqual([]);
  expect(widenedBy(table(select(own), select({ ...own, columns: ["id", "name"] })))).toEqual([]);
  expect(widenedBy(table(select({ ...own, columns: ["id", "name"] }), select(own)))).toHaveLength(1);
  expect(widenedBy(table(select({ ...own, filter: {} }), select(own)))).toEqual([
    { ...found, whole: false, allRows: true },
  ]);
  expect(widenedBy(table(select({ columns: [], filter: { name: { _eq: "" } } })))).toEqual([
    { ...found, whole: false, allRows: false, noColumns: true, emptyText: true },
  ]);
  expect(widenedBy(table(select([own, own]), select(own)))).toEqual([{ ...found, whole: false, allRows: false }]);
  expect(widenedBy(table(select([own, all]), select([own])))).toEqual([{ ...found, whole: true, allRows: true }]);
  expect(widenedBy(table(select([own, all]), select([own, all])))).toEqual([]);
  expect(widenedBy({ op: "remove", kind: "table", before: select(all) })).toEqual([]);
});
