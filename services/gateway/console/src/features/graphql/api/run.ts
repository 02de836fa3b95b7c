import { useEffect, useRef, useState } from "react";
import { createClient } from "graphql-ws";
import { useServer } from "../../../lib/session";
import { ApiError, type GraphQLErrorItem, type Heard } from "../../../lib/http/client";
import { headerProblem, headersFor, type RunAs } from "../../../lib/http/runas";
import { headersOf } from "../../../lib/http/credentials";
import { projectKey } from "../../../lib/http/project";
import { bodyOf, operationsIn, type Draft } from "../model/operation";

/**
 * keptResults bounds how many results of a subscription are kept, and keptText how long all but the latest may be
 * together.
 */
const keptResults = 50;
const keptText = 2_000_000;

/** drawn is how long results of a subscription are gathered before they are drawn, in ms. */
const drawn = 100;

export interface Result {
  /** Which one it is of those that were received, from 1. */
  number: number;
  text: string;
  /** What is wrong, empty for nothing. */
  errors: GraphQLErrorItem[];
  /** Milliseconds; unset for results of subscriptions. */
  took?: number;
  heard?: Heard;
  /** What the database does for a query that was explained. */
  plans?: Plan[];
  /** The text of the operation that it is of. */
  query: string;
}

/** Plan is a statement, and how the database runs it. */
export interface Plan {
  field?: string;
  sql?: string | null;
  plan?: string[] | null;
}

export interface Runner {
  /** The latest are first. */
  results: Result[];
  running: boolean;
  error: unknown;
  start: (draft: Draft, as: RunAs, operationName?: string) => void;
  explain: (draft: Draft, as: RunAs, operationName?: string) => void;
  stop: () => void;
}

/** useRunner runs one operation at a time: queries and mutations by HTTP, subscriptions over a WebSocket. */
export function useRunner(): Runner {
  const server = useServer();
  const [results, setResults] = useState<Result[]>([]);
  const [running, setRunning] = useState(false);
  const [error, setError] = useState<unknown>();
  const cancel = useRef<() => void>(undefined);
  /** What was received, and is drawn when the timer has run out. */
  const received = useRef<Result[]>([]);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);

  const draw = () => {
    clearTimeout(timer.current);
    timer.current = undefined;
    setResults(received.current);
  };
  const stop = () => {
    cancel.current?.();
    cancel.current = undefined;
    draw();
    setRunning(false);
  };
  useEffect(
    () => () => {
      cancel.current?.();
      clearTimeout(timer.current);
    },
    [],
  );

  const begin = () => {
    stop();
    received.current = [];
    draw();
    setError(undefined);
    setRunning(true);
  };
  const show = (value: unknown, query: string, more: Partial<Result> = {}) => {
    const errors =
      typeof value === "object" && value !== null && "errors" in value && Array.isArray(value.errors)
        ? (value.errors as GraphQLErrorItem[])
        : [];
    const number = (received.current[0]?.number ?? 0) + 1;
    received.current = bounded([
      { number, text: JSON.stringify(value, null, 2), errors, query, ...more },
      ...received.current,
    ]);
    if (number === 1) draw();
    else timer.current ??= setTimeout(draw, drawn);
  };
  const once = (
    path: string,
    body: unknown,
    headers: Record<string, string>,
    query: string,
    plans?: (value: unknown) => Plan[],
  ) => {
    begin();
    const controller = new AbortController();
    cancel.current = () => controller.abort();
    const began = performance.now();
    let heard: Heard | undefined;
    server
      .operation(path, body, headers, controller.signal, (h) => (heard = h))
      .then(
        (value) =>
          !controller.signal.aborted &&
          show(value, query, { took: performance.now() - began, heard, plans: plans?.(value) }),
      )
      .catch((e: unknown) => !controller.signal.aborted && setError(e))
      .finally(() => !controller.signal.aborted && setRunning(false));
  };

  const subscribe = (body: { query: string }, as: RunAs) => {
    begin();
    const address = new URL("/v1/graphql", location.href);
    if (projectKey !== undefined) address.searchParams.set("console-key", projectKey); // a WebSocket has no headers
    address.protocol = address.protocol === "https:" ? "wss:" : "ws:";
    let ended = false;
    const finish = (e?: unknown) => {
      if (ended) return;
      ended = true;
      if (e !== undefined) setError(socketError(e));
      draw();
      setRunning(false);
    };
    const client = createClient({
      url: address.href,
      retryAttempts: 0,
      connectionParams: { headers: { ...headersOf(server.credentials), ...headersFor(as) } },
    });
    const unsubscribe = client.subscribe(body, {
      next: (v) => !ended && show(v, body.query),
      error: (e) => finish(e),
      complete: () => finish(),
    });
    cancel.current = () => {
      ended = true;
      unsubscribe();
      void client.dispose();
    };
  };

  const refuse = (e: unknown) => {
    begin();
    setRunning(false);
    setError(e);
  };
  /** prepare says what is wrong with a request before it is sent. */
  const prepare = (draft: Draft, as: RunAs, operationName: string | undefined) => {
    const line = headerProblem(as.headers);
    if (line !== undefined)
      throw new Error(`This line of the headers isn't a header, as in x-engine-user-id: 7: ${line}`);
    return { body: bodyOf(draft, operationName), headers: headersFor(as) };
  };
  return {
    results,
    running,
    error,
    stop,
    start(draft, as, operationName) {
      try {
        const { body, headers } = prepare(draft, as, operationName);
        const operations = operationsIn(draft.query);
        const chosen = operations.find((o) => o.name === operationName) ?? operations[0];
        if (chosen?.kind === "subscription") subscribe(body as { query: string }, as);
        else once("/v1/graphql", body, headers, draft.query);
      } catch (e) {
        refuse(e);
      }
    },
    explain(draft, as, operationName) {
      try {
        const { body: query, headers } = prepare(draft, as, operationName);
        const user = Object.fromEntries(Object.entries(headers).filter(([name]) => name.startsWith("x-engine-")));
        once(
          "/v1/graphql/explain",
          { query, user },
          {},
          draft.query,
          (value) => (Array.isArray(value) ? value : [value]) as Plan[],
        );
      } catch (e) {
        refuse(e);
      }
    },
  };
}

/** bounded drops the oldest results that are too many, or too long. */
function bounded(results: Result[]): Result[] {
  let length = 0;
  const end = results.findIndex((r, i) => i === keptResults || (i > 0 && (length += r.text.length) > keptText));
  return end < 0 ? results : results.slice(0, end);
}

/** socketError words what a WebSocket ended with. */
function socketError(e: unknown): Error {
  if (Array.isArray(e)) {
    const [first] = e as GraphQLErrorItem[];
    return new ApiError(
      first?.message ?? "The subscription has failed.",
      first?.extensions?.code ?? "unexpected",
      first?.extensions?.path,
      200,
      first?.extensions?.internal,
    );
  }
  if (e instanceof CloseEvent) return new Error(e.reason || `The connection was closed (${e.code}).`);
  return e instanceof Error ? e : new Error("The server can't be reached.");
}
