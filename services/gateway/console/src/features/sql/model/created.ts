/** Created is a table or a view that statements have created, as they name it. */
export interface Created {
  schema?: string;
  name: string;
}

const name = String.raw`(?:"(?:[^"]|"")+"|\[[^\]]+\]|[\w$]+)`;
const creates = new RegExp(
  String.raw`\bcreate\s+(?:or\s+replace\s+)?(?:unlogged\s+|foreign\s+)?(?:table|(?:materialized\s+)?view)\s+(?:if\s+not\s+exists\s+)?(?:(${name})\s*\.\s*)?(${name})`,
  "gi",
);

const bare = (text: string) => (/^["[]/.test(text) ? text.slice(1, -1).replaceAll('""', '"') : text.toLowerCase());

/** createdBy are the tables and views that statements create, without those of comments. */
export function createdBy(sql: string): Created[] {
  const text = sql.replace(/--.*$|\/\*[^]*?\*\//gm, "");
  return [...text.matchAll(creates)].map(([, schema, table]) => ({
    ...(schema && { schema: bare(schema) }),
    name: bare(table!),
  }));
}
