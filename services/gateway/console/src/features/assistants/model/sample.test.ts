import { expect, test } from "vitest";
import { sampleOf } from "./sample";

test("arguments to begin with", () => {
  expect(
    sampleOf({
      properties: {
        where: { $ref: "#/$defs/a_bool_exp" },
        limit: { type: ["integer", "null"], default: 2 },
        name: { type: "string" },
        left: { type: "string" },
        ids: { type: "array" },
        kind: { type: "string", enum: ["a", "b"] },
        any: {},
        yes: { type: "boolean" },
        object: { type: "object" },
      },
      required: ["where", "name", "ids", "kind", "any", "yes", "object"],
    }),
  ).toEqual({ where: {}, limit: 2, name: "", ids: [], kind: "a", any: null, yes: false, object: {} });
  expect(sampleOf({})).toEqual({});
});
