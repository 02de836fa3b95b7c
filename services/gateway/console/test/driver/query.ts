// How elements of a simulated page are found, by the rules of Playwright: roles with accessible names, labels, texts
// and selectors.
import type { Window } from "./window";

export type Text = string | RegExp;

export const tidy = (text: string) =>
  text
    .replace(/[\u200b\u00ad]/g, "")
    .trim()
    .replace(/\s+/g, " ");

const html = "http://www.w3.org/1999/xhtml";

export function matches(text: string, wanted: Text, exact = false): boolean {
  if (wanted instanceof RegExp) return new RegExp(wanted.source, wanted.flags.replace("g", "")).test(text);
  return exact ? tidy(text) === tidy(wanted) : tidy(text).toLowerCase().includes(tidy(wanted).toLowerCase());
}

/** visible reports whether an element is drawn. */
export function visible(e: Element): boolean {
  if (!e.isConnected) return false;
  for (let at: Element | null = e; at; at = at.parentElement) {
    if (concealed(at)) return false;
    const around: Element | null = at.parentElement;
    if (around?.tagName === "DETAILS" && !around.hasAttribute("open") && at.tagName !== "SUMMARY") return false;
  }
  return true;
}

function concealed(e: Element): boolean {
  if (e.hasAttribute("hidden") || e.classList.contains("hidden")) return true;
  const style = e.namespaceURI === html ? (e as HTMLElement).style : undefined;
  if (style && (style.display === "none" || style.visibility === "hidden")) return true;
  return (
    e.tagName === "TEMPLATE" ||
    e.tagName === "SCRIPT" ||
    e.tagName === "STYLE" ||
    e.tagName === "HEAD" ||
    (e.tagName === "INPUT" && e.getAttribute("type") === "hidden") ||
    (e.tagName === "DIALOG" && !e.hasAttribute("open"))
  );
}

/** perceived reports whether assistive technology finds an element. */
function perceived(e: Element): boolean {
  for (let at: Element | null = e; at; at = at.parentElement)
    if (at.getAttribute("aria-hidden") === "true" || at.hasAttribute("inert")) return false;
  return e.tagName === "OPTION" ? visible(e.closest("select") ?? e) : visible(e);
}

const inputs: Record<string, string> = {
  button: "button",
  submit: "button",
  reset: "button",
  image: "button",
  checkbox: "checkbox",
  radio: "radio",
  range: "slider",
  number: "spinbutton",
  search: "searchbox",
  email: "textbox",
  tel: "textbox",
  text: "textbox",
  url: "textbox",
  password: "",
  hidden: "",
  file: "button",
  date: "",
  time: "",
  color: "",
};
const tags: Record<string, string> = {
  BUTTON: "button",
  NAV: "navigation",
  MAIN: "main",
  ASIDE: "complementary",
  ARTICLE: "article",
  UL: "list",
  OL: "list",
  MENU: "list",
  LI: "listitem",
  H1: "heading",
  H2: "heading",
  H3: "heading",
  H4: "heading",
  H5: "heading",
  H6: "heading",
  TABLE: "table",
  TR: "row",
  TBODY: "rowgroup",
  THEAD: "rowgroup",
  TFOOT: "rowgroup",
  TEXTAREA: "textbox",
  OPTION: "option",
  OPTGROUP: "group",
  FIELDSET: "group",
  DETAILS: "group",
  FIGURE: "figure",
  DIALOG: "dialog",
  OUTPUT: "status",
  PROGRESS: "progressbar",
  METER: "meter",
  HR: "separator",
  IMG: "img",
  P: "paragraph",
  CODE: "code",
  STRONG: "strong",
  EM: "emphasis",
  SEARCH: "search",
  DL: "list",
  DT: "term",
  DD: "definition",
};
const inSections =
  "article,aside,main,nav,section,[role=article],[role=complementary],[role=main],[role=navigation],[role=region]";

