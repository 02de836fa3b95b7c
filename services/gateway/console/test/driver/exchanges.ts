// What a server has answered to the console: recorded from a real one, and answered from then on.
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import type { IncomingMessage, ServerResponse } from "node:http";
import { createServer } from "node:http";
import { pathToFileURL } from "node:url";
import type { Time } from "./time";

export interface Request {
  method: string;
  url: string;
  headers: Record<string, string>;
  body?: string;
}

export interface Answer {
  status: number;
  headers: Record<string, string>;
  body: string;
}

/** Exchange is a request with its answer, as they are kept. Bodies are JSON, or texts. */
interface Exchange {
  method: string;
  url: string;
  /**
   * Of the request, as far as they matter: the secret is left out if it is the right one, and null if there is none.
   */
  headers?: Record<string, string | null>;
  body?: unknown;
  /** It changes something: what comes after it counts from then on. */
  write?: true;
  status: number;
  /** Of the answer. */
  type?: string;
  report?: Record<string, string>;
  answer: unknown;
}

interface Recording {
  /** When it was recorded, in ms. */
  at: number;
  exchanges: Exchange[];
  /** The versions of the metadata that were announced, each after a number of writes. */
  versions: { after: number; data: string }[];
  /** What webhooks were asked and have answered. */
  webhooks?: { method: string; path: string; body: string; status: number; answer: string }[];
}

/** Names of servers in recordings, and the addresses that they had. */
export const names: Record<string, string> = JSON.parse(process.env.CONSOLE_NAMES ?? "{}") as Record<string, string>;
export const engine = "http://engine.test";
export const secret = "the secret of the tests";
export const recording = process.env.CONSOLE_RECORD !== undefined;
const directory = pathToFileURL(`${process.env.CONSOLE_SCENARIOS}/recorded/`);

const replaced = (text: string, pairs: [string, string][]) =>
  pairs.reduce((t, [from, to]) => t.replaceAll(from, to), text);

/**
 * from is the version of the metadata that every recording begins with, and before the one that it is in the server.
 */
const from = 7_500_000;
let before = 0;

export function begins(version: number) {
  before = version;
}

const versions = (text: string, by: number) =>
  text.replace(/(?<![\d.])7\d{6}(?![\d.])/g, (n) => String(Number(n) + by));
const outward = (text: string) => versions(replaced(text, Object.entries(names)), before - from);
const inward = (text: string) =>
  versions(
    replaced(
      text,
      Object.entries(names).map(([name, address]) => [address, name]),
    ),
    from - before,
  );

/** Parts of answers that are large are kept once for all recordings. */
const partsPath = new URL("parts.json", directory);
let parts: Record<string, unknown> | undefined;

function allParts(): Record<string, unknown> {
  return (parts ??= existsSync(partsPath)
    ? (JSON.parse(readFileSync(partsPath, "utf8")) as Record<string, unknown>)
    : {});
}

const large = 200;

function shared(value: unknown): unknown {
  if (typeof value !== "object" || value === null) return value;
  const text = JSON.stringify(value);
  if (text.length < large) return value;
  const inner = Array.isArray(value)
    ? value.map(shared)
    : Object.fromEntries(Object.entries(value).map(([k, v]) => [k, shared(v)]));
  const own = JSON.stringify(inner);
  if (own.length < large) return inner;
  const key = createHash("sha256").update(own).digest("hex").slice(0, 12);
  allParts()[key] = inner;
  return { $: key };
}

function whole(value: unknown): unknown {
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map(whole);
  const keys = Object.keys(value);
  if (keys.length === 1 && keys[0] === "$") {
    const key = (value as { $: string }).$;
    if (!(key in allParts())) throw new Error(`the recordings have no part ${key}`);
    return whole(allParts()[key]);
  }
  return Object.fromEntries(Object.entries(value).map(([k, v]) => [k, whole(v)]));
}

function parsed(text: string): unknown {
  try {
    const value = JSON.parse(text) as unknown;
    if (typeof value === "object" && JSON.stringify(value) === text.trim()) return value;
  } catch {
    /* a text */
  }
  return text;
}

const changing = /^(\w+_)?(create|drop|add|remove|set|delete|update|track|untrack)_/;
const reading =
  /^(\w+_)?(get|list|export|test|introspect|validate|suggest|describe|explain|dump|diff|count|select|check)_?|_(get|list|export|test|introspect|validate|suggest|names|functions|tables)(_|$)|source_kinds|database_inspection|inconsisten/;

