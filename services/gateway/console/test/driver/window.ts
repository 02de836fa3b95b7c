// A window of a simulated page: jsdom's, with what it lacks, in which the bundle of the console runs.
import { readFileSync } from "node:fs";
import { compileFunction, runInNewContext } from "node:vm";
import { JSDOM, VirtualConsole } from "jsdom";
import { exactJSON } from "./json";
import type { Time } from "./time";

// jsdom has no types.
// eslint-disable-next-line @typescript-eslint/no-explicit-any
export type Window = typeof globalThis & globalThis.Window & Record<string, any>;

/** hidden are names that Node has and a browser hasn't. */
const hidden = ["process", "require", "module", "exports", "global", "Buffer", "setImmediate", "clearImmediate"];

let names: string[] | undefined;
let start: ((...values: unknown[]) => void) | undefined;

/** namesOf are the names that the code of a page finds in its window, instead of among those of Node. */
function namesOf(window: Window): string[] {
  if (!names) {
    const language = new Set(runInNewContext("Object.getOwnPropertyNames(globalThis)") as string[]);
    const own = Object.getOwnPropertyNames(window).filter(
      (n) =>
        /^[A-Za-z]\w*$/.test(n) && (!language.has(n) || n === "globalThis" || n === "console") && !/^on[a-z]/.test(n),
    );
    names = [
      ...new Set([
        ...own,
        "globalThis",
        "Date",
        "JSON",
        "addEventListener",
        "removeEventListener",
        "dispatchEvent",
        ...hidden,
      ]),
    ];
  }
  return names;
}

export interface Surroundings {
  time: Time;
  fetch: typeof fetch;
  fault: (text: string) => void;
  clipboard: { text: string };
  download: (name: string, data: Blob | undefined) => void;
  choose: (input: HTMLInputElement) => void;
  navigate: (url: string) => void;
  dark: boolean;
}

const html = readFileSync(new URL("../../index.html", import.meta.url), "utf8")
  .replace(/<script[^]*?<\/script>|<link[^>]*>|<noscript>[^]*?<\/noscript>/g, "")
  .replace("CONSOLE-PROJECT", "");

export function makeWindow(url: string, around: Surroundings): Window {
  const quiet = new VirtualConsole();
  quiet.on("jsdomError", (e) => {
    if (/navigation/i.test(e.message)) return;
    if (!/Not implemented/.test(e.message)) around.fault(String((e as { cause?: Error }).cause?.stack ?? e.stack));
  });
  const dom = new JSDOM(html, { url, virtualConsole: quiet, contentType: "text/html" });
  const window = dom.window as Window;
  complete(window, around);
  return window;
}

const size = { width: 1280, height: 800 };

/** sizeOf is how large an element counts as, since nothing is laid out. */
function sizeOf(e: Element): { width: number; height: number } {
  const role = e.getAttribute("role");
  if (role === "row" || e.tagName === "TR") return { width: size.width, height: 30 };
  if (role === "gridcell" || role === "rowheader" || role === "columnheader" || e.tagName === "TD")
    return { width: 120, height: 30 };
  if (
    e.tagName === "BODY" ||
    e.tagName === "HTML" ||
    role === "grid" ||
    role === "list" ||
    e.classList.contains("scroll") ||
    e.tagName === "MAIN"
  )
    return size;
  return { width: 100, height: 20 };
}

