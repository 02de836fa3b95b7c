import {
  Kind,
  parse,
  print,
  specifiedScalarTypes,
  type DefinitionNode,
  type DocumentNode,
  type FieldDefinitionNode,
  type InputValueDefinitionNode,
  type NamedTypeNode,
  type TypeDefinitionNode,
  type TypeNode,
} from "graphql";

/** Types are the definitions of a schema by the names of types. */
export type Types = ReadonlyMap<string, TypeDefinitionNode>;

/** Member is what a type consists of: a field, a value, or a type of a union. */
export interface Member {
  name: string;
  /** What it is, for those who read. */
  about: string;
  node:
    | FieldDefinitionNode
    | InputValueDefinitionNode
    | NamedTypeNode
    | { kind: Kind.ENUM_VALUE_DEFINITION; name: { value: string } };
}

/** A list of members, under the key that a definition has them. */
type Holder = {
  fields?: readonly Member["node"][];
  values?: readonly Member["node"][];
  types?: readonly Member["node"][];
};

const scalars = new Set(specifiedScalarTypes.map((t) => t.name));

/** typesIn reads a schema. It throws for text that isn't one. */
export function typesIn(sdl: string): Types {
  return new Map(
    parse(sdl, { noLocation: true }).definitions.flatMap((d) => (isType(d) ? [[d.name.value, d] as const] : [])),
  );
}

/** rootsOf are the names of the types of operations, as a schema says them or by convention. */
export function rootsOf(sdl: string): string[] {
  const said = parse(sdl, { noLocation: true }).definitions.find((d) => d.kind === Kind.SCHEMA_DEFINITION);
  return said ? said.operationTypes.map((o) => o.type.name.value) : ["Query", "Mutation", "Subscription"];
}

/** membersOf lists what a type consists of; a scalar of nothing. */
export function membersOf(type: TypeDefinitionNode): Member[] {
  switch (type.kind) {
    case Kind.ENUM_TYPE_DEFINITION:
      return (type.values ?? []).map((node) => ({ name: node.name.value, about: "", node }));
    case Kind.UNION_TYPE_DEFINITION:
      return (type.types ?? []).map((node) => ({ name: node.name.value, about: "", node }));
    case Kind.SCALAR_TYPE_DEFINITION:
      return [];
    default:
      return ((type.fields ?? []) as readonly (FieldDefinitionNode | InputValueDefinitionNode)[]).map((node) => ({
        name: node.name.value,
        about: print(node.type),
        node,
      }));
  }
}

/**
 * withMember is a part of a schema with another member of a type, and with the types that it needs, as far as they are
 * missing.
 */
export function withMember(part: Types, whole: Types, type: string, member: string): Types {
  const types = new Map(part);
  add(types, whole, type, (m) => m === member);
  return complete(types, whole);
}

/** withType is a part of a schema with all of a type, and with the types that it needs, as far as they are missing. */
export function withType(part: Types, whole: Types, type: string): Types {
  const types = new Map(part);
  add(types, whole, type, () => true);
  return complete(types, whole);
}

/**
 * withoutMember is a part of a schema without a member of a type: without what leads to it, too, when nothing is left
 * of it.
 */
export function withoutMember(part: Types, roots: string[], type: string, member: string): Types {
  const types = new Map(part);
  const from = types.get(type);
  if (from)
    keep(
      types,
      type,
      membersOf(from).filter((m) => m.name !== member),
    );
  return prune(types, roots);
}

/** withoutType is a part of a schema without a type and what leads to it. */
export function withoutType(part: Types, roots: string[], type: string): Types {
  const types = new Map(part);
  types.delete(type);
  return prune(types, roots);
}

/**
 * spelled is the text of a part of a schema, in the order of the whole. Types that the whole doesn't have come last.
 */
export function spelled(part: Types, whole: Types, sdl: string): string {
  const order = [...whole.keys()];
  const place = (name: string) => (order.includes(name) ? order.indexOf(name) : order.length);
  const said = parse(sdl, { noLocation: true }).definitions.find((d) => d.kind === Kind.SCHEMA_DEFINITION);
  const operations = said?.operationTypes.filter((o) => part.has(o.type.name.value)) ?? [];
  const definitions: DefinitionNode[] = [...part.values()].sort((a, b) => place(a.name.value) - place(b.name.value));
  if (said && operations.length > 0) definitions.unshift({ ...said, operationTypes: operations });
  return print({ kind: Kind.DOCUMENT, definitions } satisfies DocumentNode);
}

function isType(d: DefinitionNode): d is TypeDefinitionNode {
  return d.kind.endsWith("TypeDefinition");
}

function keyOf(type: TypeDefinitionNode): keyof Holder {
  if (type.kind === Kind.ENUM_TYPE_DEFINITION) return "values";
  return type.kind === Kind.UNION_TYPE_DEFINITION ? "types" : "fields";
}

/** keep leaves a type with some members; a type without any goes. */
function keep(types: Map<string, TypeDefinitionNode>, name: string, members: Member[]) {
  const type = types.get(name);
  if (!type || type.kind === Kind.SCALAR_TYPE_DEFINITION) return;
  if (members.length === 0) types.delete(name);
  else types.set(name, { ...type, [keyOf(type)]: members.map((m) => m.node) } as TypeDefinitionNode);
}

