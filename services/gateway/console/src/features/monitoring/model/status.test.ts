import { expect, test } from "vitest";
import type { Status } from "../../../lib/http/types";
import { duration } from "./duration";
import { quantile, rate, round, sum } from "./status";

const status = (at: string, ...values: [instance: string, value: number][]) =>
  ({
    at,
    instances: values.map(([instance, value]) => ({
      service: "gateway",
      instance,
      started_at: "2100-01-01T00:00:00Z",
      metrics: [{ name: "requests", labels: { role: "a" }, value }],
    })),
    backlogs: [],
  }) as unknown as Status;

test("a metric is added up over the instances", () => {
  const s = status("2100-01-01T00:00:00Z", ["1", 5], ["2", 7]);
  expect(sum(s, "requests")).toBe(12);
  expect(sum(s, "requests", { role: "b" })).toBe(0);
});

test("a rate is of the processes that are in both answers, and never negative", () => {
  const before = status("2100-01-01T00:00:00Z", ["1", 5], ["2", 7]);
  const after = status("2100-01-01T00:00:10Z", ["1", 25], ["2", 3], ["3", 100]);
  expect(rate(before, after, "requests")).toBe(2);
});

test("a quantile lies within its bucket", () => {
  expect(quantile([0, 0], [1], 0.5)).toBeNull();
  expect(quantile([10, 0, 0], [0.1, 0.2], 0.5)).toBeCloseTo(50);
  expect(quantile([0, 10, 0], [0.1, 0.2], 0.5)).toBeCloseTo(150);
  expect(quantile([0, 0, 10], [0.1, 0.2], 0.5)).toBeCloseTo(200); // the upper bound isn't known
});

test("figures and times are short", () => {
  expect(round(1234.5)).toBe(1230);
  expect(round(null)).toBeNull();
  expect([5, 119, 600, 7200, 200_000].map(duration)).toEqual(["5 s", "119 s", "10 min", "2 h", "2 days"]);
});
