import { projectHeaders, takeReport } from "./project";
import { type Credentials, headersOf } from "./credentials";
import { prefixOf } from "./prefix";
import { parseExact, stringifyExact } from "../json/exact";
import { headersFor, type RunAs } from "./runas";
import { describe } from "../describe";
import { lastChange } from "./lastchange";
import type { Inconsistency, MetadataDocument, Operations, SourceOperations } from "./types";

/** ApiError is an error of the server, or of the way to it. */
export class ApiError extends Error {
  constructor(
    message: string,
    readonly code: string,
    readonly path: string | undefined,
    readonly status: number,
    readonly internal?: unknown,
  ) {
    super(message);
  }
}

/** post sends JSON and returns the JSON that comes back; it throws an ApiError for anything but 200. */
export async function post<T>(path: string, body: unknown, credentials: Credentials, signal?: AbortSignal): Promise<T> {
  return request<T>(path, {
    method: "POST",
    body: JSON.stringify(body),
    headers: { "content-type": "application/json", ...headersOf(credentials) },
    signal,
  });
}

export async function get<T>(path: string, credentials: Credentials, signal?: AbortSignal): Promise<T> {
  return request<T>(path, { headers: headersOf(credentials), signal });
}

async function request<T>(
  path: string,
  init: RequestInit & { headers?: Record<string, string> },
  parse: (text: string) => unknown = JSON.parse,
  heard?: (response: Response, text: string) => void,
): Promise<T> {
  let response: Response;
  try {
    response = await fetch(path, {
      ...init,
      headers: { ...init.headers, ...projectHeaders },
      credentials: "omit",
      cache: "no-store",
    });
  } catch (e) {
    if (init.signal?.aborted) throw e;
    throw new ApiError("The server can't be reached.", "unreachable", undefined, 0);
  }
  takeReport(response.headers);
  const text = await response.text();
  heard?.(response, text);
  let value: unknown;
  try {
    value = parse(text);
  } catch {
    throw new ApiError(
      `The answer isn't JSON (HTTP status ${response.status}).`,
      "unexpected-answer",
      undefined,
      response.status,
      text.slice(0, 2000),
    );
  }
  if (!response.ok) throw errorIn(value, response.status);
  return value as T;
}

/** methodNotFound is the code of JSON-RPC for what a server doesn't offer. */
const methodNotFound = -32601;

/** partMissing stands for the error of a part of the console that can't be loaded. */
function partMissing(): never {
  throw new ApiError(
    "The server can't be reached, or it has another version of the console by now.",
    "unreachable",
    undefined,
    0,
  );
}

interface ServerError {
  error?: string;
  code?: string;
  path?: string;
  internal?: unknown;
  errors?: GraphQLErrorItem[];
}

export interface GraphQLErrorItem {
  message: string;
  locations?: { line: number; column: number }[];
  path?: (string | number)[];
  extensions?: { code?: string; path?: string; internal?: unknown };
}

function errorIn(value: unknown, status: number): ApiError {
  const e = (value ?? {}) as ServerError;
  const first = e.errors?.[0];
  if (first)
    return new ApiError(
      first.message,
      first.extensions?.code ?? "unexpected",
      first.extensions?.path,
      status,
      first.extensions?.internal,
    );
  return new ApiError(e.error ?? `HTTP status ${status}`, e.code ?? "unexpected", e.path, status, e.internal);
}

export interface GraphQLAnswer {
  data?: unknown;
  errors?: GraphQLErrorItem[];
}

/** Heard is what an answer of HTTP has besides its value. */
export interface Heard {
  status: number;
  /** Of the body, unpacked. */
  bytes: number;
  headers: [string, string][];
}

/** ServerConfig is what the console uses of the answer of /v1alpha1/config. */
export interface ServerConfig {
  experimental_features: string[];
  default_naming_convention: string;
  is_apollo_federation_enabled: boolean;
  is_allow_list_enabled: boolean;
}

/** Server has the calls of the API, with the credentials of the session. */
export class Server {
  #config: Promise<ServerConfig | undefined> | undefined;
  #ended = false;

  constructor(readonly credentials: Credentials) {}

  /** end is called when the session ends: what is still under way changes nothing for the next one. */
  end() {
    this.#ended = true;
  }

