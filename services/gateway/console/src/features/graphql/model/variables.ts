import type { Completion, CompletionContext, CompletionResult } from "@codemirror/autocomplete";
import { json, jsonLanguage } from "@codemirror/lang-json";
import { linter, type Diagnostic } from "@codemirror/lint";
import type { Extension } from "@codemirror/state";
import {
  coerceInputValue,
  getNamedType,
  getNullableType,
  isEnumType,
  isInputObjectType,
  isInputType,
  isListType,
  isNonNullType,
  parse,
  typeFromAST,
  type GraphQLInputType,
  type GraphQLSchema,
} from "graphql";
import {
  findNodeAtLocation,
  getLocation,
  parseTree,
  printParseErrorCode,
  type Node,
  type ParseError,
} from "jsonc-parser";

/** shownProblems bounds what is marked at once. */
const shownProblems = 50;

interface Variable {
  type: GraphQLInputType;
  /** It has to be given. */
  needed: boolean;
}

/** variableEditor is what an editor of variables knows: JSON with comments, and the variables that an operation has. */
export function variableEditor(
  schema: GraphQLSchema | undefined,
  query: string,
  operationName: string | undefined,
): Extension {
  const variables = schema ? declared(schema, query, operationName) : undefined;
  return [
    json(),
    linter((view) => problems(view.state.doc.toString(), variables)),
    jsonLanguage.data.of({
      autocomplete: (context: CompletionContext) => (variables ? completions(context, variables) : null),
    }),
  ];
}

/** declared are the variables of an operation by their names; undefined when it can't be parsed. */
function declared(
  schema: GraphQLSchema,
  query: string,
  operationName: string | undefined,
): Map<string, Variable> | undefined {
  try {
    const operations = parse(query).definitions.filter((d) => d.kind === "OperationDefinition");
    const operation = operations.find((o) => o.name?.value === operationName) ?? operations[0];
    const found = new Map<string, Variable>();
    for (const v of operation?.variableDefinitions ?? []) {
      const type = typeFromAST(schema, v.type);
      if (isInputType(type)) found.set(v.variable.name.value, { type, needed: isNonNullType(type) && !v.defaultValue });
    }
    return found;
  } catch {
    return undefined;
  }
}

/** problems are what is wrong with variables: as JSON, or as those of an operation. */
function problems(text: string, variables: Map<string, Variable> | undefined): Diagnostic[] {
  if (text.trim() === "") return []; // the server says which are missing
  const found: Diagnostic[] = [];
  const faults: ParseError[] = [];
  const tree = parseTree(text, faults);
  const mark = (from: number, to: number, message: string, severity: "error" | "warning" = "error") =>
    found.push({ from, to: Math.min(Math.max(to, from), text.length), severity, message });
  for (const f of faults)
    mark(Math.min(f.offset, text.length), f.offset + f.length, words(printParseErrorCode(f.error)));
  if (faults.length > 0) return found.slice(0, shownProblems);
  if (!variables) return found;
  const missing = [...variables]
    .filter(([name, v]) => v.needed && !(tree && findNodeAtLocation(tree, [name])))
    .map(([name, v]) => `${name}: ${String(v.type)}`);
  if (missing.length > 0) mark(0, Math.min(1, text.length), `There is no value for ${missing.join(", ")}.`);
  for (const property of tree?.type === "object" ? (tree.children ?? []) : []) {
    const [key, value] = property.children ?? [];
    const variable = variables.get(String(key?.value));
    if (!key || !value) continue;
    if (!variable)
      mark(key.offset, key.offset + key.length, `The operation has no variable ${String(key.value)}.`, "warning");
    else
      coerceInputValue(valueOf(value), variable.type, (path, _, error) => {
        const node = findNodeAtLocation(value, [...path]) ?? value;
        mark(node.offset, node.offset + node.length, error.message);
      });
  }
  return found.slice(0, shownProblems);
}

/** completions are the names of variables and of fields of inputs, and the values of enums. */
function completions(context: CompletionContext, variables: Map<string, Variable>): CompletionResult | null {
  const text = context.state.doc.toString();
  const location = getLocation(text, context.pos);
  const path = location.path;
  const word = context.matchBefore(/"?[\w$]*$/);
  if (!word || (word.text === "" && !context.explicit)) return null;
  const typed = text.slice(context.pos).startsWith('"') ? 1 : 0;
  const result = (options: Completion[]): CompletionResult => ({
    from: word.from,
    to: context.pos + (word.text.startsWith('"') ? typed : 0),
    options,
    validFor: /^"?[\w$]*$/,
  });
  if (path.length === 0 || location.isAtPropertyKey) {
    const fields =
      path.length <= 1
        ? [...variables].map(([name, v]): [string, GraphQLInputType] => [name, v.type])
        : fieldsOf(typeAt(variables, path.slice(0, -1)));
    const begun = path.length === 0 && !/^\s*\{/.test(text);
    return result(
      fields.map(([name, type]) => ({
        label: JSON.stringify(name),
        apply: begun ? `{${JSON.stringify(name)}: }` : `${JSON.stringify(name)}: `,
        detail: String(type),
        type: "property",
      })),
    );
  }
  const type = typeAt(variables, path);
  const named = type && getNamedType(type);
  if (isEnumType(named))
    return result(
      named
        .getValues()
        .map((v) => ({ label: JSON.stringify(v.name), detail: v.description ?? undefined, type: "enum" })),
    );
  if (named?.name === "Boolean") return result(["true", "false"].map((label) => ({ label, type: "keyword" })));
  if (type && isInputObjectType(getNullableType(type)))
    return result([{ label: "{}", detail: String(type), type: "type" }]);
  return null;
}

/** typeAt is the type of the value at a path. */
function typeAt(variables: Map<string, Variable>, path: (string | number)[]): GraphQLInputType | undefined {
  let type: GraphQLInputType | undefined = variables.get(String(path[0]))?.type;
  for (const step of path.slice(1)) {
    const nullable = type && getNullableType(type);
    if (typeof step === "number") type = isListType(nullable) ? (nullable.ofType as GraphQLInputType) : type;
    else type = fieldsOf(nullable).find(([name]) => name === step)?.[1];
  }
  return type;
}

/** fieldsOf are the fields of an input, also of one in a list, as which a single value is taken. */
function fieldsOf(type: GraphQLInputType | undefined): [string, GraphQLInputType][] {
  const named = type && getNamedType(type);
  return isInputObjectType(named) ? Object.values(named.getFields()).map((f) => [f.name, f.type]) : [];
}

function valueOf(node: Node): unknown {
  if (node.type === "array") return (node.children ?? []).map(valueOf);
  if (node.type === "object")
    return Object.fromEntries(
      (node.children ?? []).flatMap(({ children: [key, value] = [] }) =>
        key && value ? [[String(key.value), valueOf(value)]] : [],
      ),
    );
  return node.value as unknown;
}

/** words are those of a code such as PropertyNameExpected. */
function words(code: string): string {
  return code.replace(/(?!^)[A-Z]/g, (c) => ` ${c.toLowerCase()}`) + ".";
}
