import { expect, test } from "vitest";
import { substituted } from "./substituted";

const rule = {
  _or: [{ id: { _eq: "X-Engine-User-Id" } }, { tag: { _in: "x-engine-tags" } }],
  author: { name: { _neq: "x" }, id: { _in: ["x-engine-user-id", 7] } },
};

test("variables get their values, lists among them", () =>
  expect(substituted(rule, "x-engine-user-id: 3\nx-engine-tags: {a, b}")).toEqual({
    _or: [{ id: { _eq: "3" } }, { tag: { _in: ["a", "b"] } }],
    author: { name: { _neq: "x" }, id: { _in: ["3", 7] } },
  }));
