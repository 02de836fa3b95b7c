import { expect, test } from "vitest";
import { part, problemOfPart, quoteName, quoteText } from "./text";

test("names and texts end where they are to", () => {
  expect(quoteName("postgres", 'a"b')).toBe('"a""b"');
  expect(quoteName("mssql", "a]b")).toBe("[a]]b]");
  expect(quoteText("postgres", "it's")).toBe("'it''s'");
  expect(quoteText("postgres", "\\'")).toBe("E'\\\\'''");
  expect(quoteText("sqlite", "\\'")).toBe("'\\'''");
  expect(quoteText("mssql", "ü")).toBe("N'ü'");
});

test.each(["", "a\0"])("%j is no name", (name) => expect(() => quoteName("postgres", name)).toThrow());

test("a text with the character 0 is refused", () => expect(() => quoteText("sqlite", "\0")).toThrow());

test.each(["numeric(10, 2)", "'a; b'", "$$ ; ) $$", "E'\\';'", "(a)[1]", 'f("x,y")', "'--'"])(
  "%s is a part",
  (text) => {
    expect(problemOfPart("postgres", text)).toBeUndefined();
    expect(part("postgres", ` ${text} `)).toBe(text);
  },
);

test.each([
  [" ", /empty/],
  ["1; DROP TABLE t", /more than one/],
  ["1, 2", /comma/],
  ["(1", /isn't closed/],
  ["1)", /isn't open/],
  ["1]", /bracket/],
  ["1 -- x", /comment/],
  ["1 /* x", /comment/],
  ["'a", /no end/],
  ["$x$ $$", /no end/],
  ["E'\\'", /no end/],
  ["1\0", /more than one/],
])("%j isn't one", (text, problem) => {
  expect(problemOfPart("postgres", text)).toMatch(problem);
  expect(() => part("postgres", text)).toThrow(problem);
});

test("each dialect has quotes of its own", () => {
  expect(problemOfPart("mssql", "[a)]")).toBeUndefined();
  expect(problemOfPart("mssql", "[a]])]")).toBeUndefined();
  expect(problemOfPart("sqlite", "`)`")).toBeUndefined();
  expect(problemOfPart("postgres", "`)`")).toMatch(/isn't open/);
});
