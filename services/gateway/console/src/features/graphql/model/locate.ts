import {
  parse,
  type ASTNode,
  type DocumentNode,
  type FieldNode,
  type FragmentDefinitionNode,
  type OperationDefinitionNode,
  type SelectionSetNode,
  type ValueNode,
} from "graphql";
import type { GraphQLErrorItem } from "../../../lib/http/client";

/** Place is a part of a text. */
export interface Place {
  from: number;
  to: number;
}

/**
 * placeOf is where an error is in an operation: by its locations, by the path that the server's errors have, as in
 * $.selectionSet.author.args.where, or by that of a result.
 */
export function placeOf(query: string, operationName: string | undefined, error: GraphQLErrorItem): Place | undefined {
  let document: DocumentNode;
  try {
    document = parse(query);
  } catch (e) {
    const [at] = (e as { positions?: number[] }).positions ?? [];
    return at === undefined
      ? undefined
      : { from: Math.min(at, Math.max(0, query.length - 1)), to: Math.min(at + 1, query.length) };
  }
  const [location] = error.locations ?? [];
  if (location) return placeAt(query, location.line, location.column);
  const operations = document.definitions.filter((d): d is OperationDefinitionNode => d.kind === "OperationDefinition");
  const operation = operations.find((o) => o.name?.value === operationName) ?? operations[0];
  if (!operation) return undefined;
  const steps = Array.isArray(error.path)
    ? error.path.filter((p): p is string => typeof p === "string").flatMap((p) => ["selectionSet", p])
    : stepsOf(error.extensions?.path);
  if (steps.length === 0) return undefined;
  const fragments = new Map(
    document.definitions.flatMap((d) => (d.kind === "FragmentDefinition" ? [[d.name.value, d]] : [])),
  );
  return nodeAt(operation, steps, fragments);
}

/** stepsOf reads a path, as in $.selectionSet.author.args.where.id["a b"][0]. */
function stepsOf(path: string | undefined): string[] {
  if (!path?.startsWith("$.selectionSet")) return [];
  return [...path.slice(1).matchAll(/\["([^"]*)"\]|\[(\d+)\]|([^.[\]]+)/g)].map((m) => m[1] ?? m[2] ?? m[3]!);
}

/** nodeAt follows a path as far as the text has it. */
function nodeAt(
  operation: OperationDefinitionNode,
  steps: string[],
  fragments: Map<string, FragmentDefinitionNode>,
): Place | undefined {
  let found: ASTNode | undefined;
  let selections: SelectionSetNode | undefined = operation.selectionSet;
  for (let i = 0; i < steps.length; i++) {
    if (steps[i] !== "selectionSet") {
      if (steps[i] !== "args" || found?.kind !== "Field") break;
      const argument: FieldNode["arguments"] extends readonly (infer A)[] | undefined ? A | undefined : never =
        found.arguments?.find((a) => a.name.value === steps[i + 1]);
      if (argument)
        return argument.value.kind === "Variable"
          ? place(argument)
          : (inValue(argument.value, steps.slice(i + 2)) ?? place(argument));
      break;
    }
    const next: FieldNode | undefined = selections && fieldIn(selections, steps[++i] ?? "", fragments, new Set());
    if (!next) break;
    found = next;
    selections = next.selectionSet;
  }
  return found?.kind === "Field" ? place(found.name) : undefined;
}

/** fieldIn finds the field of a name in an answer, in fragments, too. */
function fieldIn(
  set: SelectionSetNode,
  name: string,
  fragments: Map<string, FragmentDefinitionNode>,
  seen: Set<string>,
): FieldNode | undefined {
  for (const s of set.selections) {
    if (s.kind === "Field") {
      if ((s.alias ?? s.name).value === name) return s;
      continue;
    }
    if (s.kind === "FragmentSpread") {
      if (seen.has(s.name.value)) continue;
      seen.add(s.name.value);
    }
    const inner = s.kind === "InlineFragment" ? s.selectionSet : fragments.get(s.name.value)?.selectionSet;
    const found = inner && fieldIn(inner, name, fragments, seen);
    if (found) return found;
  }
  return undefined;
}

function inValue(value: ValueNode, steps: string[]): Place | undefined {
  const [step, ...rest] = steps;
  if (step === undefined) return place(value);
  if (value.kind === "ListValue")
    return value.values[Number(step)] ? inValue(value.values[Number(step)]!, rest) : place(value);
  if (value.kind !== "ObjectValue") return place(value);
  const field = value.fields.find((f) => f.name.value === step);
  if (!field) return place(value);
  return rest.length === 0 ? place(field) : inValue(field.value, rest);
}

function place(node: ASTNode): Place | undefined {
  return node.loc && { from: node.loc.start, to: node.loc.end };
}

/** placeAt is the word at a line and a column, both from 1. */
function placeAt(query: string, line: number, column: number): Place | undefined {
  const from =
    query
      .split("\n")
      .slice(0, line - 1)
      .reduce((sum, l) => sum + l.length + 1, 0) +
    column -
    1;
  if (from > query.length) return undefined;
  return { from, to: from + (/^\w+/.exec(query.slice(from))?.[0].length ?? 1) };
}
