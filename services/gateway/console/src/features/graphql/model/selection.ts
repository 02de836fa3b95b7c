import {
  getNamedType,
  getNullableType,
  isCompositeType,
  isEnumType,
  isInputObjectType,
  isInterfaceType,
  isLeafType,
  isListType,
  isNonNullType,
  isObjectType,
  isScalarType,
  type ArgumentNode,
  type FieldNode,
  type GraphQLArgument,
  type GraphQLField,
  type GraphQLInputField,
  type GraphQLInputType,
  type GraphQLNamedType,
  type InlineFragmentNode,
  type ObjectFieldNode,
  type ObjectValueNode,
  type OperationDefinitionNode,
  type OperationTypeNode,
  type SelectionSetNode,
  type ValueNode,
} from "graphql";

/** Parent is what can have selections. */
export type Parent = OperationDefinitionNode | FieldNode | InlineFragmentNode;

/** Holder is what has arguments or fields of an input. */
export type Holder = FieldNode | ObjectValueNode;

const step = "  ";

/**
 * fieldText is a field as it is added: with the arguments that it needs, and, unless there are selections, with a first
 * one.
 */
export function fieldText(field: GraphQLField<unknown, unknown>, selections?: string): string {
  const needed = field.args.filter(isNeeded).map((a) => `${a.name}: ${literalOf(a.type)}`);
  const inner = selections ?? firstOf(getNamedType(field.type));
  return `${field.name}${needed.length > 0 ? `(${needed.join(", ")})` : ""}${inner === undefined ? "" : ` ${block(inner)}`}`;
}

/** fragmentText is an inline fragment on a type. */
export function fragmentText(type: GraphQLNamedType, selections?: string): string {
  return `... on ${type.name} ${block(selections ?? firstOf(type) ?? "__typename")}`;
}

function block(inner: string): string {
  return `{\n${step}${inner.replaceAll("\n", `\n${step}`)}\n}`;
}

/**
 * firstOf is what is selected of a type at first: its id, or another field that is a value; undefined for types without
 * fields.
 */
function firstOf(type: GraphQLNamedType): string | undefined {
  if (!isCompositeType(type)) return undefined;
  const fields = isObjectType(type) || isInterfaceType(type) ? Object.values(type.getFields()) : [];
  const values = fields.filter((f) => isLeafType(getNamedType(f.type)) && !f.args.some(isNeeded));
  return (values.find((f) => f.name === "id") ?? values[0])?.name ?? "__typename";
}

function isNeeded(a: GraphQLArgument | GraphQLInputField): boolean {
  return isNonNullType(a.type) && a.defaultValue === undefined;
}

const numbers = new Set([
  "Int",
  "Float",
  "bigint",
  "smallint",
  "numeric",
  "float8",
  "float4",
  "real",
  "decimal",
  "money",
]);

/** literalOf is a value to begin with. */
export function literalOf(type: GraphQLInputType): string {
  const nullable = getNullableType(type);
  if (isListType(nullable))
    return isInputObjectType(getNamedType(type)) ? literalOf(nullable.ofType as GraphQLInputType) : "[]";
  if (isInputObjectType(nullable))
    return `{${Object.values(nullable.getFields())
      .filter(isNeeded)
      .map((f) => `${f.name}: ${literalOf(f.type)}`)
      .join(", ")}}`;
  if (isEnumType(nullable)) return nullable.getValues()[0]?.name ?? "null";
  if (!isScalarType(nullable)) return "null";
  if (nullable.name === "Boolean") return "true";
  return numbers.has(nullable.name) ? "0" : '""';
}

/** literalFor is what was typed as a value of a type: a variable, a list, or a value. */
export function literalFor(text: string, type: GraphQLInputType): string {
  const typed = text.trim();
  if (/^\$[_A-Za-z]\w*$/.test(typed) || typed === "null") return typed;
  const nullable = getNullableType(type);
  if (isListType(nullable))
    return `[${typed
      .replace(/^\[|\]$/g, "")
      .split(",")
      .map((t) => t.trim())
      .filter(Boolean)
      .map((t) => literalFor(t.replace(/^"(.*)"$/, "$1"), nullable.ofType as GraphQLInputType))
      .join(", ")}]`;
  const name = getNamedType(type).name;
  if (isEnumType(nullable)) return typed;
  if (name === "Boolean" || name === "Int" || name === "Float")
    return /^[-+.\w]+$/.test(typed) ? typed : JSON.stringify(text);
  if (numbers.has(name) && /^-?\d+(\.\d+)?$/.test(typed)) return typed;
  if (/^(json|jsonb|JSON)$/.test(name) && /^(\{[^]*\}|\[[^]*\]|-?\d+(\.\d+)?|true|false)$/.test(typed)) return typed;
  return JSON.stringify(text);
}

/** typedOf is a value as it is typed. */
export function typedOf(query: string, value: ValueNode): string {
  if (value.kind === "StringValue") return value.value;
  if (value.kind === "ListValue") return value.values.map((v) => typedOf(query, v)).join(", ");
  return textOf(query, value);
}

/** textOf is the text of a node. */
export function textOf(query: string, node: { loc?: { start: number; end: number } }): string {
  return query.slice(node.loc!.start, node.loc!.end);
}