/** add gives a type members of the whole; those that it has stay as they are, with their presets. */
function add(types: Map<string, TypeDefinitionNode>, whole: Types, name: string, wanted: (member: string) => boolean) {
  const full = whole.get(name);
  if (!full) return;
  const there = types.get(name);
  const has = new Map((there ? membersOf(there) : []).map((m) => [m.name, m]));
  const all = membersOf(full);
  if (!there) types.set(name, full);
  if (full.kind === Kind.SCALAR_TYPE_DEFINITION) return;
  const more = [...has.values()].filter((m) => !all.some((a) => a.name === m.name));
  keep(types, name, [...all.flatMap((m) => has.get(m.name) ?? (wanted(m.name) ? [m] : [])), ...more]);
}

/**
 * complete adds the types that those of a part need: enums and inputs as they are, of others what has no fields of its
 * own.
 */
function complete(types: Map<string, TypeDefinitionNode>, whole: Types): Types {
  for (let before = -1; before !== sizeOf(types);) {
    before = sizeOf(types);
    for (const type of [...types.values()]) {
      for (const name of needsOf(type)) {
        const full = types.has(name) ? undefined : whole.get(name);
        if (full) add(types, whole, name, leavesOf(full, whole));
      }
    }
    // What implements an interface has its fields, and one is of no use without what implements it.
    for (const [name, full] of whole) {
      if (full.kind !== Kind.OBJECT_TYPE_DEFINITION && full.kind !== Kind.INTERFACE_TYPE_DEFINITION) continue;
      for (const {
        name: { value },
      } of full.interfaces ?? []) {
        const fields = new Set(types.has(value) ? membersOf(types.get(value)!).map((m) => m.name) : []);
        if (fields.size > 0) add(types, whole, name, (m) => fields.has(m));
      }
    }
  }
  return implementing(types, whole);
}

function sizeOf(types: Types): number {
  return [...types.values()].reduce((sum, t) => sum + 1 + membersOf(t).length, 0);
}

/**
 * leavesOf picks the members that a type is added with: of objects, those whose values have no fields, or else the
 * first.
 */
function leavesOf(full: TypeDefinitionNode, whole: Types): (member: string) => boolean {
  if (full.kind !== Kind.OBJECT_TYPE_DEFINITION && full.kind !== Kind.INTERFACE_TYPE_DEFINITION) return () => true;
  const leaves = (full.fields ?? []).filter((f) => isLeaf(named(f.type), whole)).map((f) => f.name.value);
  const [first] = full.fields ?? [];
  return (m) => (leaves.length > 0 ? leaves.includes(m) : m === first?.name.value);
}

function isLeaf(name: string, whole: Types): boolean {
  const kind = whole.get(name)?.kind;
  return scalars.has(name) || kind === Kind.SCALAR_TYPE_DEFINITION || kind === Kind.ENUM_TYPE_DEFINITION;
}

/** implementing leaves each type with those of its interfaces that there are and whose fields it has. */
function implementing(types: Map<string, TypeDefinitionNode>, whole?: Types): Types {
  for (const [name, type] of types) {
    if (type.kind !== Kind.OBJECT_TYPE_DEFINITION && type.kind !== Kind.INTERFACE_TYPE_DEFINITION) continue;
    const full = whole?.get(name);
    const interfaces = full && "interfaces" in full ? full.interfaces : type.interfaces;
    const has = new Set(membersOf(type).map((m) => m.name));
    const kept = (interfaces ?? []).filter(
      ({ name: i }) => types.has(i.value) && membersOf(types.get(i.value)!).every((m) => has.has(m.name)),
    );
    types.set(name, { ...type, interfaces: kept });
  }
  return types;
}

/** prune takes away what leads to types that are no more, and then the types that nothing leads to. */
function prune(types: Map<string, TypeDefinitionNode>, roots: string[]): Types {
  const there = (name: string) => scalars.has(name) || types.has(name);
  for (let before = -1; before !== sizeOf(types);) {
    before = sizeOf(types);
    for (const [name, type] of [...types])
      keep(
        types,
        name,
        membersOf(type).filter((m) => needsOfMember(m.node).every(there)),
      );
  }
  const reached = new Set<string>();
  const walk = (name: string) => {
    const type = types.get(name);
    if (!type || reached.has(name)) return;
    reached.add(name);
    needsOf(type).forEach(walk);
    for (const [other, t] of types)
      if ("interfaces" in t && t.interfaces?.some((i) => i.name.value === name)) walk(other);
  };
  roots.forEach(walk);
  for (const name of [...types.keys()]) if (!reached.has(name)) types.delete(name);
  return implementing(types);
}

function needsOf(type: TypeDefinitionNode): string[] {
  return membersOf(type).flatMap((m) => needsOfMember(m.node));
}

function needsOfMember(node: Member["node"]): string[] {
  switch (node.kind) {
    case Kind.NAMED_TYPE:
      return [node.name.value];
    case Kind.ENUM_VALUE_DEFINITION:
      return [];
    case Kind.INPUT_VALUE_DEFINITION:
      return [named(node.type)];
    default:
      return [named(node.type), ...(node.arguments ?? []).map((a) => named(a.type))];
  }
}

function named(type: TypeNode): string {
  return type.kind === Kind.NAMED_TYPE ? type.name.value : named(type.type);
}