function complete(window: Window, around: Surroundings) {
  const { time } = around;
  const define = (object: object, values: Record<string, unknown>) => {
    for (const [name, value] of Object.entries(values))
      Object.defineProperty(object, name, { configurable: true, writable: true, value });
  };
  const get = (object: object, name: string, value: (this: HTMLElement) => unknown) =>
    Object.defineProperty(object, name, { configurable: true, get: value });
  const blobs = new Map<string, Blob>();
  class PageURL extends URL {
    static createObjectURL(b: Blob) {
      const name = `blob:page/${blobs.size}`;
      blobs.set(name, b);
      return name;
    }
    static revokeObjectURL() {}
  }
  class Sizes {
    constructor(readonly call: (entries: object[], o: object) => void) {}
    observe(target: Element) {
      time.add(
        0,
        () => {
          if (!target.isConnected) return;
          const { width, height } = sizeOf(target);
          const box = [{ inlineSize: width, blockSize: height }];
          this.call([{ target, contentRect: rect(target), borderBoxSize: box, contentBoxSize: box }], this);
        },
        window,
      );
    }
    unobserve() {}
    disconnect() {}
    takeRecords() {
      return [];
    }
  }
  class Intersections extends Sizes {
    observe(target: Element) {
      time.add(
        0,
        () => target.isConnected && this.call([{ target, isIntersecting: true, intersectionRatio: 1 }], this),
        window,
      );
    }
  }
  const rect = (e: Element) => {
    const { width, height } = sizeOf(e);
    return { x: 0, y: 0, left: 0, top: 0, right: width, bottom: height, width, height, toJSON() {} };
  };
  define(window, {
    ...time.clock(window),
    fetch: around.fetch,
    URL: PageURL,
    ResizeObserver: Sizes,
    IntersectionObserver: Intersections,
    Blob,
    File,
    AbortController,
    AbortSignal,
    Headers,
    Response,
    TextDecoderStream,
    WebSocket: NoSocket,
    matchMedia: (query: string) => ({
      matches: /dark/.test(query) ? around.dark : /hover: hover|pointer: fine/.test(query),
      media: query,
      addEventListener() {},
      removeEventListener() {},
      addListener() {},
      removeListener() {},
    }),
    getComputedStyle: (e: HTMLElement) => styleOf(e),
    CSS: { escape: (text: string) => text.replace(/[^\w-]/g, (c) => "\\" + c), supports: () => false },
    JSON: exactJSON,
    scrollTo() {},
    scrollBy() {},
    structuredClone,
    TextEncoder,
    TextDecoder,
    crypto: globalThis.crypto,
    innerWidth: size.width,
    innerHeight: size.height,
    console: {
      ...console,
      error: (...args: unknown[]) =>
        around.fault(args.map((a) => (a instanceof Error ? a.stack : String(a))).join(" ")),
    },
  });
  define(window.navigator, {
    clipboard: {
      writeText: async (text: string) => void (around.clipboard.text = text),
      readText: async () => around.clipboard.text,
    },
    onLine: true,
  });
  const element = window.Element.prototype;
  define(element, {
    getBoundingClientRect() {
      return rect(this as unknown as Element);
    },
    getClientRects() {
      return (this as unknown as Element).isConnected ? [rect(this as unknown as Element)] : [];
    },
    scrollIntoView() {},
    scrollTo(to: { top?: number; left?: number } | number, y?: number) {
      const e = this as unknown as Element;
      const { top, left } = typeof to === "object" ? to : { left: to, top: y };
      if (top !== undefined) e.scrollTop = Math.max(0, top);
      if (left !== undefined) e.scrollLeft = Math.max(0, left);
      time.add(0, () => e.dispatchEvent(new window.Event("scroll")), window);
    },
    scrollBy() {},
    setPointerCapture() {},
    releasePointerCapture() {},
    hasPointerCapture: () => false,
    getAnimations: () => [],
    animate: () => ({ finished: Promise.resolve(), cancel() {}, play() {} }),
    checkVisibility() {
      return true;
    },
  });
  // Nothing is laid out: what styles say is kept, and not parsed.
  const impl = Object.getOwnPropertySymbols(window.document).find((s) => s.description === "impl")!;
  const sheet = Object.getPrototypeOf(
    (window.document.createElement("style") as unknown as Record<symbol, object>)[impl],
  ) as { _updateAStyleBlock: () => void };
  sheet._updateAStyleBlock = () => {};
  const styles = new WeakMap<object, object>();
  for (const kind of [window.HTMLElement.prototype, window.SVGElement.prototype]) {
    get(kind, "style", function () {
      if (!styles.has(this)) styles.set(this, declaration());
      return styles.get(this);
    });
  }
  define(window.Range.prototype, {
    getBoundingClientRect: () => ({ x: 0, y: 0, left: 0, top: 0, right: 8, bottom: 16, width: 8, height: 16 }),
    getClientRects: () => [],
  });
  for (const [side, of] of [
    ["Width", "width"],
    ["Height", "height"],
  ] as const) {
    for (const kind of ["offset", "client", "scroll"]) {
      get(kind === "offset" ? window.HTMLElement.prototype : element, kind + side, function () {
        return sizeOf(this)[of];
      });
    }
  }
  get(window.HTMLElement.prototype, "offsetParent", function () {
    return this.isConnected ? this.parentElement : null;
  });
  get(window.HTMLElement.prototype, "innerText", function () {
    return this.textContent;
  });
  define(window.document, {
    hidden: false,
    visibilityState: "visible",
    elementFromPoint: () => null,
    elementsFromPoint: () => [],
    caretPositionFromPoint: () => null,
  });
  define(window.HTMLCanvasElement.prototype, {
    getContext(this: HTMLCanvasElement) {
      return drawn(new Drawing(this));
    },
    toDataURL: () => "data:,",
  });
  /** What tests look at of a drawing; it does all else, too, to no avail. */
  class Drawing {
    constructor(readonly canvas: HTMLCanvasElement) {}
    fillText() {}
    measureText = (text: string) => ({ width: text.length * 7 });
  }
  define(window, {
    CanvasRenderingContext2D: Drawing,
    Path2D: class {
      moveTo() {}
      lineTo() {}
      arc() {}
      rect() {}
      closePath() {}
      bezierCurveTo() {}
      addPath() {}
    },
  });
  const anchor = window.HTMLAnchorElement.prototype.click;
  define(window.HTMLAnchorElement.prototype, {
    click(this: HTMLAnchorElement) {
      if (this.download) return around.download(this.download, blobs.get(this.href));
      anchor.call(this);
    },
  });
  const click = window.HTMLElement.prototype.click;
  define(window.HTMLInputElement.prototype, {
    click(this: HTMLInputElement) {
      if (this.type === "file") return around.choose(this);
      click.call(this);
    },
    showPicker() {},
  });
  window.addEventListener("error", (e: ErrorEvent) => around.fault(String(e.error?.stack ?? e.message)));
}

