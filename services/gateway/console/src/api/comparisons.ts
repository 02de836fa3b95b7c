import { queryOptions } from "@tanstack/react-query";
import type { Server } from "./client";
import { conventionOf, fieldName, typeName, type Convention } from "./names";
import type { Source, Table } from "./types";

/** Comparisons are the operators by the names of fields. */
interface Comparisons {
  convention: Convention;
  operators: Record<string, string[]>;
  /** What columns that refer to an enum can be. */
  values: Record<string, string[]>;
}

/** common are the operators that every kind of sources has, for where the schema doesn't say which. */
const common = ["_eq", "_neq", "_gt", "_lt", "_gte", "_lte", "_in", "_nin", "_is_null"];

/** ofColumns compare with another column; rules alone have them. */
const ofColumns = ["_ceq", "_cneq", "_cgt", "_clt", "_cgte", "_clte"];

interface Answer {
  t?: { inputFields?: { name: string; type: { inputFields?: { name: string; type: { enumValues?: { name: string }[] | null } }[] | null } }[] | null } | null;
}

/** comparisonsQuery asks the schema which operators the fields of a table have: they are those of its kind of sources and of the types. */
export function comparisonsQuery(server: Server, source: Source, table: Table | undefined) {
  return queryOptions({
    queryKey: ["metadata", "comparisons", source.name, table?.table, table?.configuration],
    queryFn: async ({ signal }): Promise<Comparisons> => {
      const convention = conventionOf(await server.config(), source);
      const name = table ? typeName(source, table, convention, "bool_exp") : "";
      const answer = await server.graphql({ query: "query ($name: String!) { t: __type(name: $name) { inputFields { name type { inputFields { name type { enumValues { name } } } } } } }", variables: { name } }, {}, signal);
      const fields = (answer.data as Answer | undefined)?.t?.inputFields ?? [];
      return {
        convention,
        operators: Object.fromEntries(fields.map((f) => [f.name, (f.type.inputFields ?? []).map((i) => i.name)])),
        values: Object.fromEntries(fields.flatMap((f) => {
          const values = f.type.inputFields?.find((i) => i.name === "_eq")?.type.enumValues;
          return values ? [[f.name, values.map((v) => v.name)]] : [];
        })),
      };
    },
  });
}

/** comparisonsOf are the operators of a column or of a computed field. */
export function comparisonsOf(known: Comparisons | undefined, table: Table | undefined, name: string): string[] {
  const found = (known?.operators[table ? fieldName(table, name, known.convention) : name] ?? []).filter((o) => o.startsWith("_"));
  return [...(found.length > 0 ? found : common), ...ofColumns];
}

/** valuesOf are what a column can be that refers to an enum; undefined for others. */
export function valuesOf(known: Comparisons | undefined, table: Table | undefined, name: string): string[] | undefined {
  return known?.values[table ? fieldName(table, name, known.convention) : name];
}
