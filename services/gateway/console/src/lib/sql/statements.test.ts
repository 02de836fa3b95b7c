import { PostgreSQL } from "@codemirror/lang-sql";
import { expect, test } from "vitest";
import { chosenText, dialectOf, oneStatement, statementsIn } from "./statements";

const split = (kind: string, text: string) =>
  statementsIn(dialectOf(kind), text).map((s) => text.slice(s.from, s.to).trim());

test.each([
  ["select 1; select 2", ["select 1", "select 2"]],
  ["select ';' ; select 1;", ["select ';'", "select 1"]],
  ["select $$a;b$$; select 2", ["select $$a;b$$", "select 2"]],
  ["select $f$a;$$;b$f$; select 2", ["select $f$a;$$;b$f$", "select 2"]],
  ["-- a; b\nselect 1; /* ; */ select 2", ["select 1", "select 2"]],
  ['select "a;b"', ['select "a;b"']],
  ["", []],
  ["  -- nothing", []],
])("PostgreSQL: %j", (text, statements) => {
  const found = split("postgres", text);
  expect(found.map((s) => s.replace(/^(--.*\n|\/\*.*?\*\/\s*)/, ""))).toEqual(statements);
});

test.each([
  ["mssql", "select N'a;b'; select [c;d]", 2],
  ["bigquery", "select 'a;b'; select 1", 2],
  ["sqlite", "select 1; select 'it''s;'", 2],
])("%s: %j", (kind, text, count) => expect(split(kind, text)).toHaveLength(count));

test("what is selected counts, or else the statement at the cursor or before it", () => {
  const text = "select 1; select 2;";
  const at = (from: number, to = from) => oneStatement(PostgreSQL, text, { from, to });
  expect(at(3)).toBe("select 1");
  expect(at(12)).toBe("select 2");
  expect(at(text.length)).toBe("select 2");
  expect(at(10, 18)).toBe("select 2");
  expect(oneStatement(PostgreSQL, "", { from: 0, to: 0 })).toBe("");
});

test("a selection of blanks is none", () => {
  expect(chosenText("a b", { from: 1, to: 2 })).toBe("a b");
  expect(chosenText("a b", { from: 2, to: 3 })).toBe("b");
});
