import { GraphQLInt, GraphQLList, GraphQLString, parse, type FieldNode, type OperationDefinitionNode } from "graphql";
import { expect, test } from "vitest";
import { bodyOf, callOf, operationsIn, snippets, titleOf, variablesIn } from "./operation";
import { declared, literalFor, withArgument, withoutArgument, withoutSelection, withSelection } from "./selection";

test("operations are found with their places and called by their names", () => {
  const query = "query A { a } mutation { b }";
  expect(operationsIn(query)).toMatchObject([
    { name: "A", kind: "query", from: 0, to: 13 },
    { name: undefined, kind: "mutation" },
  ]);
  expect(operationsIn("{")).toEqual([]);
  expect(titleOf(query)).toBe("A");
  expect(titleOf("{ a\n b }")).toBe("{ a b }");
  expect(titleOf("")).toBe("New");
});

test("variables may have comments, and their numbers stay as they are", () => {
  const variables = variablesIn('{ "id": 9223372036854775807 /* big */ } // end');
  expect(JSON.stringify(variables)).toBe('{"id":9223372036854775807}');
  expect(variablesIn(" // none\n")).toBeUndefined();
  expect(() => variablesIn("[]")).toThrow(/not a JSON object/);
  expect(() => variablesIn("{")).toThrow(/not JSON/);
  expect(bodyOf({ id: "1", query: "{a}", variables: "" }, "A")).toEqual({ query: "{a}", operationName: "A" });
});

test("an endpoint gets its variables in the path, the query string or the body", () => {
  expect(callOf("user/:id", "GET", { id: "a/b", x: 1 })).toEqual({ method: "GET", path: "/api/rest/user/a%2Fb?x=1" });
  expect(callOf("user/:id", "POST", { id: 5, x: [1] })).toEqual({
    method: "POST",
    path: "/api/rest/user/5",
    body: '{"x":[1]}',
  });
  expect(() => callOf(":id", "GET", {})).toThrow(/needs the variable id/);
});

test("snippets have quotes where they need some, and never the secret", () => {
  const as = { role: "it's", headers: "" };
  const texts = snippets("http://x/v1/graphql", { query: "{ a }" }, as, { kind: "secret", value: "top secret" });
  expect(texts.curl).toContain("-H 'x-engine-role: it'\\''s'");
  expect(texts.curl).toContain("$ADMIN_SECRET");
  for (const text of Object.values(texts)) expect(text).not.toContain("top secret");
});

const first = (query: string) => parse(query).definitions[0] as OperationDefinitionNode;
const field = (query: string) => first(query).selectionSet.selections[0] as FieldNode;

test.each([
  ["{ a }", "{ a b }"],
  ["{\n  a # why\n}", "{\n  a\n  b # why\n}"],
])("a field is added to %j", (query, changed) => expect(withSelection(query, first(query), "b")).toBe(changed));

test("a field goes with what would be empty without it", () => {
  const nested = "{ a { b } c }";
  const line = [first(nested), field(nested), field(nested).selectionSet!.selections[0] as FieldNode];
  expect(withoutSelection(nested, line)).toBe("{ c }");
});

test("arguments are added and removed, the rest of the text stays", () => {
  const query = "{ a(x: 1, y: 2) { b } } # end";
  const both = field(query);
  expect(withArgument(query, both, "z: 3")).toBe("{ a(x: 1, y: 2, z: 3) { b } } # end");
  expect(withoutArgument(query, both, both.arguments![0]!)).toBe("{ a(y: 2) { b } } # end");
  expect(withoutArgument(query, both, both.arguments![1]!)).toBe("{ a(x: 1) { b } } # end");
  const one = field("{ a(x: 1) }");
  expect(withoutArgument("{ a(x: 1) }", one, one.arguments![0]!)).toBe("{ a }");
  expect(withArgument("{ a }", field("{ a }"), "x: 1")).toBe("{ a(x: 1) }");
});

test.each([
  ["{ a }", "query ($v: Int) { a }"],
  ["query { a }", "query ($v: Int) { a }"],
  ["query A { a }", "query A($v: Int) { a }"],
  ["query A($w: Int) { a }", "query A($w: Int, $v: Int) { a }"],
  ["query A($v: Int) { a }", "query A($v: Int) { a }"],
])("a variable is declared in %j", (query, changed) => expect(declared(query, first(query), "v", "Int")).toBe(changed));

test("what is typed is a variable, a value or a text", () => {
  expect(literalFor("$v", GraphQLInt)).toBe("$v");
  expect(literalFor("5", GraphQLInt)).toBe("5");
  expect(literalFor('a"b', GraphQLString)).toBe('"a\\"b"');
  expect(literalFor('[a, "b"]', new GraphQLList(GraphQLString))).toBe('["a", "b"]');
});
