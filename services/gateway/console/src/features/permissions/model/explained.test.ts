import { expect, test } from "vitest";
import { matching } from "./explained";

test("an operation is explained by the rules that match", () => {
  const rule = (name: string, matches: boolean) => ({ role: "agent", rule: name, matches });
  expect(matching({ allowed: true, rules: [rule("own", false), rule("near", true), rule("late", true)] })).toEqual([
    true,
    "agent, near and agent, late",
  ]);
  expect(matching({ allowed: false, reason: "no rule matches" })).toEqual([false, "no rule matches"]);
  expect(matching(undefined)).toEqual([false, ""]);
});
