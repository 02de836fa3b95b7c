import type { Source, Table } from "./types";

/** typeName is the name of a type that the schema makes of a table: of its rows, or with a suffix, such as bool_exp, another one. */
export function typeName(source: Source, table: Table, suffix = ""): string {
  const { prefix = "", suffix: last = "" } = source.customization?.type_names ?? {};
  const custom = table.configuration?.custom_name;
  const base = custom ?? baseName(table);
  if (!graphqlNames(source)) return `${prefix}${suffix ? `${base}_${suffix}` : base}${last}`;
  return `${prefix}${custom ?? words(base).map(upper).join("")}${words(suffix).map(upper).join("")}${last}`;
}

/** fieldName is the name of the field of a column. */
export function fieldName(source: Source, table: Table, column: string): string {
  const { column_config: configured, custom_column_names: renamed } = table.configuration ?? {};
  const custom = configured?.[column]?.custom_name ?? renamed?.[column];
  if (custom) return custom;
  if (!graphqlNames(source)) return column;
  const [first = "", ...rest] = words(column);
  return first.replace(/^_*[A-Z]/, (start) => start.toLowerCase()) + rest.map(upper).join("");
}

function baseName(table: Table): string {
  const { schema, name } = table.table;
  return schema === undefined || schema === "public" || schema === "dbo" ? name : `${schema}_${name}`;
}

/** graphqlNames reports whether names are joined by capitals, as naming_convention of the source says. */
function graphqlNames(source: Source): boolean {
  return source.customization?.naming_convention === "graphql-default";
}

/** words are the parts of a name between underscores; leading ones stay with the first. */
function words(name: string): string[] {
  const [lead = ""] = /^_*/.exec(name) ?? [];
  const [first = "", ...rest] = name.slice(lead.length).split("_").filter(Boolean);
  return [lead + first, ...rest].filter(Boolean);
}

function upper(word: string): string {
  return word.replace(/^_*[a-z]/, (start) => start.toUpperCase());
}
