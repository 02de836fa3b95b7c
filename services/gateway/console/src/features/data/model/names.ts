import type { ServerConfig } from "../../../lib/http/client";
import type { Source, Table } from "../../../lib/http/types";

/** Convention is how generated names are spelt: words joined by underscores, or by capitals. */
export type Convention = "engine-default" | "graphql-default";

/** conventionOf is the convention of a source. One of its own counts where the server has the feature. */
export function conventionOf(config: ServerConfig | undefined, source: Source): Convention {
  const chosen = source.customization?.naming_convention;
  if (!config) return chosen === "graphql-default" ? chosen : "engine-default";
  if (!config.experimental_features.includes("naming_convention")) return "engine-default";
  return (chosen ?? config.default_naming_convention) === "graphql-default" ? "graphql-default" : "engine-default";
}

/** nameProblem is what is wrong with a text as a name of GraphQL, undefined for nothing. */
export function nameProblem(text: string): string | undefined {
  if (/^[_A-Za-z][_0-9A-Za-z]*$/.test(text)) return undefined;
  return "This isn't a GraphQL name: letters, digits and _ are, and a digit doesn't come first.";
}

/**
 * typeName is the name of a type that the schema makes of a table: of its rows, or with a suffix, such as bool_exp,
 * another one.
 */
export function typeName(source: Source, table: Table, convention: Convention, suffix = ""): string {
  const { prefix = "", suffix: last = "" } = source.customization?.type_names ?? {};
  const custom = table.configuration?.custom_name;
  const base = custom ?? baseName(table);
  if (convention === "engine-default") return `${prefix}${suffix ? `${base}_${suffix}` : base}${last}`;
  return `${prefix}${custom ?? words(base).map(upper).join("")}${words(suffix).map(upper).join("")}${last}`;
}

/** fieldName is the name of the field of a column. */
export function fieldName(table: Table, column: string, convention: Convention): string {
  const { column_config: configured, custom_column_names: renamed } = table.configuration ?? {};
  return configured?.[column]?.custom_name ?? renamed?.[column] ?? defaultFieldName(column, convention);
}

/** defaultFieldName is the name of the field of a column that is given none. */
export function defaultFieldName(column: string, convention: Convention): string {
  return convention === "graphql-default" ? camel(words(column)) : column;
}

/**
 * rootFields are what stands before and after the name of a table in those of its root fields, by their keys in the
 * metadata.
 */
const rootFields = {
  select: ["", ""],
  select_by_pk: ["", "by_pk"],
  select_aggregate: ["", "aggregate"],
  select_stream: ["", "stream"],
  insert: ["insert", ""],
  insert_one: ["insert", "one"],
  update: ["update", ""],
  update_by_pk: ["update", "by_pk"],
  update_many: ["update", "many"],
  delete: ["delete", ""],
  delete_by_pk: ["delete", "by_pk"],
} as const;

/**
 * defaultRootFields are the names of the root fields of a table that are given none, without what the source puts
 * around them.
 */
export function defaultRootFields(
  table: Table,
  customName: string | undefined,
  convention: Convention,
): Record<string, string> {
  const base = customName ?? baseName(table);
  return Object.fromEntries(
    Object.entries(rootFields).map(([key, [before, after]]) => {
      if (convention === "engine-default") return [key, [before, base, after].filter(Boolean).join("_")];
      const parts = [...words(before), ...(customName !== undefined ? [customName] : words(base)), ...words(after)];
      return [
        key,
        customName !== undefined && before === "" ? customName + words(after).map(upper).join("") : camel(parts),
      ];
    }),
  );
}

/** baseName is a name as those of GraphQL have it, without the schema that goes without saying. */
function baseName(table: Table): string {
  const { schema, dataset, name } = table.table;
  if (dataset !== undefined) return `${dataset}_${name}`;
  return schema === undefined || schema === "public" || schema === "dbo" ? name : `${schema}_${name}`;
}

/** words are the parts of a name between underscores; leading ones stay with the first. */
function words(name: string): string[] {
  const [lead = ""] = /^_*/.exec(name) ?? [];
  const [first = "", ...rest] = name.slice(lead.length).split("_").filter(Boolean);
  return [lead + first, ...rest].filter(Boolean);
}

function camel([first = "", ...rest]: string[]): string {
  return first.replace(/^_*[A-Z]/, (start) => start.toLowerCase()) + rest.map(upper).join("");
}

function upper(word: string): string {
  return word.replace(/^_*[a-z]/, (start) => start.toUpperCase());
}
