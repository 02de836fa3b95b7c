import { stripComments } from "jsonc-parser";
import { parse, type OperationDefinitionNode, type OperationTypeNode } from "graphql";
import { parseExact } from "../../../lib/json/exact";
import { headersFor, type RunAs } from "../../../lib/http/runas";
import type { Credentials } from "../../../lib/http/credentials";
import type { Ran } from "../../../lib/history";

/** Draft is an operation as it is being edited: all but its headers is kept by the browser. */
export interface Draft {
  id: string;
  query: string;
  variables: string;
}

/** Run is an operation that was run. */
export interface Run extends Draft, Ran {}

export interface Operation {
  name: string | undefined;
  kind: OperationTypeNode;
  /** Where it is in the text. */
  from: number;
  to: number;
}

/** operationsIn lists the operations of a document; none when it can't be parsed. */
export function operationsIn(query: string): Operation[] {
  try {
    return parse(query)
      .definitions.filter((d): d is OperationDefinitionNode => d.kind === "OperationDefinition")
      .map((d) => ({ name: d.name?.value, kind: d.operation, from: d.loc!.start, to: d.loc!.end }));
  } catch {
    return [];
  }
}

/** titleOf is what a tab and the history call an operation. */
export function titleOf(query: string): string {
  const named = operationsIn(query).find((o) => o.name)?.name;
  return named ?? (query.replace(/\s+/g, " ").trim().slice(0, 30) || "New");
}

/**
 * variablesIn reads the variables, which may have comments; their numbers stay as they are written. It throws when they
 * are no JSON object.
 */
export function variablesIn(text: string): Record<string, unknown> | undefined {
  const bare = stripComments(text, " ");
  if (!bare.trim()) return undefined;
  let value: unknown;
  try {
    value = parseExact(bare);
  } catch (e) {
    throw new Error(`The variables are not JSON: ${(e as Error).message}`);
  }
  if (typeof value !== "object" || value === null || Array.isArray(value))
    throw new Error("The variables are not a JSON object.");
  return value as Record<string, unknown>;
}

/** bodyOf is the body of a request for one operation of a draft. */
export function bodyOf(draft: Draft, operationName: string | undefined): Record<string, unknown> {
  const variables = variablesIn(draft.variables);
  return { query: draft.query, ...(variables && { variables }), ...(operationName && { operationName }) };
}

/** Call is a request to a REST endpoint. */
export interface Call {
  method: string;
  path: string;
  body?: string;
}

/**
 * callOf is the request that gives an endpoint its variables: in the path, and then in the query string, or the body of
 * methods that have one.
 */
export function callOf(url: string, method: string, variables: Record<string, unknown>): Call {
  const rest = { ...variables };
  const text = (value: unknown) => (typeof value === "string" ? value : JSON.stringify(value));
  const segments = url.split("/").map((segment) => {
    if (!segment.startsWith(":")) return segment;
    const name = segment.slice(1);
    if (!(name in rest)) throw new Error(`The path needs the variable ${name}.`);
    const value = rest[name];
    delete rest[name];
    return encodeURIComponent(text(value));
  });
  const path = `/api/rest/${segments.join("/")}`;
  if (method !== "GET") return { method, path, body: JSON.stringify(rest) };
  const query = new URLSearchParams(Object.entries(rest).map(([name, value]) => [name, text(value)])).toString();
  return { method, path: query ? `${path}?${query}` : path };
}

/** snippets are programs that send a request. The secret isn't in them, but the variable that has it. */
export function snippets(url: string, body: unknown, as: RunAs, credentials: Credentials): Record<string, string> {
  const text = JSON.stringify(body, null, 2);
  const headers = Object.entries({ "content-type": "application/json", ...headersFor(as) });
  const secret: Record<Credentials["kind"], [string, string, string] | undefined> = {
    secret: ["x-engine-admin-secret", "", "ADMIN_SECRET"],
    token: ["authorization", "Bearer ", "TOKEN"],
    none: undefined,
  };
  const own = secret[credentials.kind];
  const shell = (s: string) => `'${s.replaceAll("'", `'\\''`)}'`;
  const curl = [
    `curl ${shell(url)}`,
    ...headers.map(([k, v]) => `  -H ${shell(`${k}: ${v}`)}`),
    ...(own ? [`  -H "${own[0]}: ${own[1]}$${own[2]}"`] : []),
    `  -d ${shell(text)}`,
  ].join(" \\\n");
  const fetched = [
    `const response = await fetch(${JSON.stringify(url)}, {`,
    `  method: "POST",`,
    `  headers: {`,
    ...headers.map(([k, v]) => `    ${JSON.stringify(k)}: ${JSON.stringify(v)},`),
    ...(own
      ? [`    ${JSON.stringify(own[0])}: ${own[1] ? JSON.stringify(own[1]) + " + " : ""}process.env.${own[2]},`]
      : []),
    `  },`,
    `  body: JSON.stringify(${text.replaceAll("\n", "\n  ")}),`,
    `});`,
    `const { data, errors } = await response.json();`,
  ].join("\n");
  const go = [
    `body := strings.NewReader(${JSON.stringify(JSON.stringify(body))})`,
    `request, err := http.NewRequest(http.MethodPost, ${JSON.stringify(url)}, body)`,
    `if err != nil {`,
    `\treturn err`,
    `}`,
    ...headers.map(([k, v]) => `request.Header.Set(${JSON.stringify(k)}, ${JSON.stringify(v)})`),
    ...(own
      ? [
          `request.Header.Set(${JSON.stringify(own[0])}, ${own[1] ? JSON.stringify(own[1]) + "+" : ""}os.Getenv("${own[2]}"))`,
        ]
      : []),
    `response, err := http.DefaultClient.Do(request)`,
  ].join("\n");
  return { curl, fetch: fetched, Go: go };
}
