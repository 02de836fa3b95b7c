import { expect, test } from "vitest";
import { stringifyExact } from "../../../lib/json/exact";
import { faultedBy, problemOf, whereOfFilters, type Filter } from "./filters";
import type { ColumnInfo } from "./tables";

const types: Record<string, string> = {
  id: "bigint",
  amount: "numeric(10,2)",
  name: "text",
  ok: "boolean",
  data: "jsonb",
  old: "json",
  tags: "text[]",
  place: "geometry",
  at: "date",
  pair: "pair",
};
const columns = Object.entries(types).map(([name, type]) => ({ name, type, nullable: true }) as ColumnInfo);
const filter = (column: string, operator: string, value?: string): Filter => ({ column, operator, value });
const rule = (kind: string, ...list: Filter[]) =>
  JSON.parse(stringifyExact(whereOfFilters(kind, { any: false, list }, columns))) as unknown;
const one = (kind: string, f: Filter) => (rule(kind, f) as { _and: unknown[] })._and[0];

test.each([
  [filter("id", "=", "5"), { id: { _eq: 5 } }],
  [filter("id", "one of", "1, 2\n3"), { id: { _in: [1, 2, 3] } }],
  [filter("amount", ">=", "1.50"), { amount: { _gte: "1.50" } }],
  [filter("name", "like", "a%"), { name: { _ilike: "a%" } }],
  [filter("name", "=", ""), { name: { _eq: "" } }],
  [filter("name", "none of", 'a,"b,c"'), { name: { _nin: ["a", "b,c"] } }],
  [filter("ok", "=", "true"), { ok: { _eq: true } }],
  [filter("id", "is NULL"), { id: { _is_null: true } }],
  [filter("id", "is not NULL"), { id: { _is_null: false } }],
  [filter("data", "=", '{"a": 1}'), { data: { _eq: { a: 1 } } }],
  [filter("at", "<", "2100-01-01"), { at: { _lt: "2100-01-01" } }],
])("PostgreSQL: %j", (f, expected) => expect(one("postgres", f)).toEqual(expected));

test("a number of 64 bits isn't rounded", () =>
  expect(
    stringifyExact(
      whereOfFilters("postgres", { any: false, list: [filter("id", "=", "9223372036854775807")] }, columns),
    ),
  ).toBe('{"_and":[{"id":{"_eq":9223372036854775807}}]}'));

test("kinds without ilike have like", () =>
  expect(one("mssql", filter("name", "not like", "a%"))).toEqual({ name: { _nlike: "a%" } }));

test("lines of a text are found whatever ends them", () =>
  expect(one("postgres", filter("name", "<>", "a\nb"))).toEqual({ name: { _nin: ["a\nb", "a\r\nb", "a\rb"] } }));

test.each([
  [filter("old", "=", '{"a":1}'), { old: { _cast: { text: { _in: ['{"a":1}'] } } } }],
  [filter("data", "<>", "null"), { data: { _cast: { text: { _nin: ["null"] } } } }],
  [filter("pair", "=", "(1,2)"), { pair: { _cast: { text: { _in: ["(1,2)"] } } } }],
])("what has no equality is found by its text: %j", (f, expected) => expect(one("postgres", f)).toEqual(expected));

test("lists are compared one by one", () => {
  const list = '"[""a""]", "[""b""]"';
  expect(one("postgres", filter("tags", "one of", list))).toEqual({
    _or: [{ tags: { _eq: ["a"] } }, { tags: { _eq: ["b"] } }],
  });
  expect(one("postgres", filter("tags", "none of", list))).toMatchObject({ _and: [{ tags: { _neq: ["a"] } }, {}] });
});

test("GeoJSON without a reference system is found with WGS 84, too", () => {
  const found = one("postgres", filter("place", "=", '{"type":"Point","coordinates":[1,2]}')) as {
    place: { _in: object[] };
  };
  expect(found.place._in).toHaveLength(2);
  expect(found.place._in[1]).toHaveProperty("crs.properties.name", "urn:ogc:def:crs:EPSG::4326");
});

test.each([filter("id", "="), filter("id", "=", ""), filter("id", "one of", " , ")])(
  "%j isn't whole, and left out",
  (f) => {
    expect(rule("postgres", f)).toEqual({ _and: [] });
    expect(problemOf("postgres", f, columns)).toBeUndefined();
  },
);

test.each([
  ["postgres", filter("ok", "=", "perhaps"), /true or false/],
  ["postgres", filter("data", "=", "{"), /isn't JSON/],
  ["postgres", filter("name", "one of", 'a, "b'), /quote/],
  ["bigquery", { column: "data", operator: "=", value: "null" }, /./],
])("%s: what is wrong with %j is reported, and it is left out", (kind, f, problem) => {
  expect(problemOf(kind, f, columns)).toMatch(problem);
  expect(rule(kind, f, filter("id", "=", "1"))).toEqual({ _and: [{ id: { _eq: 1 } }] });
});

test("any of none holds for every row", () =>
  expect(whereOfFilters("postgres", { any: true, list: [] }, columns)).toEqual({ _and: [] }));

test("an error of the server is that of the condition that was sent there", () => {
  const list = [filter("id", "="), filter("ok", "=", "x"), filter("id", "=", "1"), filter("name", "=", "a")];
  const fault = (path: string | undefined) => faultedBy("postgres", path, { any: true, list }, columns);
  expect(fault("$.args.where._and[1]._or[1].name")).toBe(3);
  expect(fault("$.args.where._and[0].id")).toBeUndefined();
  expect(fault(undefined)).toBeUndefined();
});
