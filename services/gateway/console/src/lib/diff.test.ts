import { expect, test } from "vitest";
import { linesOf } from "./diff";

const diff = (before: unknown, after: unknown) =>
  linesOf(JSON.stringify(before, null, 2), JSON.stringify(after, null, 2)).map((l) => `${l.sign} ${l.text}`);

test("lines that differ are shown, with three around them", () => {
  const numbers = (changed: number) => Array.from({ length: 20 }, (_, i) => (i === 10 ? changed : i));
  expect(diff({ list: numbers(1) }, { list: numbers(2) })).toEqual([
    "… 9 lines that are the same, in list",
    "      7,",
    "      8,",
    "      9,",
    "-     1,",
    "+     2,",
    "      11,",
    "      12,",
    "      13,",
    "… 8 lines that are the same",
  ]);
});

test("equal texts have no line that differs", () =>
  expect(diff([1], [1]).every((l) => l.startsWith("…") || l.startsWith(" "))).toBe(true));

test("one line that would be left out is shown", () => {
  expect(diff({ a: 1, b: 2 }, { a: 2, b: 2 })).toEqual(["  {", '-   "a": 1,', '+   "a": 2,', '    "b": 2', "  }"]);
});
