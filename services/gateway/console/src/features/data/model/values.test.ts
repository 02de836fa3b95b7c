import { expect, test } from "vitest";
import type { Source, Table, TableDescription } from "../../../lib/http/types";
import type { Written } from "../../../lib/json/exact";
import { isExact, Raw, textOf } from "../../../lib/json/exact";
import { parseRows, type Row } from "../../../lib/json/rows";
import { keyRule, whereOf } from "./conditions";
import { choicesOf, displayOf } from "./choices";
import { asked, sent, withTexts } from "./jsontext";
import { rowKeyOf } from "./keys";
import { conventionOf, defaultRootFields, fieldName, nameProblem, typeName } from "./names";
import { conditionsOf, linksOf, targetOf, usingText } from "./related";
import { asBefore } from "./shapes";
import { display, keyOf, nameIn, type ColumnInfo, type TableInfo } from "./tables";
import { comparable, typed } from "./values";
import { fragmentOf, viewOf } from "./view";

const column = (name: string, type: string, nullable = false) => ({ name, type, nullable }) as ColumnInfo;
const info = (columns: ColumnInfo[], more: Partial<TableInfo> = {}) =>
  ({ name: { name: "t" }, columns, ...more }) as TableInfo;

test.each([
  ["integer", "5", 5],
  ["integer", "05", "05"],
  ["integer[]", "{1}", "{1}"],
  ["numeric", "1.50", "1.50"],
  ["text", " a ", " a "],
  ["boolean", "false", false],
])("%s %j", (type, text, value) => expect(typed(type, text)).toEqual(value));