/** withSelection is the text with one more selection. */
export function withSelection(query: string, parent: Parent, text: string): string {
  const set = parent.selectionSet;
  if (!set)
    return splice(
      query,
      parent.loc!.end,
      parent.loc!.end,
      ` ${indented(block(text), indentAt(query, parent.loc!.start))}`,
    );
  const last = set.selections.at(-1)!.loc!.end;
  if (!textOf(query, set).includes("\n") && !text.includes("\n")) return splice(query, last, last, ` ${text}`);
  const indent = textOf(query, set).includes("\n")
    ? indentAt(query, set.selections.at(-1)!.loc!.start)
    : indentAt(query, set.loc!.start) + step;
  return splice(query, last, last, `\n${indent}${indented(text, indent)}`);
}

/**
 * withoutSelection is the text without the last of a line of selections, each in the one before; those that would be
 * empty go, too.
 */
export function withoutSelection(query: string, line: Parent[]): string {
  const node = line.at(-1)!;
  const parent = line.at(-2);
  const set: SelectionSetNode | undefined = parent?.selectionSet;
  if (parent && set && set.selections.length === 1) return withoutSelection(query, line.slice(0, -1));
  const { start, end } = node.loc!;
  let from = start;
  while (from > 0 && /[\s,]/.test(query[from - 1]!)) from--;
  if (!parent) return (query.slice(0, from) + query.slice(end)).trimStart();
  // What follows must become neither part of a comment nor of a name before.
  const commented = query.slice(query.lastIndexOf("\n", from - 1) + 1, from).includes("#");
  if (commented && query[end] !== "\n") from = start;
  return splice(query, from, end, /\w/.test(query[end] ?? "") ? " " : "");
}

/** withArgument is the text with one more argument, or field of an input. */
export function withArgument(query: string, holder: Holder, text: string): string {
  const list: readonly (ArgumentNode | ObjectFieldNode)[] =
    (holder.kind === "Field" ? holder.arguments : holder.fields) ?? [];
  const last = list.at(-1)?.loc!.end;
  if (last !== undefined) return splice(query, last, last, `, ${text}`);
  if (holder.kind === "ObjectValue") return splice(query, holder.loc!.start, holder.loc!.end, `{${text}}`);
  const after = holder.name.loc!.end;
  return splice(query, after, after, `(${text})`);
}

/** withoutArgument is the text without an argument, or a field of an input. */
export function withoutArgument(query: string, holder: Holder, argument: ArgumentNode | ObjectFieldNode): string {
  const list: readonly (ArgumentNode | ObjectFieldNode)[] =
    (holder.kind === "Field" ? holder.arguments : holder.fields) ?? [];
  const at = list.indexOf(argument);
  if (list.length > 1)
    return at === 0
      ? splice(query, argument.loc!.start, list[1]!.loc!.start, "")
      : splice(query, list[at - 1]!.loc!.end, argument.loc!.end, "");
  if (holder.kind === "ObjectValue") return splice(query, holder.loc!.start, holder.loc!.end, "{}");
  const close = query.indexOf(")", argument.loc!.end); // comments between may have one: they go with it
  return splice(query, holder.name.loc!.end, close + 1, "");
}

/** withValue is the text with another value in the place of one. */
export function withValue(query: string, value: ValueNode, text: string): string {
  return splice(query, value.loc!.start, value.loc!.end, text);
}

/** declared is the text of an operation that declares a variable that it uses. */
export function declared(query: string, operation: OperationDefinitionNode, variable: string, type: string): string {
  const list = operation.variableDefinitions ?? [];
  if (list.some((v) => v.variable.name.value === variable)) return query;
  const last = list.at(-1)?.loc!.end;
  if (last !== undefined) return splice(query, last, last, `, $${variable}: ${type}`);
  if (operation.name) return splice(query, operation.name.loc!.end, operation.name.loc!.end, `($${variable}: ${type})`);
  const start = operation.loc!.start;
  if (query[start] === "{") return splice(query, start, start, `query ($${variable}: ${type}) `);
  return splice(query, start, start + operation.operation.length, `${operation.operation} ($${variable}: ${type})`);
}

/**
 * withOperation is the text with one more operation. All have names then, as GraphQL wants it of several; name is that
 * of the new one.
 */
export function withOperation(
  query: string,
  operations: readonly OperationDefinitionNode[],
  kind: OperationTypeNode,
  selections: string,
): { query: string; name: string } {
  const names = new Set(operations.map((o) => o.name?.value));
  const fresh = (of: `${OperationTypeNode}`) => {
    const base = `My${of[0]!.toUpperCase()}${of.slice(1)}`;
    for (let i = 1; ; i++) {
      const name = i === 1 ? base : `${base}${i}`;
      if (!names.has(name)) return (names.add(name), name);
    }
  };
  let text = query;
  for (const o of [...operations].reverse()) {
    if (o.name) continue;
    const { start } = o.loc!;
    text =
      text[start] === "{"
        ? splice(text, start, start, `query ${fresh("query")} `)
        : splice(text, start, start + o.operation.length, `${o.operation} ${fresh(o.operation)}`);
  }
  const name = fresh(kind);
  const before = text.trimEnd();
  return { query: `${before}${before ? "\n\n" : ""}${kind} ${name} ${block(selections)}\n`, name };
}

function splice(text: string, from: number, to: number, insert: string): string {
  return text.slice(0, from) + insert + text.slice(to);
}

/** indentAt is what the line of an offset begins with. */
function indentAt(text: string, at: number): string {
  return /^[ \t]*/.exec(text.slice(text.lastIndexOf("\n", at - 1) + 1))![0];
}

function indented(text: string, indent: string): string {
  return text.replaceAll("\n", `\n${indent}`);
}
