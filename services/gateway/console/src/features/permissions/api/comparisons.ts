import { queryOptions } from "@tanstack/react-query";
import type { Server } from "../../../lib/http/client";
import { conventionOf, typeName, type Convention } from "../../data/model/names";
import type { Source, Table } from "../../../lib/http/types";

/**
 * Fields are the input types that the schema has for conditions on the fields of a table, by the names of the fields.
 */
export interface Fields {
  convention: Convention;
  types: Record<string, string>;
}

/** Operator compares a value with what it takes: a value, a list of values, or an object with several. */
export interface Operator {
  /** As rules spell it, whatever the naming convention of the schema is. */
  name: string;
  list: boolean;
  /** The types of the parts of an object. */
  parts?: Record<string, string>;
}

/** Comparison is how the values of a type are compared. */
export interface Comparison {
  operators: Operator[];
  /** The type of the values in the schema; undefined for arrays. */
  of?: string;
  /** What a column that refers to an enum can be. */
  values?: string[];
  /** The input types of conditions on the value as another type, by that type. */
  casts: Record<string, string>;
}

const lists = ["_in", "_nin", "_has_keys_any", "_has_keys_all", "_ancestor_any", "_descendant_any", "_matches_any"];
const singles = [
  "_eq",
  "_neq",
  "_gt",
  "_lt",
  "_gte",
  "_lte",
  "_like",
  "_nlike",
  "_ilike",
  "_nilike",
  "_similar",
  "_nsimilar",
  "_regex",
  "_iregex",
  "_nregex",
  "_niregex",
  "_contains",
  "_contained_in",
  "_has_key",
  "_ancestor",
  "_descendant",
  "_matches",
  "_matches_fulltext",
  "_st_contains",
  "_st_crosses",
  "_st_equals",
  "_st_overlaps",
  "_st_touches",
  "_st_within",
  "_st_intersects",
  "_st_3d_intersects",
  "_st_d_within",
  "_st_3d_d_within",
  "_is_null",
];

/** spelled are the operators by their names without what naming conventions change. */
const spelled = new Map([...lists, ...singles].map((o) => [bare(o), o]));

function bare(name: string): string {
  return name.replaceAll("_", "").toLowerCase();
}

/** common is for values whose type the schema doesn't have: operators that every kind of sources has. */
export const common: Comparison = {
  operators: ["_eq", "_neq", "_gt", "_lt", "_gte", "_lte", "_in", "_nin", "_is_null"].map((name) => ({
    name,
    list: lists.includes(name),
  })),
  casts: {},
};

interface TypeRef {
  kind: string;
  name: string | null;
  ofType?: TypeRef | null;
  inputFields?: { name: string; type: TypeRef }[] | null;
  enumValues?: { name: string }[] | null;
}

/** fieldsQuery asks the schema which fields of a table conditions may be about. */
export function fieldsQuery(server: Server, source: Source, table: Table | undefined) {
  return queryOptions({
    queryKey: ["metadata", "fields", source.name, table?.table, table?.configuration],
    queryFn: async ({ signal }): Promise<Fields> => {
      const convention = conventionOf(await server.config(), source);
      const name = table ? typeName(source, table, convention, "bool_exp") : "";
      const fields = await inputFields(server, "type { kind name }", name, signal);
      return { convention, types: Object.fromEntries(fields.map((f) => [f.name, f.type.name ?? ""])) };
    },
  });
}

/**
 * comparisonQuery asks the schema which operators an input type has: they are those of the kind of sources and of the
 * type that is compared.
 */
export function comparisonQuery(server: Server, type: string) {
  return queryOptions({
    queryKey: ["metadata", "comparison", type],
    queryFn: async ({ signal }): Promise<Comparison> => {
      const fields = await inputFields(
        server,
        "type { kind name enumValues { name } inputFields { name type { kind name ofType { kind name } } } ofType { kind name ofType { kind name } } }",
        type,
        signal,
      );
      const equal = fields.find((f) => f.name === "_eq")?.type;
      const casts = fields.find((f) => f.name === "_cast")?.type.inputFields ?? [];
      const operators = fields.flatMap((f): Operator[] => {
        const name = spelled.get(bare(f.name));
        if (!f.name.startsWith("_") || !name) return []; // _cast, and those that rules don't have
        const parts =
          f.type.kind === "INPUT_OBJECT"
            ? Object.fromEntries((f.type.inputFields ?? []).map((p) => [p.name, innermost(p.type)]))
            : undefined;
        return [{ name, list: f.type.kind === "LIST" && lists.includes(name), parts }];
      });
      return {
        operators,
        of: equal?.kind === "LIST" ? undefined : (equal?.name ?? undefined),
        values: equal?.enumValues?.map((v) => v.name),
        casts: Object.fromEntries(casts.map((c) => [c.name, innermost(c.type)])),
      };
    },
  });
}

async function inputFields(
  server: Server,
  selection: string,
  name: string,
  signal: AbortSignal,
): Promise<{ name: string; type: TypeRef }[]> {
  const answer = await server.graphql(
    {
      query: `query ($name: String!) { t: __type(name: $name) { inputFields { name ${selection} } } }`,
      variables: { name },
    },
    {},
    signal,
  );
  return (answer.data as { t?: TypeRef | null } | undefined)?.t?.inputFields ?? [];
}

function innermost(type: TypeRef): string {
  return type.ofType ? innermost(type.ofType) : (type.name ?? "");
}