/** A WebSocket that is never connected: what needs one is tried in a browser. */
class NoSocket {
  constructor() {
    throw new Error("no WebSocket in a simulated page");
  }
}

function drawn(drawing: object): object {
  return new Proxy(drawing as Record<string | symbol, unknown>, { get: (of, name) => of[name] ?? (() => drawn({})) });
}

const camel = (name: string) => name.replace(/-(\w)/g, (_, c: string) => c.toUpperCase());

/** declaration has styles of an element. */
function declaration(): object {
  const values: Record<string, string> = {};
  const own: Record<string, unknown> = {
    setProperty: (n: string, v: string) => void (values[camel(n)] = String(v)),
    removeProperty: (n: string) => void delete values[camel(n)],
    getPropertyPriority: () => "",
    item: (i: number) => Object.keys(values)[i] ?? "",
    getPropertyValue: (n: string) => values[camel(n)] ?? "",
  };
  return new Proxy(values, {
    get: (_, n) =>
      n === "length"
        ? Object.keys(values).length
        : n === "cssText"
          ? Object.entries(values)
              .map(([k, v]) => `${k}: ${v}`)
              .join("; ")
          : (own[n as string] ?? values[n as string] ?? (typeof n === "string" ? "" : undefined)),
    set(_, n, v) {
      if (n === "cssText") {
        for (const k of Object.keys(values)) delete values[k];
        for (const one of String(v).split(";")) {
          const at = one.indexOf(":");
          if (at > 0) values[camel(one.slice(0, at).trim())] = one.slice(at + 1).trim();
        }
      } else values[n as string] = v === null ? "" : String(v);
      return true;
    },
  });
}

const blank: Record<string, string> = {
  display: "block",
  visibility: "visible",
  position: "static",
  overflow: "visible",
  overflowX: "visible",
  overflowY: "visible",
  direction: "ltr",
  fontSize: "14px",
  lineHeight: "20px",
  whiteSpace: "normal",
  opacity: "1",
  pointerEvents: "auto",
  transform: "none",
  boxSizing: "border-box",
  zIndex: "auto",
};

/** styleOf is the style that an element counts as having. */
function styleOf(e: HTMLElement): CSSStyleDeclaration {
  const own = e.style as unknown as Record<string, string> | undefined;
  return new Proxy({} as Record<string, unknown>, {
    get(_, name) {
      if (name === "getPropertyValue")
        return (n: string) =>
          own?.[n.replace(/-(\w)/g, (_m, c: string) => c.toUpperCase())] ||
          blank[n.replace(/-(\w)/g, (_m, c: string) => c.toUpperCase())] ||
          "";
      const text = String(name);
      if (text === "display" && (e.hidden || e.classList?.contains("hidden"))) return "none";
      return (
        own?.[text] || blank[text] || (/width|height|left|top|right|bottom|padding|margin/i.test(text) ? "0px" : "")
      );
    },
  }) as unknown as CSSStyleDeclaration;
}

/** run starts the console in a window. */
export function run(window: Window) {
  const list = namesOf(window);
  if (!start) {
    const code = readFileSync(process.env.CONSOLE_BUNDLE!, "utf8");
    start = compileFunction(code, list, { filename: process.env.CONSOLE_BUNDLE }) as (...values: unknown[]) => void;
  }
  start!(...list.map((n) => valueOf(window, n)));
}

function valueOf(window: Window, name: string): unknown {
  if (name === "globalThis" || name === "self" || name === "top" || name === "parent") return window;
  if (hidden.includes(name)) return undefined;
  const value = window[name] as unknown;
  // Functions of the window need it as this.
  return typeof value === "function" && /^[a-z]/.test(name) && !Object.hasOwn(window, name)
    ? value.bind(window)
    : value;
}

/** evaluate runs a function, or an expression, of a test in a window. */
export function evaluate(window: Window, what: unknown, args: unknown[]): unknown {
  const list = namesOf(window);
  const body =
    typeof what === "function" ? `return (${String(what)}).apply(undefined, $args)` : `return (${String(what)})`;
  return new Function(...list, "$args", body)(...list.map((n) => valueOf(window, n)), args);
}
