import { applyEdits, format as formatJSON } from "jsonc-parser";
import {
  getNamedType,
  isCompositeType,
  isInterfaceType,
  isObjectType,
  Kind,
  parse,
  print,
  type FieldNode,
  type FragmentDefinitionNode,
  type GraphQLCompositeType,
  type GraphQLSchema,
  type SelectionNode,
  type SelectionSetNode,
} from "graphql";
import { format } from "prettier/standalone";
import * as graphql from "prettier/plugins/graphql";

/** prettified is an operation laid out by Prettier, with its comments. It throws when the text can't be parsed. */
export function prettified(query: string): Promise<string> {
  return format(query, { parser: "graphql", plugins: [graphql] });
}

/**
 * merged is a document with the selections of its fragments where they are used. Comments are lost, and so are
 * fragments that aren't used.
 */
export function merged(query: string, schema: GraphQLSchema | undefined): string {
  const document = parse(query);
  const fragments = new Map(
    document.definitions.flatMap((d): [string, FragmentDefinitionNode][] =>
      d.kind === Kind.FRAGMENT_DEFINITION ? [[d.name.value, d]] : [],
    ),
  );
  const kept = new Set<FragmentDefinitionNode>();
  const inline = (
    set: SelectionSetNode,
    parent: GraphQLCompositeType | undefined,
    within: string[],
  ): SelectionSetNode => ({ ...set, selections: joined(set.selections.flatMap((s) => selected(s, parent, within))) });
  const selected = (
    s: SelectionNode,
    parent: GraphQLCompositeType | undefined,
    within: string[],
  ): readonly SelectionNode[] => {
    if (s.kind === Kind.FIELD)
      return [
        s.selectionSet ? { ...s, selectionSet: inline(s.selectionSet, typeOf(parent, s.name.value), within) } : s,
      ];
    const fragment = s.kind === Kind.FRAGMENT_SPREAD ? fragments.get(s.name.value) : s;
    if (s.kind === Kind.FRAGMENT_SPREAD && (!fragment || within.includes(s.name.value))) {
      if (fragment?.kind === Kind.FRAGMENT_DEFINITION) kept.add(fragment);
      return [s]; // the server says that it isn't there, or that it goes in a circle
    }
    const condition = fragment!.typeCondition?.name.value;
    const type = condition === undefined ? parent : named(schema, condition);
    const inner = inline(
      fragment!.selectionSet,
      type,
      s.kind === Kind.FRAGMENT_SPREAD ? [...within, s.name.value] : within,
    );
    if (!s.directives?.length && (condition === undefined || condition === parent?.name)) return inner.selections;
    return [
      {
        kind: Kind.INLINE_FRAGMENT,
        typeCondition: fragment!.typeCondition,
        directives: s.directives,
        selectionSet: inner,
      },
    ];
  };
  const roots = {
    query: schema?.getQueryType(),
    mutation: schema?.getMutationType(),
    subscription: schema?.getSubscriptionType(),
  };
  const operations = document.definitions
    .filter((d) => d.kind === Kind.OPERATION_DEFINITION)
    .map((o) => ({ ...o, selectionSet: inline(o.selectionSet, roots[o.operation] ?? undefined, []) }));
  return print({ kind: Kind.DOCUMENT, definitions: [...operations, ...kept] });
}

/** joined are selections in which fields that are asked for twice in the same way are one. */
function joined(selections: readonly SelectionNode[]): SelectionNode[] {
  const found = new Map<string, SelectionNode>();
  for (const s of selections) {
    const key = s.kind === Kind.FIELD ? print({ ...s, selectionSet: undefined }) : print(s);
    const before = found.get(key) as FieldNode | undefined;
    if (before?.selectionSet && s.kind === Kind.FIELD && s.selectionSet) {
      found.set(key, {
        ...before,
        selectionSet: {
          ...before.selectionSet,
          selections: joined([...before.selectionSet.selections, ...s.selectionSet.selections]),
        },
      });
    } else if (!before) found.set(key, s);
  }
  return [...found.values()];
}

function named(schema: GraphQLSchema | undefined, name: string): GraphQLCompositeType | undefined {
  const type = schema?.getType(name);
  return isCompositeType(type) ? type : undefined;
}

/** typeOf is the type that a field of another one leads to. */
function typeOf(parent: GraphQLCompositeType | undefined, field: string): GraphQLCompositeType | undefined {
  const found = (isObjectType(parent) || isInterfaceType(parent)) && parent.getFields()[field];
  const type = found ? getNamedType(found.type) : undefined;
  return isCompositeType(type) ? type : undefined;
}

/**
 * prettifiedVariables are variables in lines of their own, with their comments; a text that isn't JSON stays as it is.
 */
export function prettifiedVariables(text: string): string {
  return applyEdits(text, formatJSON(text, undefined, { tabSize: 2, insertSpaces: true, keepLines: false }));
}