  /** config is how the server was started, asked for once; undefined where it doesn't say. */
  config(): Promise<ServerConfig | undefined> {
    this.#config ??= get<ServerConfig>("/v1alpha1/config", this.credentials).catch(() => {
      this.#config = undefined;
      return undefined;
    });
    return this.#config;
  }

  /** metadata runs an operation that belongs to no kind of sources. */
  metadata<T, K extends keyof Operations = keyof Operations>(
    type: K,
    args: Operations[K],
    signal?: AbortSignal,
  ): Promise<T> {
    return post<T>("/v1/metadata", { type, args }, this.credentials, signal);
  }

  /** ofSource runs an operation of a kind of sources. */
  ofSource<T, K extends keyof SourceOperations = keyof SourceOperations>(
    kind: string,
    type: K,
    args: SourceOperations[K],
    signal?: AbortSignal,
  ): Promise<T> {
    return post<T>("/v1/metadata", { type: `${prefixOf(kind)}_${type}`, args }, this.credentials, signal);
  }

  /** change makes a change of the metadata, which can be undone from then on. */
  async change<T>(request: MetadataRequest): Promise<T> {
    const answer = await post<T>("/v1/metadata", request, this.credentials);
    void this.versions({ limit: 1 }).then(
      ({ versions: [newest] }) =>
        newest?.operation === request.type &&
        !this.#ended &&
        lastChange.set({
          words: describe(request),
          operation: request.type,
          version: newest.resource_version,
        }),
      () => undefined, // it is done all the same
    );
    return answer;
  }

  /** versions lists the history, the newest first. */
  versions(args: Operations["list_metadata_versions"], signal?: AbortSignal): Promise<Versions> {
    return this.metadata<Versions, "list_metadata_versions">("list_metadata_versions", args, signal);
  }

  /**
   * export reads the document. Numbers of rules that would be rounded stay as they are written; most documents have
   * none.
   */
  async export(signal?: AbortSignal): Promise<Exported> {
    let exact = false;
    const parse = (text: string): unknown => {
      exact = /\d{16}|\d\.\d{15}/.test(text);
      return exact ? parseExact(text) : JSON.parse(text);
    };
    const headers = { "content-type": "application/json", ...headersOf(this.credentials) };
    const answer = await request<Exported>(
      "/v1/metadata",
      { method: "POST", body: JSON.stringify({ type: "export_metadata", version: 2, args: {} }), headers, signal },
      parse,
    );
    return exact ? { ...answer, exact } : answer;
  }

  inconsistencies(signal?: AbortSignal): Promise<Inconsistencies> {
    return this.metadata<Inconsistencies>("get_inconsistent_metadata", {}, signal);
  }

  /** dryRun asks what a request would change. */
  dryRun<T = unknown>(request: MetadataRequest, signal?: AbortSignal): Promise<DryRun<T>> {
    return post<DryRun<T>>("/v1/metadata", { ...request, dry_run: true }, this.credentials, signal);
  }

  /** query runs an operation of /v2/query. */
  query<T>(type: string, args: object, signal?: AbortSignal): Promise<T> {
    return post<T>("/v2/query", { type, args }, this.credentials, signal);
  }

  /**
   * sql runs statements, which become a migration of the project where one is given. The numbers of the answer are
   * exact.
   */
  sql<T>(type: string, args: object, migration?: Migration, signal?: AbortSignal): Promise<T> {
    const of = migration && {
      "x-engine-migration": migration.mode,
      "x-engine-migration-name": encodeURIComponent(migration.name),
      ...(migration.down && { "x-engine-migration-down": encodeURIComponent(migration.down) }),
    };
    const headers = { ...headersOf(this.credentials), "content-type": "application/json", ...of };
    return request<T>(
      "/v2/query",
      { method: "POST", body: JSON.stringify({ type, args }), headers, signal },
      parseExact,
    );
  }

  /**
   * rows reads or writes rows of a table as a role; /v2/query is for admin alone. The numbers of the answer are exact.
   */
  async rows<T>(
    type: "select" | "count" | "insert" | "update" | "delete",
    args: object,
    as: RunAs,
    signal?: AbortSignal,
  ): Promise<T> {
    const headers = { ...headersOf(this.credentials), ...headersFor(as), "content-type": "application/json" };
    const parse = type === "select" ? (await import("../json/rows").catch(partMissing)).parseRows : parseExact;
    return request<T>(
      as.role ? "/v1/query" : "/v2/query",
      { method: "POST", body: stringifyExact({ type, args }), headers, signal },
      parse,
    );
  }

  /** assistant sends a message as an assistant of a role does. */
  async assistant<T>(method: string, params: object, as: RunAs, signal?: AbortSignal): Promise<T> {
    const headers = {
      ...headersOf(this.credentials),
      ...headersFor(as),
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
    };
    const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method, params });
    const answer = await request<{ result?: T; error?: { code: number; message: string } }>("/mcp/try", {
      method: "POST",
      body,
      headers,
      signal,
    });
    if (answer.error)
      throw new ApiError(
        answer.error.message,
        answer.error.code === methodNotFound ? "off" : "refused",
        undefined,
        200,
      );
    return answer.result as T;
  }

  /** endpoint calls a REST endpoint of the metadata. */
  endpoint(call: { method: string; path: string; body?: string }, headers: Record<string, string>): Promise<unknown> {
    return request(call.path, {
      method: call.method,
      body: call.body,
      headers: {
        ...headersOf(this.credentials),
        ...headers,
        ...(call.body !== undefined && { "content-type": "application/json" }),
      },
    });
  }

  /**
   * operation runs an operation as it was written: the numbers of the answer are exact. heard is told of any answer,
   * also of one that is an error.
   */
  operation(
    path: string,
    body: unknown,
    headers: Record<string, string>,
    signal: AbortSignal,
    heard: (h: Heard) => void,
  ): Promise<unknown> {
    const init = {
      method: "POST",
      body: JSON.stringify(body),
      headers: { ...headersOf(this.credentials), ...headers, "content-type": "application/json" },
      signal,
    };
    return request(path, init, parseExact, (response, text) =>
      heard({ status: response.status, bytes: new TextEncoder().encode(text).length, headers: [...response.headers] }),
    );
  }

  graphql(body: unknown, headers: Record<string, string>, signal?: AbortSignal): Promise<GraphQLAnswer> {
    return request<GraphQLAnswer>("/v1/graphql", {
      method: "POST",
      body: JSON.stringify(body),
      headers: { ...headersOf(this.credentials), ...headers, "content-type": "application/json" },
      signal,
    });
  }
}