export function roleOf(e: Element): string {
  const explicit = e.getAttribute("role");
  if (explicit) return explicit.trim().split(/\s+/)[0]!;
  switch (e.tagName) {
    case "INPUT": {
      const type = (e as HTMLInputElement).type;
      return e.hasAttribute("list") && ["text", "search", "email", "tel", "url"].includes(type)
        ? "combobox"
        : (inputs[type] ?? "textbox");
    }
    case "SELECT":
      return (e as HTMLSelectElement).multiple || (e as HTMLSelectElement).size > 1 ? "listbox" : "combobox";
    case "A":
    case "AREA":
      return e.hasAttribute("href") ? "link" : "";
    case "SECTION":
      return e.hasAttribute("aria-label") || e.hasAttribute("aria-labelledby") ? "region" : "";
    case "FORM":
      return e.hasAttribute("aria-label") || e.hasAttribute("aria-labelledby") ? "form" : "";
    case "TD":
    case "TH": {
      const grid = /grid/.test(e.closest("table")?.getAttribute("role") ?? "");
      if (e.tagName === "TD") return grid ? "gridcell" : "cell";
      return e.getAttribute("scope") === "row" || e.getAttribute("scope") === "rowgroup" ? "rowheader" : "columnheader";
    }
    case "HEADER":
      return e.closest(inSections) ? "" : "banner";
    case "FOOTER":
      return e.closest(inSections) ? "" : "contentinfo";
  }
  return tags[e.tagName] ?? "";
}

const named = new Set([
  "button",
  "cell",
  "checkbox",
  "columnheader",
  "gridcell",
  "heading",
  "link",
  "menuitem",
  "menuitemcheckbox",
  "menuitemradio",
  "option",
  "radio",
  "row",
  "rowheader",
  "switch",
  "tab",
  "tooltip",
  "treeitem",
]);

/** nameOf is the accessible name. */
export function nameOf(e: Element): string {
  return tidy(named_(e, new Set(), false));
}

function named_(e: Element, seen: Set<Element>, inside: boolean): string {
  if (seen.has(e)) return "";
  seen.add(e);
  const by = e.getAttribute("aria-labelledby");
  if (by && !inside) {
    const texts = by
      .split(/\s+/)
      .map((id) => e.ownerDocument.getElementById(id))
      .filter((l) => l !== null)
      .map((l) => l.getAttribute("aria-label")?.trim() || own(l, new Set(), true));
    if (texts.join("").trim()) return texts.join(" ");
  }
  return own(e, seen, inside);
}

function own(e: Element, seen: Set<Element>, inside: boolean): string {
  const role = roleOf(e);
  const label = e.getAttribute("aria-label");
  if (
    inside &&
    label?.trim() &&
    !["textbox", "combobox", "listbox", "slider", "spinbutton", "searchbox"].includes(role)
  )
    return label;
  if (inside) {
    if (role === "textbox" || role === "searchbox" || role === "spinbutton")
      return (e as HTMLInputElement).value ?? e.textContent ?? "";
    if (e.tagName === "SELECT") return [...(e as HTMLSelectElement).selectedOptions].map((o) => o.text).join(" ");
  }
  if (label?.trim()) return label;
  if (!inside || e.tagName === "IMG") {
    const labels = labelable.test(e.tagName) && role !== "" ? labelsOf(e) : [];
    if (labels.length) return [...labels].map((l) => contents(l, new Set([e]))).join(" ");
    if (e.tagName === "INPUT" && role === "button")
      return (
        (e as HTMLInputElement).value ||
        ({ submit: "Submit", reset: "Reset", file: "Choose File" } as Record<string, string>)[
          (e as HTMLInputElement).type
        ] ||
        ""
      );
    const first = { FIELDSET: "LEGEND", TABLE: "CAPTION", FIGURE: "FIGCAPTION" }[e.tagName];
    const titled = first && [...e.children].find((c) => c.tagName === first);
    if (titled) return contents(titled, seen);
    if (e.tagName === "IMG") return e.getAttribute("alt") ?? e.getAttribute("title") ?? "";
  }
  if (inside || named.has(role)) {
    const text = contents(e, seen);
    if (text.trim()) return text;
  }
  const title = e.getAttribute("title");
  if (title?.trim()) return title;
  return (!inside && e.getAttribute("placeholder")) || "";
}

const block =
  /^(ADDRESS|ARTICLE|ASIDE|BLOCKQUOTE|DETAILS|DIALOG|DD|DIV|DL|DT|FIELDSET|FIGCAPTION|FIGURE|FOOTER|FORM|H[1-6]|HEADER|HR|LI|MAIN|NAV|OL|P|PRE|SECTION|SUMMARY|TABLE|TBODY|TD|TH|THEAD|TR|UL|BR|OPTION)$/;

