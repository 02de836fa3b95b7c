import { useEffect, useRef, useState } from "react";
import { createClient } from "graphql-ws";
import { useServer, headersOf } from "../../session";
import { ApiError, post, type GraphQLErrorItem } from "../../api/client";
import { headersFor, type RunAs } from "../../api/runas";
import { bodyOf, operationsIn, type Draft } from "./operation";

/** keptResults bounds how many results of a subscription are kept, and keptText how long all but the latest may be together. */
const keptResults = 50;
const keptText = 2_000_000;

/** drawn is how long results of a subscription are gathered before they are drawn, in ms. */
const drawn = 100;

export interface Result {
  /** Which one it is of those that were received, from 1. */
  number: number;
  text: string;
  failed: boolean;
  /** Milliseconds; unset for results of subscriptions. */
  took?: number;
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
  useEffect(() => () => {
    cancel.current?.();
    clearTimeout(timer.current);
  }, []);

  const begin = () => {
    stop();
    received.current = [];
    draw();
    setError(undefined);
    setRunning(true);
  };
  const show = (value: unknown, took?: number) => {
    const failed = typeof value === "object" && value !== null && "errors" in value;
    const number = (received.current[0]?.number ?? 0) + 1;
    received.current = bounded([{ number, text: JSON.stringify(value, null, 2), failed, took }, ...received.current]);
    if (number === 1) draw();
    else timer.current ??= setTimeout(draw, drawn);
  };
  const once = (send: (signal: AbortSignal) => Promise<unknown>) => {
    begin();
    const controller = new AbortController();
    cancel.current = () => controller.abort();
    const began = performance.now();
    send(controller.signal)
      .then((value) => !controller.signal.aborted && show(value, performance.now() - began))
      .catch((e: unknown) => !controller.signal.aborted && setError(e))
      .finally(() => !controller.signal.aborted && setRunning(false));
  };

  const subscribe = (body: { query: string }, as: RunAs) => {
    begin();
    const address = new URL("/v1/graphql", location.href);
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
    const unsubscribe = client.subscribe(body, { next: (v) => !ended && show(v), error: (e) => finish(e), complete: () => finish() });
    cancel.current = () => {
      ended = true;
      unsubscribe();
      void client.dispose();
    };
  };

  return {
    results, running, error, stop,
    start(draft, as, operationName) {
      try {
        const body = bodyOf(draft, operationName);
        const operations = operationsIn(draft.query);
        const chosen = operations.find((o) => o.name === operationName) ?? operations[0];
        if (chosen?.kind === "subscription") subscribe(body as { query: string }, as);
        else once((signal) => server.graphql(body, headersFor(as), signal));
      } catch (e) {
        setError(e);
      }
    },
    explain(draft, as, operationName) {
      try {
        const query = bodyOf(draft, operationName);
        const headers = headersFor(as);
        const user = Object.fromEntries(Object.entries(headers).filter(([name]) => name.startsWith("x-engine-")));
        once((signal) => post("/v1/graphql/explain", { query, user }, server.credentials, signal));
      } catch (e) {
        setError(e);
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
    return new ApiError(first?.message ?? "The subscription has failed.", first?.extensions?.code ?? "unexpected", first?.extensions?.path, 200, first?.extensions?.internal);
  }
  if (e instanceof CloseEvent) return new Error(e.reason || `The connection was closed (${e.code}).`);
  return e instanceof Error ? e : new Error("The server can't be reached.");
}
