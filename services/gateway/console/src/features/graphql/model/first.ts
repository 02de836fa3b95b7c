import {
  getNamedType,
  getNullableType,
  isLeafType,
  isListType,
  isNonNullType,
  isObjectType,
  type GraphQLSchema,
} from "graphql";

/** emptySchema is the field that a schema without anything to query has. */
const emptySchema = "no_queries_available";

/** weight has the columns first that say what a row is, and those last that refer to others. */
function weight(name: string): number {
  return (
    [/^id$/, /(^|_)(name|title)$/i, /(?<!_id)$/].findIndex((e) => e.test(name)) + 4 * Number(/.(_id|Id)$/.test(name))
  );
}

/** mostFields is how many fields a first query has of a type. */
const mostFields = 4;

/**
 * firstQuery is a query to begin with: the first rows of the first table of a schema, and of what they are related to;
 * without tables, the name of its type.
 */
export function firstQuery(schema: GraphQLSchema | undefined): string {
  const roots = Object.values(schema?.getQueryType()?.getFields() ?? {});
  const tables = roots.filter((f) => {
    const type = getNamedType(f.type);
    return isListType(getNullableType(f.type)) && isObjectType(type) && f.args.some((a) => a.name === "limit");
  });
  const related = (type: unknown) =>
    isObjectType(type)
      ? Object.values(type.getFields()).filter(
          (f) => isListType(getNullableType(f.type)) && isObjectType(getNamedType(f.type)),
        )
      : [];
  // One with something that belongs to its rows shows more of what can be done.
  const root = tables.find((f) => related(getNamedType(f.type)).length > 0) ?? tables[0];
  if (!root) return "query {\n  __typename\n}\n";
  const type = getNamedType(root.type);
  const leaves = (of: unknown, most: number) =>
    isObjectType(of)
      ? Object.values(of.getFields())
          .filter((f) => isLeafType(getNamedType(f.type)) && !f.args.some((a) => isNonNullType(a.type)))
          .map((f) => f.name)
          .sort((a, b) => weight(a) - weight(b))
          .slice(0, most)
      : [];
  const [inner] = related(type);
  const lines = leaves(type, mostFields).map((f) => `    ${f}`);
  if (inner) {
    const parts = leaves(getNamedType(inner.type), 2);
    if (parts.length > 0) lines.push(`    ${inner.name}(limit: 3) {`, ...parts.map((f) => `      ${f}`), "    }");
  }
  return `query First {\n  ${root.name}(limit: 5) {\n${lines.join("\n")}\n  }\n}\n`;
}

/** hasQueries reports whether a schema has anything to query. */
export function hasQueries(schema: GraphQLSchema): boolean {
  return !(emptySchema in (schema.getQueryType()?.getFields() ?? {}));
}