function contents(e: Element, seen: Set<Element>): string {
  let text = "";
  for (let n = e.firstChild; n; n = n.nextSibling) {
    if (n.nodeType === 3) text += n.nodeValue;
    else if (n.nodeType === 1) {
      const child = n as Element;
      if (concealed(child) || child.getAttribute("aria-hidden") === "true" || seen.has(child)) continue;
      const part = own(child, seen, true);
      text += block.test(child.tagName) ? ` ${part} ` : part;
    }
  }
  return text;
}

/** textOf is the text of an element as texts are looked for in it. */
export function textOf(e: Element): string {
  if (e.tagName === "INPUT" && /^(submit|button)$/.test((e as HTMLInputElement).type))
    return (e as HTMLInputElement).value;
  return e.textContent ?? "";
}

const unsought = /^(SCRIPT|NOSCRIPT|STYLE|HEAD|TITLE|META)$/;

function hasText(e: Element, wanted: Text, exact: boolean): boolean {
  return !unsought.test(e.tagName) && matches(tidy(textOf(e)), wanted, exact);
}

/** innermost reports whether an element has a text, and none of its children has it. */
function innermost(e: Element, wanted: Text, exact: boolean): boolean {
  return hasText(e, wanted, exact) && ![...e.children].some((c) => hasText(c, wanted, exact));
}

function labelled(e: Element, wanted: Text, exact: boolean): boolean {
  const by = e.getAttribute("aria-labelledby");
  if (by) {
    const labels = by
      .split(/\s+/)
      .map((id) => e.ownerDocument.getElementById(id))
      .filter((l) => l !== null);
    if (labels.length) return labels.some((l) => matches(tidy(textOf(l)), wanted, exact));
  }
  const label = e.getAttribute("aria-label");
  if (label?.trim()) return matches(tidy(label), wanted, exact);
  return labelable.test(e.tagName) && labelsOf(e).some((l) => matches(tidy(textOf(l)), wanted, exact));
}

export type Step = (roots: Element[], window: Window) => Element[];

/** Index is what a document has, as long as it doesn't change. */
interface Index {
  version: number;
  all: Element[];
  at: Map<Element, number>;
  labels: Map<Element, Element[]>;
}

const indices = new WeakMap<Document, Index>();
let inside: symbol | undefined;

/** versionOf counts the changes of a document, as jsdom does. */
function versionOf(document: Document): number {
  inside ??= Object.getOwnPropertySymbols(document).find((s) => s.description === "impl")!;
  return (document as unknown as Record<symbol, { _version: number }>)[inside]!._version;
}

const labelable = /^(BUTTON|INPUT|METER|OUTPUT|PROGRESS|SELECT|TEXTAREA)$/;

function indexOf(document: Document): Index {
  const version = versionOf(document);
  const known = indices.get(document);
  if (known?.version === version) return known;
  const all: Element[] = [];
  const labels = new Map<Element, Element[]>();
  const at = new Map<Element, number>();
  const walker = document.createTreeWalker(document.documentElement, 1);
  for (let e = walker.currentNode as Element | null; e; e = walker.nextNode() as Element | null) {
    at.set(e, all.length);
    all.push(e);
  }
  const index = { version, all, at, labels };
  for (const l of all) {
    if (l.tagName !== "LABEL") continue;
    const id = l.getAttribute("for");
    const control =
      id === null ? inIndex(index, l).find((e) => labelable.test(e.tagName)) : document.getElementById(id);
    if (control) labels.set(control, [...(labels.get(control) ?? []), l]);
  }
  indices.set(document, index);
  return index;
}

/** inIndex are the elements in one: those that follow it until one that isn't in it. */
function inIndex(index: Index, e: Element): Element[] {
  const from = index.at.get(e);
  if (from === undefined) return [...e.getElementsByTagName("*")];
  let after: Element | null = e;
  while (after && !after.nextElementSibling) after = after.parentElement;
  const to = after ? index.at.get(after.nextElementSibling!) : undefined;
  return index.all.slice(from + 1, to);
}

function labelsOf(e: Element): Element[] {
  return indexOf(e.ownerDocument).labels.get(e) ?? [];
}

/** within are the elements in some, in the order of the document. */
function within(roots: Element[]): Element[] {
  const index = roots[0] && indexOf(roots[0].ownerDocument);
  if (!index) return [];
  if (roots.length === 1) return inIndex(index, roots[0]!);
  const found = new Set<Element>();
  for (const r of roots) for (const e of inIndex(index, r)) found.add(e);
  return [...found];
}

