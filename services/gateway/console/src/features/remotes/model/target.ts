import {
  getNamedType,
  getNullableType,
  isEnumType,
  isInputObjectType,
  isListType,
  type GraphQLInputType,
} from "graphql";
import { isRule } from "../../permissions/model/rule";

/**
 * Call is a field on the way to the one that a relationship leads to, with the arguments that the relationship gives
 * it.
 */
export interface Call {
  name: string;
  given: Record<string, unknown>;
}

/** callsOf reads a way as the metadata has it, from the root on; undefined for what isn't one. */
export function callsOf(field: unknown): Call[] | undefined {
  if (field === undefined || field === null) return [];
  if (!isRule(field)) return undefined;
  const [entry, ...others] = Object.entries(field);
  if (!entry || others.length > 0) return undefined;
  const [name, call] = entry;
  if (!isRule(call) || Object.keys(call).some((k) => k !== "arguments" && k !== "field")) return undefined;
  const given = call.arguments ?? {};
  const rest = callsOf(call.field);
  return isRule(given) && rest ? [{ name, given }, ...rest] : undefined;
}

/** wayOf writes calls as the metadata has them. */
export function wayOf(calls: Call[]): Record<string, unknown> | undefined {
  const [first, ...rest] = calls;
  return first && { [first.name]: { arguments: first.given, ...(rest.length > 0 && { field: wayOf(rest) }) } };
}

/** isReference reports whether a value is that of a field of the left side. */
export function isReference(part: unknown): part is string {
  return typeof part === "string" && part.startsWith("$");
}

/** referencesOf are the fields of the left side that a part uses. */
export function referencesOf(part: unknown): string[] {
  if (isReference(part)) return [part.slice(1)];
  if (typeof part !== "object" || part === null) return [];
  return [...new Set(Object.values(part).flatMap(referencesOf))];
}

/**
 * leftOf are the fields of the left side that a definition names: those that the way uses, and those that the old one
 * didn't use either.
 */
export function leftOf(named: unknown, before: unknown, after: unknown): string[] {
  const [used, uses] = [referencesOf(before), referencesOf(after)];
  const kept = (Array.isArray(named) ? (named as string[]) : []).filter((f) => uses.includes(f) || !used.includes(f));
  return [...new Set([...kept, ...uses])];
}

/** How is what an argument gets. */
export type How = "nothing" | "field" | "value" | "list" | "object" | "other";

export function howOf(part: unknown, type: GraphQLInputType): How {
  if (part === undefined) return "nothing";
  if (isReference(part)) return "field";
  if (Array.isArray(part)) return part.length <= 1 && isListType(getNullableType(type)) ? "list" : "other";
  if (isRule(part)) return isInputObjectType(getNullableType(type)) ? "object" : "other";
  return part === null ? "other" : "value";
}

/** waysOf are what an argument of a type can get. The server takes no values for enums, and lists of one. */
export function waysOf(type: GraphQLInputType): How[] {
  const own = getNullableType(type);
  if (isListType(own)) return ["nothing", "field", "list"];
  if (isInputObjectType(own)) return ["nothing", "field", "object"];
  return isEnumType(own) ? ["nothing", "field"] : ["nothing", "field", "value"];
}

/** startOf is what an argument gets at first. */
export function startOf(how: How, type: GraphQLInputType, left: string | undefined): unknown {
  switch (how) {
    case "field":
      return `$${left ?? ""}`;
    case "list":
      return [];
    case "object":
      return {};
    case "value":
      return getNamedType(type).name === "Boolean" ? true : "";
  }
  return undefined;
}

const number = /^-?(0|[1-9]\d*)(\.\d+)?([eE][-+]?\d+)?$/;

/**
 * literalOf reads a value that was typed. Scalars of the remote's own take numbers and booleans as such; other texts,
 * or what is quoted, are texts.
 */
export function literalOf(text: string, type: GraphQLInputType): unknown {
  const { name } = getNamedType(type);
  if (name === "Int" || name === "Float") return number.test(text) ? Number(text) : text;
  if (name === "String" || name === "ID") return text;
  if (number.test(text) || text === "true" || text === "false") return JSON.parse(text);
  return /^".*"$/.test(text) ? quoted(text) : text;
}

function quoted(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** typedAs is the text that is read as a value. */
export function typedAs(part: unknown, type: GraphQLInputType): string {
  const text = String(part);
  return typeof part === "string" && literalOf(text, type) !== part ? JSON.stringify(part) : text;
}

/** problemOf is what is wrong with a value, by the types alone. */
export function problemOf(part: unknown, type: GraphQLInputType, left: string[]): string | undefined {
  if (part === undefined) return undefined;
  if (isReference(part))
    return left.length > 0 && !left.includes(part.slice(1))
      ? `There is no ${part.slice(1) || "such field"} here.`
      : undefined;
  const { name } = getNamedType(type);
  if (part === null) return "Null can't be given.";
  if (Array.isArray(part) && part.length > 1) return "A list can have one element.";
  if (isEnumType(getNamedType(type)) && typeof part === "string") return "The value of an enum can't be given.";
  const number = name === "Int" ? Number.isInteger(part) : name === "Float" ? typeof part === "number" : undefined;
  return number === false && !Array.isArray(part) && !isRule(part) ? `This is no ${name}.` : undefined;
}
