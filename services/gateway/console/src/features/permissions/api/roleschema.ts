import { queryOptions } from "@tanstack/react-query";
import { ApiError, type Server } from "../../../lib/http/client";
import { conventionOf, typeName, type Convention } from "../../data/model/names";
import { inheritedOf, permissionsOf, rulesOf, type Operation, type Parents } from "../model/permissions";
import { headersFor, type RunAs } from "../../../lib/http/runas";
import type { Source, Table } from "../../../lib/http/types";

/** RoleSchema is what the schema of a role has of a table. */
export interface RoleSchema {
  /** The fields of a row with their types; undefined when the role has no type for rows. */
  fields: Map<string, string> | undefined;
  /** The fields that an insert and an update may give a value. */
  insert: Set<string>;
  update: Set<string>;
  roots: RootField[];
  convention: Convention;
}

/** RootField is a field of an operation by which the role reaches the table. */
export interface RootField {
  operation: "query" | "mutation" | "subscription";
  /** With the field around it, when the source has one. */
  name: string;
}

/** A reference to a type; lists and non-null types are around others. */
interface TypeRef {
  kind: string;
  name: string | null;
  ofType?: TypeRef | null;
}

interface FieldAnswer {
  name: string;
  type: TypeRef;
}

interface TypeAnswer {
  fields?: FieldAnswer[] | null;
  inputFields?: { name: string }[] | null;
}

type SeenAnswer = Record<"row" | "insert" | "set", TypeAnswer | null> & {
  __schema: Record<"queryType" | "mutationType" | "subscriptionType", TypeAnswer | null>;
};

const fragment = `fragment F on __Type { fields { name type { kind name ofType { kind name ofType { kind name ofType { kind name } } } } } }`;

/** roleSchemaQuery asks the schema of a role what it has of a table. */
export function roleSchemaQuery(server: Server, source: Source, table: Table, as: RunAs) {
  const headers = headersFor(as);
  return queryOptions({
    queryKey: ["schema", "seen", source.name, table.table, headers],
    queryFn: async ({ signal }): Promise<RoleSchema> => {
      const ask = async <T>(query: string, variables: object): Promise<T> => {
        const answer = await server.graphql({ query, variables }, headers, signal);
        const e = answer.errors?.[0];
        if (e)
          throw new ApiError(
            e.message,
            e.extensions?.code ?? "unexpected",
            e.extensions?.path,
            200,
            e.extensions?.internal,
          );
        return answer.data as T;
      };
      const convention = conventionOf(await server.config(), source);
      const found = await ask<SeenAnswer>(
        `query ($row: String!, $insert: String!, $set: String!) {
          row: __type(name: $row) { ...F }
          insert: __type(name: $insert) { inputFields { name } }
          set: __type(name: $set) { inputFields { name } }
          __schema { queryType { ...F } mutationType { ...F } subscriptionType { ...F } }
        } ${fragment}`,
        {
          row: typeName(source, table, convention),
          insert: typeName(source, table, convention, "insert_input"),
          set: typeName(source, table, convention, "set_input"),
        },
      );
      const types = new Set(
        ["", "aggregate", "mutation_response"].map((suffix) => typeName(source, table, convention, suffix)),
      );
      const roots: RootField[] = [];
      for (const operation of ["query", "mutation", "subscription"] as const) {
        const fields = found.__schema[`${operation}Type`]?.fields ?? [];
        const add = (list: FieldAnswer[], before: string) => {
          for (const f of list)
            if (types.has(named(f.type).name ?? "")) roots.push({ operation, name: before + f.name });
        };
        add(fields, "");
        const around = fields.find((f) => f.name === source.customization?.root_fields?.namespace);
        if (around) {
          const inner = await ask<{ t: TypeAnswer | null }>(
            `query ($name: String!) { t: __type(name: $name) { ...F } } ${fragment}`,
            { name: named(around.type).name },
          );
          add(inner.t?.fields ?? [], `${around.name}.`);
        }
      }
      const inputs = (t: TypeAnswer | null) => new Set((t?.inputFields ?? []).map((f) => f.name));
      return {
        fields: found.row ? new Map((found.row.fields ?? []).map((f) => [f.name, spelled(f.type)])) : undefined,
        insert: inputs(found.insert),
        update: inputs(found.set),
        roots,
        convention,
      };
    },
  });
}

function named(type: TypeRef): TypeRef {
  return type.ofType ? named(type.ofType) : type;
}

function spelled(type: TypeRef): string {
  if (type.kind === "NON_NULL" && type.ofType) return `${spelled(type.ofType)}!`;
  if (type.kind === "LIST" && type.ofType) return `[${spelled(type.ofType)}]`;
  return type.name ?? "…"; // deeper than what was requested
}

/** effectiveOf are the permissions that a role has by itself, or else by the roles that it inherits from. */
export function effectiveOf(
  table: Table,
  operation: Operation,
  role: string,
  parents: Parents,
): Record<string, unknown>[] {
  const permissions = permissionsOf(table, operation);
  const own = permissions.find((p) => p.role === role);
  return (own ? [own] : inheritedOf(permissions, role, parents, new Set())).flatMap((p) => rulesOf(p.permission));
}

/** variablesIn are the names of the session variables that a part of a permission uses, in lower case. */
export function variablesIn(part: unknown): string[] {
  const found = new Set<string>();
  const walk = (p: unknown) => {
    if (typeof p === "string" && /^x-engine-/i.test(p)) found.add(p.toLowerCase());
    else if (typeof p === "object" && p !== null) Object.values(p).forEach(walk);
  };
  walk(part);
  return [...found].sort();
}
