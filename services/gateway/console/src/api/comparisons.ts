import { queryOptions } from "@tanstack/react-query";
import type { Server } from "./client";
import type { Source, Table } from "./types";

/** Comparisons are the operators by the names of fields. */
type Comparisons = Record<string, string[]>;

/** common are the operators that every kind of sources has, for where the schema doesn't say which. */
const common = ["_eq", "_neq", "_gt", "_lt", "_gte", "_lte", "_in", "_nin", "_is_null"];

/** ofColumns compare with another column; rules alone have them. */
const ofColumns = ["_ceq", "_cneq", "_cgt", "_clt", "_cgte", "_clte"];

interface Answer {
  t?: { inputFields?: { name: string; type: { inputFields?: { name: string }[] | null } }[] | null } | null;
}

/** comparisonsQuery asks the schema which operators the fields of a table have: they are those of its kind of sources and of the types. */
export function comparisonsQuery(server: Server, source: Source, table: Table | undefined) {
  const name = table ? `${typeOf(source, table)}_bool_exp` : "";
  return queryOptions({
    queryKey: ["metadata", "comparisons", source.name, name],
    queryFn: async ({ signal }): Promise<Comparisons> => {
      const answer = await server.graphql({ query: "query ($name: String!) { t: __type(name: $name) { inputFields { name type { inputFields { name } } } } }", variables: { name } }, {}, signal);
      const fields = (answer.data as Answer | undefined)?.t?.inputFields ?? [];
      return Object.fromEntries(fields.map((f) => [f.name, (f.type.inputFields ?? []).map((i) => i.name)]));
    },
  });
}

/** comparisonsOf are the operators of a column or of a computed field. */
export function comparisonsOf(known: Comparisons | undefined, table: Table | undefined, name: string): string[] {
  const configuration = table?.configuration;
  const field = configuration?.column_config?.[name]?.custom_name ?? configuration?.custom_column_names?.[name] ?? name;
  const found = (known?.[field] ?? []).filter((o) => o.startsWith("_"));
  return [...(found.length > 0 ? found : common), ...ofColumns];
}

/** typeOf is the name of a table's type in the schema, without a naming convention of the source. */
function typeOf(source: Source, table: Table): string {
  const { prefix = "", suffix = "" } = source.customization?.type_names ?? {};
  const { schema, name } = table.table;
  const plain = schema === undefined || schema === "public" || schema === "dbo" ? name : `${schema}_${name}`;
  return `${prefix}${table.configuration?.custom_name ?? plain}${suffix}`;
}
