// The part of Playwright's API that the tests of the console use, over simulated pages.
import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Answer, Request as Sent, Server } from "./exchanges";
import { engine } from "./exchanges";
import { activeOf, editorOf, modifiersOf, User } from "./input";
import * as q from "./query";
import type { Time } from "./time";
import { evaluate, makeWindow, run, type Window } from "./window";

// What a window has of its own, which has no types.
// eslint-disable-next-line @typescript-eslint/no-explicit-any
type Any = any;

/** written is the path of a file. */
function written(name: string, data: Buffer): string {
  const path = join(mkdtempSync(join(tmpdir(), "console-")), name);
  writeFileSync(path, data);
  return path;
}

class Emitter {
  #listeners = new Map<string, Set<(value: Any) => void>>();

  on(event: string, call: (value: Any) => void) {
    if (!this.#listeners.has(event)) this.#listeners.set(event, new Set());
    this.#listeners.get(event)!.add(call);
  }

  off(event: string, call: (value: Any) => void) {
    this.#listeners.get(event)?.delete(call);
  }

  emit(event: string, value: unknown) {
    for (const call of [...(this.#listeners.get(event) ?? [])]) call(value);
  }
}

interface Scope {
  time: Time;
  server: Server;
}

export class Browser {
  constructor(readonly scope: Scope) {}

  async newContext() {
    return new Context(this);
  }

  async close() {}
}

export class Context extends Emitter {
  readonly #pages: Page[] = [];
  readonly clipboard = { text: "" };
  readonly local = new Map<string, string>();
  readonly routes: [unknown, Handler][] = [];

  constructor(readonly browser: Browser) {
    super();
  }

  async newPage() {
    const page = new Page(this);
    this.#pages.push(page);
    this.emit("page", page);
    return page;
  }

  pages() {
    return this.#pages;
  }

  setDefaultTimeout() {}

  async grantPermissions() {}

  async route(pattern: unknown, handler: Handler) {
    this.routes.unshift([pattern, handler]);
  }

  async unroute(pattern: unknown) {
    const at = this.routes.findIndex(([p]) => String(p) === String(pattern));
    if (at >= 0) this.routes.splice(at, 1);
  }

  async storageState() {
    for (const p of this.#pages) p.keep();
    return { cookies: this.#pages.map((p) => p.window?.document.cookie ?? ""), origins: [...this.local] };
  }

  async close() {
    for (const p of this.#pages) await p.close();
  }
}

type Handler = (route: Route) => unknown;

class PageRequest {
  constructor(readonly sent: Sent) {}
  url = () => this.sent.url;
  method = () => this.sent.method;
  headers = () => this.sent.headers;
  postData = () => this.sent.body ?? null;
  postDataJSON = () => JSON.parse(this.sent.body ?? "null") as unknown;
  resourceType = () => "fetch";
}

class PageResponse {
  constructor(
    readonly asked: PageRequest,
    readonly answer: Answer,
  ) {}
  url = () => this.asked.url();
  status = () => this.answer.status;
  ok = () => this.answer.status < 300;
  request = () => this.asked;
  text = async () => this.answer.body;
  json = async () => JSON.parse(this.answer.body) as unknown;
  headers = () => this.answer.headers;
}

interface Fulfilled {
  status?: number;
  json?: unknown;
  body?: string | Buffer;
  headers?: Record<string, string>;
  contentType?: string;
  response?: PageResponse;
}

class Route {
  constructor(
    readonly asked: PageRequest,
    readonly server: Server,
    readonly settle: (how: { answer: Answer } | { gone: true } | { on: Sent }) => void,
  ) {}
  request = () => this.asked;

  async fulfill({ status, json, body, headers, contentType, response }: Fulfilled = {}) {
    this.settle({
      answer: {
        status: status ?? response?.status() ?? 200,
        headers: {
          "content-type": contentType ?? response?.headers()["content-type"] ?? "application/json",
          ...headers,
        },
        body: json !== undefined ? JSON.stringify(json) : String(body ?? response?.answer.body ?? ""),
      },
    });
  }

  async abort() {
    this.settle({ gone: true });
  }

  async continue(o: { postData?: string; headers?: Record<string, string> } = {}) {
    this.settle({
      on: {
        ...this.asked.sent,
        ...(o.postData !== undefined && { body: o.postData }),
        ...(o.headers && { headers: o.headers }),
      },
    });
  }

  fallback = () => this.continue();

  async fetch(o: { postData?: string } = {}) {
    return new PageResponse(
      this.asked,
      await this.server.send({ ...this.asked.sent, ...(o.postData !== undefined && { body: o.postData }) }),
    );
  }
}

function fits(pattern: Any, url: string): boolean {
  if (pattern instanceof RegExp) return pattern.test(url);
  if (typeof pattern === "function") return Boolean(pattern(new URL(url)));
  const glob = String(pattern)
    .split("**")
    .map((s) =>
      s
        .split("*")
        .map((t) => t.replace(/[.+?^${}()|[\]\\]/g, "\\$&"))
        .join("[^/]*"),
    )
    .join(".*");
  return new RegExp(`^${glob}$`).test(url) || url === new URL(pattern as string, engine).href;
}

export class Page extends Emitter {
  window: Window | undefined;
  user!: User;
  readonly #session = new Map<string, string>();
  readonly #routes: [unknown, Handler][] = [];
  readonly #scripts: [unknown, unknown[]][] = [];
  #back: string[] = [];
  #dark = false;
  #ended = new AbortController();
  readonly time: Time;

  constructor(readonly of: Context) {
    super();
    this.time = of.browser.scope.time;
  }

  context = () => this.of;
  url = () => this.window?.location.href ?? "about:blank";
  title = async () => this.window!.document.title;
  isClosed = () => this.window === undefined;
  setDefaultTimeout() {}

  get server(): Server {
    return this.of.browser.scope.server;
  }

  /** keep takes along what the window has stored. */
  keep() {
    if (!this.window) return;
    for (const [map, store] of [
      [this.of.local, this.window.localStorage],
      [this.#session, this.window.sessionStorage],
    ] as const) {
      map.clear();
      for (let i = 0; i < store.length; i++) map.set(store.key(i)!, store.getItem(store.key(i)!)!);
    }
  }

  #leave() {
    if (!this.window) return;
    this.keep();
    this.#ended.abort();
    this.#ended = new AbortController();
    this.window.dispatchEvent(new this.window.Event("pagehide"));
    this.time.forget(this.window);
    this.window.close();
    this.window = undefined;
  }

  /** waits is the address of a page that is opened once something is done with it. */
  waits: string | undefined;

  signedIn(address: string, value: string) {
    this.#leave(); // it may have signed out
    this.#session.set("query-engine-session", JSON.stringify({ kind: "secret", value }));
    this.of.local.set("query-engine-asking", '"always"'); // what changes is shown before it does
    this.waits = address;
  }

  async ready() {
    if (!this.waits) return;
    await this.goto(this.waits);
    await this.getByRole("navigation", { name: "Areas" }).waitFor();
  }

  async goto(address: string) {
    this.waits = undefined;
    const from = this.window && this.url();
    const url = new URL(address, from ?? engine).href;
    if (from && url !== from && url.split("#")[0] === from.split("#")[0] && url.includes("#")) {
      this.window!.location.hash = new URL(url).hash;
      return this.#settle();
    }
    if (from) {
      const asked = new this.window!.Event("beforeunload", { cancelable: true });
      if (!this.window!.dispatchEvent(asked))
        this.of.emit("dialog", {
          type: () => "beforeunload",
          message: () => "",
          accept: async () => {},
          dismiss: async () => {},
        });
      this.#back.push(from);
    }
    await this.#open(url);
  }

  async reload() {
    await this.ready();
    await this.#open(this.url());
  }

  async #open(url: string) {
    const state: unknown = this.window && this.url() === url ? this.window.history.state : undefined;
    this.#leave();
    this.of.emit("request", new PageRequest({ method: "GET", url, headers: {} }));
    const { time } = this;
    const window = makeWindow(url, {
      time,
      fetch: ((input: string, init?: RequestInit) => this.#fetch(input, init)) as typeof fetch,
      fault: (text) => this.of.emit("console", { type: () => "error", text: () => text }),
      clipboard: this.of.clipboard,
      download: (name, data) =>
        this.emit("download", {
          suggestedFilename: () => name,
          data,
          path: async () => written(name, Buffer.from(await data!.arrayBuffer())),
        }),
      choose: (input) => this.emit("filechooser", { setFiles: async (files: Any) => this.#files(input, files) }),
      navigate: (to) => void this.goto(to),
      dark: this.#dark,
    });
    this.window = window;
    for (const [map, store] of [
      [this.of.local, window.localStorage],
      [this.#session, window.sessionStorage],
    ] as const)
      for (const [k, v] of map) store.setItem(k, v);
    if (state) window.history.replaceState(state, "");
    this.user = new User(window, this.of.clipboard);
    for (const [what, args] of this.#scripts) evaluate(window, what, args);
    run(window);
    await this.#settle();
  }

  async #settle() {
    for (let n = 0; n < 3; n++) await this.time.due();
  }

  async #fetch(input: string, init: RequestInit = {}): Promise<Response> {
    const url = new URL(input, this.url()).href;
    const sent: Sent = {
      method: init.method ?? "GET",
      url,
      headers: Object.fromEntries(new Headers(init.headers).entries()),
      ...(init.body != null && { body: String(init.body) }),
    };
    const asked = new PageRequest(sent);
    const signal = init.signal;
    const aborted = () => new DOMException("The operation was aborted.", "AbortError");
    if (signal?.aborted) throw aborted();
    this.of.emit("request", asked);
    this.emit("request", asked);
    const answered = this.#answer(asked, AbortSignal.any([this.#ended.signal, ...(signal ? [signal] : [])]));
    const gone = new Promise<never>((_, fail) => signal?.addEventListener("abort", () => fail(aborted())));
    gone.catch(() => {});
    const response = Promise.race([answered, gone]);
    response.then(
      () => this.emit("requestfinished", asked),
      () => this.emit("requestfailed", asked),
    );
    return response;
  }

  async #answer(asked: PageRequest, signal: AbortSignal): Promise<Response> {
    const handlers = [...this.#routes, ...this.of.routes];
    let sent = asked.sent;
    const handler = handlers.find(([p]) => fits(p, asked.url()))?.[1];
    if (handler) {
      const how = await new Promise<{ answer: Answer } | { gone: true } | { on: Sent }>((settle, fail) => {
        const route = new Route(asked, this.server, settle);
        Promise.resolve(handler(route)).catch((e: unknown) => {
          this.server.failure ??= e as Error;
          fail(e as Error);
        });
      });
      if ("gone" in how) throw new TypeError("Failed to fetch");
      if ("answer" in how) return this.#respond(asked, how.answer);
      sent = how.on;
    }
    if (new URL(sent.url).pathname === "/v1/metadata/changes") {
      const server = this.server;
      const stream = new ReadableStream<Uint8Array>({
        start(controller) {
          const encoder = new TextEncoder();
          server.follow(
            sent,
            (data) => {
              try {
                controller.enqueue(encoder.encode(`event: version\ndata: ${data}\n\n`));
              } catch {
                /* closed */
              }
            },
            signal,
          );
          signal.addEventListener("abort", () => {
            try {
              controller.error(new DOMException("aborted", "AbortError"));
            } catch {
              /* closed */
            }
          });
        },
      });
      this.emit("response", new PageResponse(asked, { status: 200, headers: {}, body: "" }));
      return new Response(stream, { headers: { "content-type": "text/event-stream" } });
    }
    return this.#respond(asked, await this.server.send(sent));
  }

  #respond(asked: PageRequest, answer: Answer): Response {
    const said = new PageResponse(asked, answer);
    this.emit("response", said);
    this.of.emit("response", said);
    return new Response(answer.status === 204 || answer.status === 304 ? null : answer.body, {
      status: answer.status,
      headers: answer.headers,
    });
  }

  #files(input: HTMLInputElement, files: Any) {
    const list = (Array.isArray(files) ? files : [files]).map(
      (f: Any) => new File([f.buffer], f.name, { type: f.mimeType }),
    );
    Object.defineProperty(input, "files", {
      configurable: true,
      value: Object.assign(list, { item: (i: number) => list[i] }),
    });
    input.dispatchEvent(new this.window!.Event("input", { bubbles: true }));
    input.dispatchEvent(new this.window!.Event("change", { bubbles: true }));
  }

  setFiles(input: Element, files: unknown) {
    this.#files(input as HTMLInputElement, files);
  }

  async goBack() {
    this.window!.history.back();
    await this.time.run(20);
  }

  async goForward() {
    this.window!.history.forward();
    await this.time.run(20);
  }

  async close() {
    this.#leave();
  }

  async route(pattern: unknown, handler: Handler) {
    this.#routes.unshift([pattern, handler]);
  }

  async unroute(pattern: unknown) {
    const at = this.#routes.findIndex(([p]) => String(p) === String(pattern));
    if (at >= 0) this.#routes.splice(at, 1);
  }

  async unrouteAll() {
    this.#routes.length = 0;
  }

  async addInitScript(what: unknown, ...args: unknown[]) {
    this.#scripts.push([what, args]);
  }

  async evaluate(what: unknown, ...args: Any[]): Promise<Any> {
    await this.ready();
    const value: unknown = evaluate(
      this.window!,
      what,
      args.map((a: unknown) =>
        a instanceof Handle
          ? a.element
          : Array.isArray(a)
            ? a.map((x: unknown) => (x instanceof Handle ? x.element : x))
            : a,
      ),
    );
    return this.settled(value);
  }

  /** settled waits for what a page has promised. */
  async settled(value: unknown): Promise<unknown> {
    if (typeof (value as Promise<unknown> | undefined)?.then !== "function") return value;
    let done = false;
    const outcome = (value as Promise<unknown>).finally(() => (done = true));
    outcome.catch(() => {});
    await this.until(
      () => done,
      () => "a promise of the page",
    );
    return outcome;
  }

  async waitForFunction(what: unknown, arg?: unknown) {
    await this.until(
      () => this.evaluate(what, arg),
      () => String(what),
    );
  }

  async waitForURL(pattern: unknown) {
    await this.until(
      () => fits(pattern, this.url()),
      () => `the address ${String(pattern)} instead of ${this.url()}`,
    );
  }

  async waitForTimeout(ms: number) {
    await this.time.run(ms);
  }

  async until<T>(holds: () => T | Promise<T>, what: () => string, limit?: number): Promise<T> {
    await this.ready();
    return this.time
      .until(
        () => {
          if (this.server.failure) throw this.server.failure;
          return this.waits ? this.ready().then(holds) : holds();
        },
        what,
        limit,
      )
      .catch((e: unknown) => {
        this.server.failure ??= this.server.missing
          ? new Error(`${(e as Error).message}\n${this.server.missing.message}`)
          : (e as Error); // before what the test does at last
        throw e;
      });
  }

  async waitForEvent(event: string, o?: { predicate?: (value: Any) => boolean }) {
    return this.#event(event, o?.predicate ?? (() => true));
  }

  #event(event: string, wanted: (value: Any) => boolean): Promise<unknown> {
    let value: { value: unknown } | undefined;
    const seen = (v: unknown) => {
      if (wanted(v)) value ??= { value: v };
    };
    this.on(event, seen);
    return this.until(
      () => value,
      () => `the event ${event}`,
    ).then((v) => {
      this.off(event, seen);
      return v!.value;
    });
  }

  waitForResponse(wanted: Any) {
    return this.#event("response", (r: PageResponse) =>
      typeof wanted === "function" ? wanted(r) : fits(wanted, r.url()),
    );
  }

  waitForRequest(wanted: Any) {
    return this.#event("request", (r: PageRequest) =>
      typeof wanted === "function" ? wanted(r) : fits(wanted, r.url()),
    );
  }

  async emulateMedia(o: { colorScheme?: string | null }) {
    this.#dark = o.colorScheme === "dark";
  }

  async setViewportSize() {}

  clock = {
    install: async () => {},
    runFor: async (ms: number) => this.time.run(ms),
    fastForward: async (ms: number) => this.time.run(ms),
    setFixedTime: async () => {},
  };

  keyboard = {
    press: async (keys: string) => {
      await this.ready();
      this.user.press(keys);
      await this.time.run(20);
    },
    type: async (text: string) => {
      await this.ready();
      for (const c of text) this.user.press(c === "\n" ? "Enter" : c);
      await this.time.run(20);
    },
    insertText: async (text: string) => {
      await this.ready();
      this.user.insert(text);
      await this.time.run(20);
    },
    down: async (key: string) => {
      Object.assign(this.user.held, modifiersOf([key]));
    },
    up: async (key: string) => {
      this.user.held = { ...this.user.held, [key === "ControlOrMeta" ? "Control" : key]: false };
    },
  };

  locator = (selector: string, o?: Filter) => new Locator(this, [], `locator(${selector})`).locator(selector, o);
  getByRole = (role: string, o?: q.RoleOptions) => new Locator(this, [], "").getByRole(role, o);
  getByText = (text: q.Text, o?: Exact) => new Locator(this, [], "").getByText(text, o);
  getByLabel = (text: q.Text, o?: Exact) => new Locator(this, [], "").getByLabel(text, o);
  getByPlaceholder = (text: q.Text, o?: Exact) => new Locator(this, [], "").getByPlaceholder(text, o);
  getByTitle = (text: q.Text, o?: Exact) => new Locator(this, [], "").getByTitle(text, o);
}

interface Exact {
  exact?: boolean;
}

interface Filter {
  has?: Locator;
  hasNot?: Locator;
  hasText?: q.Text;
  hasNotText?: q.Text;
  visible?: boolean;
}

class Handle {
  constructor(readonly element: Element) {}
}

interface ClickOptions {
  modifiers?: string[];
  button?: string;
  clickCount?: number;
  force?: boolean;
  trial?: boolean;
}

export class Locator {
  constructor(
    readonly of: Page,
    readonly steps: q.Step[],
    readonly what: string,
  ) {}

  page = () => this.of;

  #with(step: q.Step, what: string) {
    return new Locator(this.of, [...this.steps, step], `${this.what}.${what}`);
  }

  /** found are the elements, in some or in the document. */
  found(roots?: Element[]): Element[] {
    const { window } = this.of;
    if (!window) return [];
    let list = roots ?? [window.document.documentElement as Element];
    for (const s of this.steps) {
      if (list.length === 0) return list;
      list = s(list, window);
    }
    return list;
  }

  locator(selector: string, o?: Filter): Locator {
    const found = this.#with(q.byCSS(selector), `locator(${selector})`);
    return o ? found.filter(o) : found;
  }
  getByRole = (role: string, o?: q.RoleOptions) =>
    this.#with(
      q.byRole(role, o),
      `getByRole(${role}${
        o
          ? " " +
            Object.entries(o)
              .map(([k, v]) => `${k}=${String(v)}`)
              .join(" ")
          : ""
      })`,
    );
  getByText = (text: q.Text, o?: Exact) => this.#with(q.byText(text, o?.exact), `getByText(${String(text)})`);
  getByLabel = (text: q.Text, o?: Exact) => this.#with(q.byLabel(text, o?.exact), `getByLabel(${String(text)})`);
  getByPlaceholder = (text: q.Text, o?: Exact) =>
    this.#with(q.byAttribute("placeholder", text, o?.exact), `getByPlaceholder(${String(text)})`);
  getByTitle = (text: q.Text, o?: Exact) =>
    this.#with(q.byAttribute("title", text, o?.exact), `getByTitle(${String(text)})`);

  filter(o: Filter): Locator {
    return this.#with(
      (list) =>
        list.filter(
          (e) =>
            (o.hasText === undefined || q.withText(o.hasText)(e)) &&
            (o.hasNotText === undefined || !q.withText(o.hasNotText)(e)) &&
            (!o.has || o.has.found([e]).length > 0) &&
            (!o.hasNot || o.hasNot.found([e]).length === 0) &&
            (o.visible === undefined || q.visible(e) === o.visible),
        ),
      `filter(${o.hasText !== undefined ? String(o.hasText) : (o.has?.what ?? "")})`,
    );
  }

  first = () => this.nth(0);
  last = () => this.nth(-1);
  nth(n: number): Locator {
    return this.#with((list) => list.slice(n, n === -1 ? undefined : n + 1), `nth(${n})`);
  }

  and(other: Locator): Locator {
    return this.#with((list) => {
      const also = new Set(other.found());
      return list.filter((e) => also.has(e));
    }, `and(${other.what})`);
  }

  or(other: Locator): Locator {
    const steps = this.steps;
    const one = new Locator(this.of, steps, this.what);
    return new Locator(
      this.of,
      [
        () =>
          [...new Set([...one.found(), ...other.found()])].sort((a, b) => (a.compareDocumentPosition(b) & 4 ? -1 : 1)),
      ],
      `${this.what}.or(${other.what})`,
    );
  }

  async all(): Promise<Locator[]> {
    await this.of.ready();
    return this.found().map((_, i) => this.nth(i));
  }

  async count() {
    await this.of.ready();
    return this.found().length;
  }

  /** one waits for the element, of which there has to be one, with what it has to be. */
  async #one(ready: (e: Element) => boolean = () => true, what = ""): Promise<Element> {
    return this.of.until(
      () => {
        const list = this.found();
        if (list.length > 1)
          throw new Error(
            `${this.what} is ${list.length} elements:\n${list
              .slice(0, 5)
              .map((e) => e.outerHTML.slice(0, 200))
              .join("\n")}`,
          );
        return list[0] && ready(list[0]) ? list[0] : undefined;
      },
      () =>
        `${this.what}${what}; there ${this.found().length === 1 ? `is ${this.found()[0]!.outerHTML.slice(0, 300)}` : "is none"}`,
    ) as Promise<Element>;
  }

  async #act(what: string, act: (e: Element) => void, o?: { force?: boolean }) {
    const usable = (e: Element) => q.visible(e) && (o?.force || (q.enabled(e) && !e.closest("[inert]")));
    await this.#one(usable, ` that can be used, to ${what}`);
    await this.of.time.run(20); // as a browser draws it first
    act(await this.#one(usable, ` that can be used, to ${what}`));
    await this.of.time.run(20);
  }

  async click(o: ClickOptions = {}) {
    await this.#act(
      "click",
      (e) => this.of.user.click(e, modifiersOf(o.modifiers), o.button === "right" ? 2 : 0, o.clickCount ?? 1),
      o,
    );
  }

  async dblclick() {
    await this.#act("click twice", (e) => this.of.user.click(e, {}, 0, 2));
  }

  async hover() {
    await this.#act("hover", (e) => this.of.user.hover(e));
  }

  async fill(text: string) {
    await this.#act("fill", (e) => {
      if ((e as HTMLInputElement).readOnly) throw new Error(`${this.what} is only read`);
      this.of.user.fill(e, text);
    });
  }

  async clear() {
    await this.fill("");
  }

  async press(keys: string) {
    const e = (await this.#one()) as HTMLElement;
    e.focus();
    this.of.user.press(keys);
    await this.of.time.run(20);
  }

  async pressSequentially(text: string) {
    ((await this.#one()) as HTMLElement).focus();
    await this.of.keyboard.type(text);
  }

  async focus() {
    ((await this.#one()) as HTMLElement).focus();
    await this.of.time.run(0);
  }

  async blur() {
    ((await this.#one()) as HTMLElement).blur();
    await this.of.time.run(0);
  }

  async selectOption(wanted: Any) {
    const list = (Array.isArray(wanted) ? wanted : [wanted]) as (
      string | { label?: string; value?: string; index?: number }
    )[];
    const chosen = (e: Element) =>
      list.map((w) =>
        [...(e as HTMLSelectElement).options].find((o, i) =>
          typeof w === "string"
            ? o.value === w || q.tidy(o.label || o.text) === q.tidy(w)
            : (w.value === undefined || o.value === w.value) &&
              (w.label === undefined || q.tidy(o.label || o.text) === w.label) &&
              (w.index === undefined || i === w.index),
        ),
      );
    const usable = (e: Element) => q.visible(e) && q.enabled(e) && chosen(e).every((o) => o && !o.disabled);
    await this.#one(usable, ` with ${JSON.stringify(wanted)}`);
    await this.of.time.run(20);
    const e = await this.#one(usable, ` with ${JSON.stringify(wanted)}`);
    this.of.user.select(e as HTMLSelectElement, chosen(e) as HTMLOptionElement[]);
    await this.of.time.run(20);
  }

  async setChecked(to: boolean) {
    const is = (e: Element) =>
      e.getAttribute("role") && e.getAttribute("aria-checked") !== null
        ? e.getAttribute("aria-checked") === "true"
        : Boolean(((e.tagName === "LABEL" ? (e as HTMLLabelElement).control : e) as HTMLInputElement).checked);
    if (is(await this.#one())) {
      if (to) return;
    } else if (!to) return;
    await this.click();
    if (is(await this.#one()) !== to) throw new Error(`${this.what}: the click has changed nothing`);
  }

  check = () => this.setChecked(true);
  uncheck = () => this.setChecked(false);

  async setInputFiles(files: unknown) {
    this.of.setFiles(await this.#one(), files);
    await this.of.time.run(20);
  }

  async dispatchEvent(type: string, init: object = {}) {
    (await this.#one()).dispatchEvent(
      Object.assign(new this.of.window!.Event(type, { bubbles: true, cancelable: true }), init),
    );
    await this.of.time.run(0);
  }

  inputValue = async () => ((await this.#one()) as HTMLInputElement).value;
  textContent = async () => (await this.#one()).textContent;
  innerText = async () => q.drawn(await this.#one());
  innerHTML = async () => (await this.#one()).innerHTML;
  getAttribute = async (name: string) => (await this.#one()).getAttribute(name);
  allTextContents = async () => this.found().map((e) => e.textContent ?? "");
  allInnerTexts = async () => this.found().map(q.drawn);
  isVisible = async () => this.found().some(q.visible);
  isHidden = async () => !this.found().some(q.visible);
  isEnabled = async () => q.enabled(await this.#one());
  isDisabled = async () => !q.enabled(await this.#one());
  isChecked = async () => {
    const e = await this.#one();
    return (e as HTMLInputElement).checked ?? e.getAttribute("aria-checked") === "true";
  };
  elementHandle = async () => new Handle(await this.#one());
  scrollIntoViewIfNeeded = async () => void (await this.#one());
  boundingBox = async () => (await this.#one()).getBoundingClientRect();
  screenshot = async () => Buffer.from("");

  async evaluate(what: unknown, arg?: unknown) {
    return this.of.settled(evaluate(this.of.window!, what, [await this.#one(), arg]));
  }

  async evaluateAll(what: unknown, arg?: unknown) {
    return this.of.settled(evaluate(this.of.window!, what, [this.found(), arg]));
  }

  async waitFor(o: { state?: string } = {}) {
    const { state = "visible" } = o;
    await this.of.until(
      () => {
        const list = this.found();
        if (list.length > 1 && state !== "detached")
          throw new Error(
            `${this.what} is ${list.length} elements:\n${list
              .slice(0, 5)
              .map((e) => e.outerHTML.slice(0, 200))
              .join("\n")}`,
          );
        switch (state) {
          case "attached":
            return list.length === 1;
          case "detached":
            return list.length === 0;
          case "hidden":
            return !list[0] || !q.visible(list[0]);
        }
        return list[0] && q.visible(list[0]);
      },
      () =>
        `${this.what} to be ${state}; there ${this.found().length ? `is ${this.found()[0]!.outerHTML.slice(0, 300)}` : "is none"}`,
    );
  }
}

export { activeOf, editorOf };