/** Migration is whether SQL becomes a migration, and what that is called, "" for its first words. */
export interface Migration {
  mode: "schema" | "always" | "never";
  name: string;
  /** What takes it back, where that is known. */
  down?: string;
}

/** MetadataRequest is the body of a request to the metadata API. */
export interface MetadataRequest {
  type: string;
  args: unknown;
  /** Refuses the request unless that version is in force. */
  resource_version?: number;
}

/** Versions are a part of the history of the metadata, and the version in force. */
export interface Versions {
  resource_version: number;
  versions: Version[];
}

export interface Version {
  resource_version: number;
  at: string;
  operation: string;
  changed_objects: number;
  objects: { op: string; kind: string; source?: string; schema?: string; name?: string }[];
  by?: { role: string; user_id?: string; request_id?: string };
}

/** DryRun is what a request would do, and what it would be answered with. */
export interface DryRun<T = unknown> {
  resource_version: number;
  changes: Change[];
  is_consistent: boolean;
  inconsistent_objects: Inconsistency[];
  refused?: { error: string; code: string; path: string };
  /** Events of triggers that would be gone, the most first. */
  undelivered_events?: { kind: "event" | "cron"; source?: string; trigger?: string; events: number; error?: string }[];
  answer?: T;
}

/** Change is an object that isn't as it was. */
export interface Change {
  op: "add" | "change" | "remove";
  kind: string;
  source?: string;
  schema?: string;
  name?: string;
  before?: unknown;
  after?: unknown;
}

export interface Exported {
  resource_version: number;
  /** It may have numbers that are kept as they are written. */
  exact?: boolean;
  metadata: MetadataDocument;
}

export interface Inconsistencies {
  is_consistent: boolean;
  inconsistent_objects: Inconsistency[];
}

/** hasEnded reports whether the server no longer accepts what somebody has signed in with. */
export function hasEnded(e: unknown): boolean {
  return e instanceof ApiError && (e.status === 401 || e.code === "invalid-jwt");
}

/** isAccessDenied reports whether the server has refused the credentials or the role. */
export function isAccessDenied(e: unknown): boolean {
  return e instanceof ApiError && (e.status === 401 || e.code === "access-denied" || e.code === "invalid-jwt");
}
