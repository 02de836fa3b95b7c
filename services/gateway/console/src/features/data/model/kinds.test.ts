import { expect, test } from "vitest";
import { kinds, proofOf } from "./kinds";

test("kinds that no run of all tests uses say what they were proven on", () => {
  expect(kinds.filter((k) => proofOf(k))).toEqual(["citus", "cockroach", "mssql", "bigquery"]);
});
