import { expect, test } from "vitest";
import { isExact, number, parseExact, Raw, stringifyExact, textOf, Written } from "./exact";
import { parseRows } from "./rows";

test.each(["9223372036854775807", "-0", "1.10", "1e400", "0.1000000000000000055", "12345678901234567890.5"])(
  "%s comes back as it was written",
  (text) => {
    expect(stringifyExact(parseExact(`{"a":[${text}]}`))).toBe(`{"a":[${text}]}`);
    expect(isExact(parseExact(text))).toBe(true);
    expect(textOf(parseExact(text))).toBe(text);
  },
);

test.each(["0", "-1.5", "9007199254740991"])("%s is a plain number", (text) => {
  expect(parseExact(text)).toBe(Number(text));
  expect(number(text)).toBe(Number(text));
});

test("texts that look like numbers stay texts", () => expect(parseExact('"1.10"')).toBe("1.10"));

test("raw JSON keeps its blanks and its keys that are there twice", () => {
  const raw = new Raw('{ "a": 1, "a": 1.10 }');
  expect(stringifyExact({ v: raw, w: [raw, "x"] })).toBe(`{"v":${raw.text},"w":[${raw.text},"x"]}`);
  expect(textOf(raw)).toBe(raw.text);
  expect(JSON.stringify({ v: raw })).toBe('{"v":{"a":1.10}}');
});

test.each([
  ["a", "a"],
  [undefined, ""],
  [null, "null"],
  [true, "true"],
  [[1, "a"], '[1,"a"]'],
  [new Written("{1}", [1], "[1]"), "[1]"],
])("%j is shown as %s", (value, text) => expect(textOf(value)).toBe(text));

test("rows keep the texts of objects and lists, and exact numbers", () => {
  const rows = parseRows('[{"id": 9223372036854775807, "j": {"b": 1,  "a": [1.0]}, "n": null}]') as { j: Raw }[];
  expect(rows[0]!.j).toBeInstanceOf(Raw);
  expect(rows[0]!.j.text).toBe('{"b": 1,  "a": [1.0]}');
  expect(stringifyExact(rows)).toBe('[{"id":9223372036854775807,"j":{"b": 1,  "a": [1.0]},"n":null}]');
});

test("an answer that isn't a list of rows is left alone", () => expect(parseRows('{"a":{}}')).toEqual({ a: {} }));
