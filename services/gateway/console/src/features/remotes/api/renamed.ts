import {
  isInterfaceType,
  isIntrospectionType,
  isObjectType,
  isSpecifiedScalarType,
  type GraphQLNamedType,
  type GraphQLSchema,
} from "graphql";
import type { RemoteCustomization } from "../../../lib/http/types";

/** Renamed is a type with its name in the API, and its fields that have another one there. */
export interface Renamed {
  remote: string;
  name: string;
  fields: { remote: string; name: string }[];
}

/** Names are those that a remote schema gets. */
export interface Names {
  /** Of the root fields, by the operation, and the field that they are below, if there is one. */
  namespace: string | undefined;
  roots: { operation: string; fields: { remote: string; name: string }[] }[];
  types: Renamed[];
  /** Names that more than one type, or field of a type, would have. */
  twice: string[];
}

/** namesOf are the names that a customization gives, by the rules of the server. */
export function namesOf(schema: GraphQLSchema, customization: RemoteCustomization): Names {
  const { root_fields_namespace: namespace = "", type_names: names = {}, field_names = [] } = customization;
  const roots = [
    ["query", schema.getQueryType()],
    ["mutation", schema.getMutationType()],
    ["subscription", schema.getSubscriptionType()],
  ] as const;
  const isRoot = (t: GraphQLNamedType) => roots.some(([, root]) => root === t);
  const typeName = (t: GraphQLNamedType) => {
    const mapped = names.mapping?.[t.name];
    if (mapped !== undefined) return mapped;
    if (isRoot(t)) return namespace + t.name;
    return `${names.prefix ?? ""}${t.name}${names.suffix ?? ""}`;
  };
  const fieldsOf = (t: GraphQLNamedType) => {
    const own = field_names.findLast((f) => f.parent_type === t.name);
    return isObjectType(t) || isInterfaceType(t)
      ? Object.keys(t.getFields()).map((remote) => ({
          remote,
          name: own?.mapping?.[remote] ?? `${own?.prefix ?? ""}${remote}${own?.suffix ?? ""}`,
        }))
      : [];
  };
  const all = Object.values(schema.getTypeMap())
    .filter((t) => !isIntrospectionType(t) && !isSpecifiedScalarType(t))
    .map((t) => ({ remote: t.name, name: typeName(t), fields: fieldsOf(t) }));
  const repeated = (list: string[]) => [...new Set(list.filter((n, i) => list.indexOf(n) !== i))];
  return {
    namespace: namespace || undefined,
    roots: roots.flatMap(([operation, type]) => (type ? [{ operation, fields: fieldsOf(type) }] : [])),
    types: all.map((t) => ({ ...t, fields: t.fields.filter((f) => f.name !== f.remote) })),
    twice: [
      ...repeated(all.map((t) => t.name)),
      ...all.flatMap((t) => repeated(t.fields.map((f) => f.name)).map((f) => `${t.name}.${f}`)),
    ],
  };
}