test("JSON keeps its text, and large numbers theirs", () => {
  expect(typed("jsonb", ' {"a": 1}')).toEqual(new Raw(' {"a": 1}'));
  expect(typed("integer[]", " [1] ")).toEqual(new Raw("[1]"));
  expect(typed("integer[]", "[0:1]={7,8}")).toBe("[0:1]={7,8}");
  expect(isExact(typed("bigint", "9223372036854775807"))).toBe(true);
  expect(sent("postgres", "json", "null")).toBe("null");
  expect(() => typed("json", "{")).toThrow(/isn't JSON/);
  expect(() => typed("bool", "yes")).toThrow(/true or false/);
});

test.each([
  ["postgres", "jsonb", true],
  ["postgres", "json", false],
  ["sqlite", "json", false],
  ["sqlite", "date", false],
  ["mssql", "ntext", false],
  ["mssql", "nvarchar(5)", true],
  ["postgres", "box", false],
])("%s compares %s: %s", (kind, type, can) => expect(comparable(kind, type)).toBe(can));

test("columns whose JSON doesn't tell all are requested with their texts", () => {
  const columns = [column("a", "integer"), column("l", "text[]"), column("l as text", "text"), column("c", "pair")];
  expect(asked("postgres", columns, ["a", "l", "c"])).toEqual([
    "a",
    "l",
    "c",
    { name: "l", alias: "l as text'", as_text: true },
    { name: "c", alias: "c as text", as_text: true },
  ]);
  expect(asked("mssql", columns, ["a", "l"])).toEqual(["a", "l"]);
});

test("rows are shown with their texts", () => {
  const columns = [column("l", "integer[]"), column("c", "pair"), column("j", "json")];
  const text = '[{"l":[1,2],"l as text":"{1,2}","c":{"a":1},"c as text":"(1)","j":"{ }"}]';
  const [row] = withTexts("postgres", columns, parseRows(text) as Row[]);
  expect(Object.keys(row!)).toEqual(["l", "c", "j"]);
  expect(textOf(row!.l)).toBe("[1,2]");
  expect((row!.l as Written).text).toBe("{1,2}");
  expect(textOf(row!.c)).toBe("(1)");
  expect(row!.j).toEqual(new Raw("{ }"));
});

test("rows are distinguished by the primary key, or the shortest unique one without NULL", () => {
  const columns = [
    column("id", "integer"),
    column("a", "text"),
    column("b", "text"),
    column("n", "text", true),
    column("x", "box"),
  ];
  const described = {
    columns: [],
    constraints: [
      { name: "ab", type: "unique", columns: ["a", "b"] },
      { name: "n", type: "unique", columns: ["n"] },
      { name: "x", type: "unique", columns: ["x"] },
    ],
    indexes: [
      { name: "part", unique: true, columns: ["a"], where: "a <> ''" },
      { name: "b", unique: true, columns: ['"b"'], definition: "…" },
    ],
  } as unknown as TableDescription;
  const all = columns.map((c) => c.name);
  expect(rowKeyOf("postgres", info(columns, { primary_key: ["id"] }), described, all)).toEqual(["id"]);
  expect(rowKeyOf("postgres", info(columns, { primary_key: ["id"] }), described, ["a", "b"])).toEqual(["b"]);
  expect(rowKeyOf("postgres", info(columns), { ...described, indexes: [] }, all)).toEqual(["a", "b"]);
  expect(rowKeyOf("postgres", info(columns), undefined, all)).toBeUndefined();
});

test("the rule of a key finds one row, or none is made", () => {
  expect(keyRule(["a", "b"], { a: 1, b: null, c: 2 })).toEqual({
    $and: [{ a: { $eq: 1 } }, { b: { _is_null: true } }],
  });
  expect(() => keyRule([], {})).toThrow();
  expect(whereOf([{ column: "a", value: "x" }])).toEqual({ $and: [{ a: { $eq: "x" } }] });
});

test("a shape takes the place of one without a reference system as a text", () => {
  const shape = new Raw('{"type":"Point","coordinates":[1,2]}');
  expect(asBefore(shape, shape)).toBe(shape.text);
  expect(asBefore(null, shape)).toBe(shape);
});

test("names of tables", () => {
  expect(nameIn({ kind: "bigquery" } as Source, "d", "t")).toEqual({ dataset: "d", name: "t" });
  expect(nameIn({ kind: "sqlite" } as Source, undefined, "t")).toEqual({ name: "t" });
  expect(display({ schema: "s", name: "t" })).toBe("s.t");
  expect(keyOf({ schema: "a", name: "b.c" })).not.toBe(keyOf({ schema: "a.b", name: "c" }));
});

const source = (tables: Table[]) => ({ name: "default", kind: "postgres", tables }) as Source;

test("relationships lead to tables", async () => {
  const author = { table: { schema: "public", name: "author" } } as Table;
  const article = {
    table: { schema: "public", name: "article" },
    object_relationships: [{ name: "author", using: { foreign_key_constraint_on: "author_id" } }],
    array_relationships: [
      { name: "same", using: { manual_configuration: { remote_table: "author", column_mapping: { a: "b" } } } },
    ],
  } as Table;
  const [byKey, byHand] = linksOf(article);
  const table = info([], { foreign_keys: { k: { foreign_table: author.table, column_mapping: { author_id: "id" } } } });
  const never = () => Promise.reject(new Error("not asked for"));
  const target = await targetOf(source([author, article]), table, byKey!, never);
  expect(target).toEqual({ table: author.table, mapping: { author_id: "id" } });
  expect(await targetOf(source([author, article]), table, byHand!, never)).toEqual({
    table: author.table,
    mapping: { a: "b" },
  });
  await expect(targetOf(source([]), info([]), byKey!, never)).rejects.toThrow(/isn't there any more/);
  expect(conditionsOf(target, { author_id: 5 })).toEqual([{ column: "id", value: "5" }]);
  expect(conditionsOf(target, { author_id: null })).toBeUndefined();
  expect(usingText(byHand!.using)).toBe("author where b = a");
});

test("choices are the values of an enum, or the keys of a tracked table", () => {
  const keys = { k: { foreign_table: { name: "o" }, column_mapping: { a: "x", b: "y" } } };
  const table = info([column("a", "integer"), column("b", "integer")], { foreign_keys: keys });
  const other = { table: { name: "o" } } as Table;
  const enums = { columns: [{ name: "a", values: ["p", "q"] }] } as unknown as TableDescription;
  expect(choicesOf(source([other]), table, enums, "a", false)).toEqual({ values: ["p", "q"] });
  expect(choicesOf(source([other]), table, undefined, "a", false)).toBeUndefined(); // not without the other column
  expect(choicesOf(source([other]), table, undefined, "a", true)).toEqual({
    table: other,
    column: "x",
    mapping: keys.k.column_mapping,
    shared: [],
  });
  expect(choicesOf(source([]), table, undefined, "a", true)).toBeUndefined();
  expect(
    displayOf(
      info([column("id", "integer"), column("note", "text"), column("full_name", "text")]),
      ["id"],
      ["id", "note", "full_name"],
    )?.name,
  ).toBe("full_name");
});

test("names of GraphQL follow from those of the database by the convention", () => {
  const table = { table: { schema: "public", name: "order_line" } } as Table;
  const s = source([table]);
  expect(typeName(s, table, "engine-default", "bool_exp")).toBe("order_line_bool_exp");
  expect(typeName(s, table, "graphql-default", "bool_exp")).toBe("OrderLineBoolExp");
  expect(fieldName(table, "unit_price", "graphql-default")).toBe("unitPrice");
  expect(defaultRootFields(table, undefined, "engine-default")).toMatchObject({
    select: "order_line",
    insert_one: "insert_order_line_one",
  });
  expect(defaultRootFields(table, undefined, "graphql-default")).toMatchObject({
    select: "orderLine",
    update_by_pk: "updateOrderLineByPk",
  });
  expect(conventionOf(undefined, s)).toBe("engine-default");
  expect(nameProblem("_a1")).toBeUndefined();
  expect(nameProblem("1a")).toMatch(/GraphQL name/);
});

test("a view goes into the address and back, without what isn't one", () => {
  const view = {
    filters: { any: true, list: [{ column: "a", operator: "=", value: "1" }] },
    order: [{ column: "b", descending: true }],
    offset: 50,
    size: 100,
    columns: ["a"],
  };
  expect(viewOf(fragmentOf(view))).toEqual(view);
  expect(fragmentOf({})).toBe("");
  const wrong = {
    filters: {
      list: [
        { column: 1, operator: "=" },
        { column: "a", operator: "no" },
      ],
    },
    offset: -1,
    order: "x",
  };
  expect(viewOf(fragmentOf(wrong as never))).toEqual(viewOf(""));
});