export interface RoleOptions {
  name?: Text;
  exact?: boolean;
  checked?: boolean;
  selected?: boolean;
  expanded?: boolean;
  pressed?: boolean;
  disabled?: boolean;
  level?: number;
  includeHidden?: boolean;
}

export function byRole(role: string, o: RoleOptions = {}): Step {
  return (roots) =>
    within(roots).filter((e) => {
      if (roleOf(e) !== role) return false;
      if (o.level !== undefined && Number(e.getAttribute("aria-level") ?? /^H(\d)$/.exec(e.tagName)?.[1]) !== o.level)
        return false;
      if (
        o.checked !== undefined &&
        ((e as HTMLInputElement).checked ?? e.getAttribute("aria-checked") === "true") !== o.checked
      )
        return false;
      if (
        o.selected !== undefined &&
        ((e as HTMLOptionElement).selected ?? e.getAttribute("aria-selected") === "true") !== o.selected
      )
        return false;
      if (o.expanded !== undefined && (e.getAttribute("aria-expanded") === "true") !== o.expanded) return false;
      if (o.pressed !== undefined && (e.getAttribute("aria-pressed") === "true") !== o.pressed) return false;
      if (o.disabled !== undefined && !enabled(e) !== o.disabled) return false;
      if (!o.includeHidden && !perceived(e)) return false;
      return o.name === undefined || matches(nameOf(e), o.name, o.exact);
    });
}

export const byText =
  (text: Text, exact = false): Step =>
  (roots) =>
    within(roots).filter((e) => innermost(e, text, exact));
export const byLabel =
  (text: Text, exact = false): Step =>
  (roots) =>
    within(roots).filter((e) => labelled(e, text, exact));
export const byAttribute =
  (name: string, text: Text, exact = false): Step =>
  (roots) =>
    within(roots).filter((e) => e.hasAttribute(name) && matches(e.getAttribute(name)!, text, exact));
export const withText =
  (text: Text): ((e: Element) => boolean) =>
  (e) =>
    hasText(e, text, false);

export function byCSS(selector: string): Step {
  return (roots, window) => {
    // As in Playwright, a selector may begin with the element that it is looked for in.
    const found = new Set<Element>();
    for (const r of roots) {
      const list =
        r === window.document.documentElement
          ? window.document.querySelectorAll(selector)
          : r.querySelectorAll(/^\s*>/.test(selector) ? `:scope ${selector}` : selector);
      for (const e of list) found.add(e as Element);
    }
    return [...found];
  };
}

/** enabled reports whether an element can be used. */
export function enabled(e: Element): boolean {
  if (
    /^(BUTTON|SELECT|INPUT|TEXTAREA|OPTION|OPTGROUP)$/.test(e.tagName) &&
    (e.hasAttribute("disabled") || e.closest("fieldset[disabled]"))
  )
    return false;
  for (let at: Element | null = e; at; at = at.parentElement) {
    const said = at.getAttribute("aria-disabled");
    if (said !== null) return said !== "true";
  }
  return true;
}

/** drawn is the text of an element as it is drawn, in lines. */
export function drawn(e: Element): string {
  let text = "";
  const add = (n: Node) => {
    for (let c = n.firstChild; c; c = c.nextSibling) {
      if (c.nodeType === 3)
        text += c.nodeValue!.replace(/[ \t\r\n]+/g, (s) => (/^(PRE|TEXTAREA)$/.test(n.nodeName) ? s : " "));
      else if (c.nodeType === 1) {
        const child = c as Element;
        if (
          concealed(child) ||
          (n.nodeName === "DETAILS" && !(n as Element).hasAttribute("open") && child.tagName !== "SUMMARY")
        )
          continue;
        const cell = /^(TD|TH)$/.test(child.tagName);
        const own = !cell && block.test(child.tagName);
        if (own && text && !text.endsWith("\n")) text += "\n";
        if (child.tagName === "SELECT") text += [...(child as HTMLSelectElement).options].map((o) => o.text).join("\n");
        else add(child);
        if (cell && child.nextElementSibling) text += "\t";
        if (own && text && !text.endsWith("\n")) text += "\n";
      }
    }
  };
  add(e);
  return text.replace(/ *\n */g, "\n").trim();
}