/** Operation is one of the metadata API, or of /v2/query. */
interface Operation {
  type: string;
  args: unknown;
  dry_run?: boolean;
}

function writes(r: Request): boolean {
  const { pathname } = new URL(r.url);
  if (r.method === "GET" || r.method === "HEAD") return false;
  let body: Operation & { query?: string };
  try {
    body = JSON.parse(r.body ?? "") as typeof body;
  } catch {
    return true;
  }
  if (pathname === "/v1/graphql" || pathname === "/v1beta1/relay")
    return /^\s*(#.*\n\s*)*mutation\b/m.test(body.query ?? "");
  if (pathname === "/mcp/try") return (body as { method?: string }).method === "tools/call";
  const one = (b: Operation): boolean => {
    if (b.dry_run) return false;
    if (b.type === "bulk" || b.type === "bulk_keep_going" || b.type === "bulk_atomic" || b.type === "concurrent_bulk")
      return (b.args as Operation[]).some(one);
    if (/run_sql$/.test(b.type)) {
      const { read_only, sql } = b.args as { read_only?: boolean; sql: string };
      return !(
        read_only ||
        /^\s*(SELECT|EXPLAIN|SHOW|WITH)\b(?![^]*\b(INSERT|UPDATE|DELETE|setval|nextval|pg_\w*lock)\b)/i.test(sql)
      );
    }
    if (/export_metadata|reload/.test(b.type)) return /reload/.test(b.type);
    return changing.test(b.type) || !reading.test(b.type);
  };
  return one(body);
}

const kept = /^(x-(?!engine-admin-secret|request)[\w-]+|authorization)$/;

function keyOf(r: Request): Pick<Exchange, "method" | "url" | "headers" | "body"> {
  const headers: Record<string, string | null> = {};
  for (const name of Object.keys(r.headers).sort()) if (kept.test(name)) headers[name] = r.headers[name]!;
  const given = r.headers["x-engine-admin-secret"];
  if (given !== secret) headers["x-engine-admin-secret"] = given ?? null;
  return {
    method: r.method,
    url: r.url.startsWith(engine) ? r.url.slice(engine.length) : r.url,
    ...(Object.keys(headers).length && { headers }),
    ...(r.body !== undefined && { body: parsed(r.body) }),
  };
}

/**
 * textOf is what requests are compared by. Times that are about that of the recording are its now, which no two runs
 * meet alike.
 */
function textOf(e: Pick<Exchange, "method" | "url" | "headers" | "body">, at: number): string {
  const text = JSON.stringify([e.method, e.url, e.headers ?? {}, e.body ?? null]);
  return text.replace(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z/g, (t) =>
    Math.abs(Date.parse(t) - at) < 1_200_000 ? "now" : t,
  );
}

export function fileOf(name: string): URL {
  return new URL(
    name
      .replace(/[^\w]+/g, "-")
      .toLowerCase()
      .slice(0, 100)
      .replace(/-$/, "") + ".json",
    directory,
  );
}

/** Server is what the pages and the helpers of a test talk to. */
export abstract class Server {
  /** Why the test can't go on. */
  failure: Error | undefined;
  /** What a page has asked for, and no recording has: it is why what follows fails. */
  missing: Error | undefined;
  protected followers = new Set<(data: string) => void>();

  constructor(readonly time: Time) {}

  /** send asks, for a page, or for a test itself, which no time of pages passes for. */
  abstract send(r: Request, byTest?: boolean): Promise<Answer>;
  abstract latest(): string | undefined;
  abstract follow(r: Request, seen: (data: string) => void, signal: AbortSignal): void;
  abstract listen(
    handler: (q: IncomingMessage, s: ServerResponse) => void,
  ): Promise<{ address: string; close: () => void }>;
  abstract end(passed: boolean): void;
}

/** Recorder passes on to a real server, and keeps what comes back. */
export class Recorder extends Server {
  readonly #made: Recording;
  #before: Promise<unknown> = Promise.resolve();
  #reads = new Set<Promise<unknown>>();
  #writes = 0;
  #hooks = 0;

  constructor(
    time: Time,
    readonly name: string,
  ) {
    super(time);
    this.#made = { at: time.now(), exchanges: [], versions: [] };
  }

  async send(r: Request): Promise<Answer> {
    // A write is alone, so that all else is before or after it.
    const write = writes(r);
    const before = write ? Promise.all([this.#before, ...this.#reads]) : this.#before;
    const done = before.catch(() => {}).then(() => this.#send(r, write));
    if (write) this.#before = done;
    else {
      this.#reads.add(done);
      const gone = () => void this.#reads.delete(done);
      done.then(gone, gone);
    }
    this.time.outside++;
    try {
      return await done;
    } finally {
      this.time.outside--;
    }
  }

  async #send(r: Request, write: boolean): Promise<Answer> {
    if (write) this.#writes++;
    const headers = { ...r.headers };
    if (headers["x-engine-admin-secret"] === secret) headers["x-engine-admin-secret"] = process.env.CONSOLE_SECRET!;
    const response = await fetch(outward(r.url), {
      method: r.method,
      headers,
      body: r.body === undefined ? undefined : outward(r.body),
    });
    const body = inward(await response.text());
    const type = response.headers.get("content-type") ?? "";
    const report = Object.fromEntries(
      [...response.headers].filter(([n]) => n.startsWith("x-") && n !== "x-request-id"),
    );
    this.#made.exchanges.push({
      ...keyOf(r),
      ...(write && { write }),
      status: response.status,
      ...(!type.startsWith("application/json") && { type }),
      ...(Object.keys(report).length && { report }),
      answer: parsed(body),
    });
    return { status: response.status, headers: { "content-type": type, ...report }, body };
  }

  latest(): string | undefined {
    return undefined;
  }

  follow(r: Request, seen: (data: string) => void, signal: AbortSignal) {
    const headers = { ...r.headers, "x-engine-admin-secret": process.env.CONSOLE_SECRET! };
    void (async () => {
      const response = await fetch(outward(r.url), { headers, signal });
      let rest = "";
      const decoder = new TextDecoder();
      for await (const chunk of response.body!) {
        const events = (rest + decoder.decode(chunk as Uint8Array, { stream: true })).split("\n\n");
        rest = events.pop()!;
        for (const e of events) {
          const told = /^data: (.*)$/m.exec(e)?.[1];
          if (!told) continue;
          const data = inward(told);
          if (this.#made.versions.at(-1)?.data !== data) this.#made.versions.push({ after: this.#writes, data });
          seen(data);
        }
      }
    })().catch(() => {});
  }

  async listen(handler: (q: IncomingMessage, s: ServerResponse) => void) {
    const name = `http://webhook-${++this.#hooks}.test`;
    const server = createServer((q, s) => {
      const chunks: Buffer[] = [];
      q.on("data", (c: Buffer) => chunks.push(c));
      const end = s.end.bind(s);
      s.end = ((text?: string) => {
        (this.#made.webhooks ??= []).push({
          method: q.method!,
          path: q.url!,
          body: inward(Buffer.concat(chunks).toString()),
          status: s.statusCode,
          answer: inward(text ?? ""),
        });
        return end(text);
      }) as typeof s.end;
      handler(q, s);
    });
    await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
    names[name] = `http://127.0.0.1:${(server.address() as { port: number }).port}`;
    return {
      address: name,
      close: () => {
        server.closeAllConnections();
        server.close();
      },
    };
  }

  end(passed: boolean) {
    if (!passed) return;
    mkdirSync(directory, { recursive: true });
    const made = { ...this.#made, exchanges: this.#made.exchanges.map((e) => ({ ...e, answer: shared(e.answer) })) };
    const lines = made.exchanges.map((e) => JSON.stringify(e)).join(",\n");
    const { exchanges: _, ...rest } = made;
    writeFileSync(fileOf(this.name), `${JSON.stringify(rest).slice(0, -1)},"exchanges":[\n${lines}\n]}\n`);
    parts = {
      ...(existsSync(partsPath) ? (JSON.parse(readFileSync(partsPath, "utf8")) as Record<string, unknown>) : {}),
      ...allParts(),
    }; // another run may have added some
    // Parts that no recording has any more go.
    const used = new Set<string>();
    const mark = (text: string) => {
      for (const [, key] of text.matchAll(/\{"\$":"([0-9a-f]{12})"\}/g)) {
        if (used.has(key!)) continue;
        used.add(key!);
        mark(JSON.stringify(allParts()[key!]));
      }
    };
    for (const file of readdirSync(directory))
      if (file !== "parts.json") mark(readFileSync(new URL(file, directory), "utf8"));
    const kept = Object.entries(allParts())
      .filter(([k]) => used.has(k))
      .sort(([x], [y]) => (x < y ? -1 : 1));
    writeFileSync(
      partsPath,
      `{\n${kept.map(([k, v]) => `${JSON.stringify(k)}:${JSON.stringify(v)}`).join(",\n")}\n}\n`,
    );
  }
}

export function recordingOf(name: string): Recording | undefined {
  const file = fileOf(name);
  if (!existsSync(file)) return undefined;
  return JSON.parse(readFileSync(file, "utf8")) as Recording;
}

/** Replayer answers as a recording has it. */
export class Replayer extends Server {
  readonly #exchanges: { text: string; epoch: number; used: number; e: Exchange }[];
  readonly #writes: number[];
  #epoch = 0;
  #hooks = 0;

  constructor(
    time: Time,
    readonly recorded: Recording,
  ) {
    super(time);
    let epoch = 0;
    this.#exchanges = recorded.exchanges.map((e) => {
      if (e.write) epoch++;
      return { text: textOf(e, recorded.at), epoch, used: 0, e };
    });
    this.#writes = this.#exchanges.flatMap((x, i) => (x.e.write ? [i] : []));
  }

  async send(r: Request, byTest = false): Promise<Answer> {
    const key = textOf(keyOf(r), this.recorded.at);
    const found = writes(r) ? this.#write(key) : this.#read(key);
    if (!found) {
      const error = new Error(this.#nothing(key));
      // What is only read may be on a page that was left before it was requested, when that was recorded: it has no
      // answer.
      if (!byTest && !writes(r)) {
        this.missing ??= error;
        return new Promise(() => {});
      }
      this.failure ??= this.missing ?? error;
      throw this.failure;
    }
    found.used++;
    if (!byTest) await new Promise<void>((answer) => this.time.add(1, answer));
    const { status, type, report, answer } = found.e;
    const value = whole(answer);
    return {
      status,
      headers: { "content-type": type ?? "application/json; charset=utf-8", ...report },
      body: typeof value === "string" ? value : JSON.stringify(value),
    };
  }

  #write(key: string) {
    const next = this.#exchanges[this.#writes[this.#epoch] ?? -1];
    if (next?.text !== key) return undefined;
    this.#epoch++;
    for (const { after, data } of this.recorded.versions)
      if (after === this.#epoch) this.time.add(3, () => this.followers.forEach((f) => f(data)));
    return next;
  }

  #read(key: string) {
    const same = this.#exchanges.filter((x) => !x.e.write && x.text === key);
    const now = same.filter((x) => x.epoch === this.#epoch);
    if (now.length) return now.find((x) => x.used === 0) ?? now.at(-1);
    // Asked for sooner, or later, than it was recorded.
    const before = same.filter((x) => x.epoch < this.#epoch);
    return before.at(-1) ?? same[0];
  }

  #nothing(key: string): string {
    const next = this.#exchanges[this.#writes[this.#epoch] ?? -1];
    const [method, url] = JSON.parse(key) as [string, string];
    const like = this.#exchanges.filter((x) => x.e.method === method && x.e.url === url).map((x) => x.text);
    const common = (text: string) => {
      let n = 0;
      while (n < text.length && text[n] === key[n]) n++;
      return n;
    };
    const nearest = like.sort((a, b) => common(b) - common(a))[0];
    const at = nearest ? Math.max(0, common(nearest) - 60) : 0;
    return (
      `the recording has no such request, after ${this.#epoch} writes:\n  ${key.slice(0, 2000)}\n` +
      (nearest
        ? `it differs from the nearest one from:\n  ${key.slice(at, at + 300)}\nwhere that has:\n  ${nearest.slice(at, at + 300)}\n`
        : "") +
      (next ? `the next write would be:\n  ${next.text.slice(0, 600)}\n` : "") +
      "If the console asks for it on purpose: make console-record."
    );
  }

  latest(): string | undefined {
    return this.recorded.versions.filter((v) => v.after <= this.#epoch).at(-1)?.data ?? this.recorded.versions[0]?.data;
  }

  follow(r: Request, seen: (data: string) => void, signal: AbortSignal) {
    const known = Number(new URL(r.url).searchParams.get("resource_version"));
    const now = this.latest();
    if (now && (JSON.parse(now) as { resource_version: number }).resource_version !== known)
      this.time.add(2, () => seen(now));
    this.followers.add(seen);
    signal.addEventListener("abort", () => this.followers.delete(seen));
  }

  listen() {
    return Promise.resolve({ address: `http://webhook-${++this.#hooks}.test`, close() {} });
  }

  end(passed: boolean) {
    if (this.failure) throw this.failure;
    if (passed && this.#epoch < this.#writes.length)
      throw new Error(`never sent: ${this.#exchanges[this.#writes[this.#epoch]!]!.text.slice(0, 2000)}`);
  }
}
