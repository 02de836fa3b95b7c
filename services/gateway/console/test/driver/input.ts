// What a user does to a simulated page: the events of pointers and keys, and what a browser does by itself after them.
import { enabled, visible } from "./query";
import type { Window } from "./window";

// What a window has of its own, which has no types.
// eslint-disable-next-line @typescript-eslint/no-explicit-any
type Any = any;

export interface Modifiers {
  Control?: boolean;
  Shift?: boolean;
  Alt?: boolean;
  Meta?: boolean;
}

const flags = (m: Modifiers) => ({ ctrlKey: !!m.Control, shiftKey: !!m.Shift, altKey: !!m.Alt, metaKey: !!m.Meta });

export function modifiersOf(list: string[] = []): Modifiers {
  return Object.fromEntries(list.map((m) => [m === "ControlOrMeta" ? "Control" : m, true]));
}

interface Line {
  number: number;
  from: number;
  to: number;
}

/** View is what is used of an editor's view. */
interface View {
  state: {
    doc: { toString(): string; length: number; lines: number; line(n: number): Line; lineAt(at: number): Line };
    selection: { main: { from: number; to: number } };
    replaceSelection(text: string): object;
    facet(f: unknown): unknown;
    readOnly: boolean;
  };
  dispatch(...t: object[]): void;
  focus(): void;
  constructor: unknown;
}

/** editorOf is the editor that an element is the text of. */
export function editorOf(e: Element | null): View | undefined {
  const content = e?.closest(".cm-content") as { cmTile?: { view: View }; cmView?: { view: View } } | null | undefined;
  return (content?.cmTile ?? content?.cmView)?.view;
}

const focusable = "button, input, select, textarea, a[href], summary, [tabindex], [contenteditable=true]";

function canFocus(e: Element): boolean {
  return enabledNatively(e) && visible(e) && !e.closest("[inert]") && (e as HTMLInputElement).type !== "hidden";
}

function enabledNatively(e: Element): boolean {
  return !(
    /^(BUTTON|SELECT|INPUT|TEXTAREA)$/.test(e.tagName) &&
    (e.hasAttribute("disabled") || e.closest("fieldset[disabled]"))
  );
}

/** tabbable are the elements that Tab goes to, in this order. */
export function tabbable(window: Window): HTMLElement[] {
  const all = [...window.document.querySelectorAll(focusable)] as HTMLElement[];
  return all.filter((e) => {
    if (Number(e.getAttribute("tabindex") ?? 0) < 0 || !canFocus(e)) return false;
    if (e.tagName === "SUMMARY" && e.parentElement?.tagName !== "DETAILS") return false;
    const radio = e as HTMLInputElement;
    if (radio.type === "radio" && radio.name && !radio.checked) {
      const group = all.filter(
        (o) => (o as HTMLInputElement).type === "radio" && (o as HTMLInputElement).name === radio.name,
      ) as HTMLInputElement[];
      return !group.some((o) => o.checked) && group[0] === radio;
    }
    return true;
  });
}

export function activeOf(window: Window): HTMLElement {
  return (window.document.activeElement ?? window.document.body) as HTMLElement;
}

const types = new Set([
  "text",
  "search",
  "url",
  "tel",
  "email",
  "password",
  "number",
  "date",
  "time",
  "datetime-local",
  "",
]);

function isText(e: Element): e is HTMLInputElement | HTMLTextAreaElement {
  return (
    (e.tagName === "TEXTAREA" || (e.tagName === "INPUT" && types.has((e as HTMLInputElement).type))) &&
    enabledNatively(e)
  );
}

export class User {
  held: Modifiers = {};
  readonly #before = new WeakMap<Element, string>();

  constructor(
    readonly window: Window,
    readonly clipboard: { text: string },
  ) {
    // A field that is left says that it has changed.
    window.document.addEventListener(
      "focusin",
      (e: Event) =>
        isText(e.target as Element) && this.#before.set(e.target as Element, (e.target as HTMLInputElement).value),
      true,
    );
    window.document.addEventListener(
      "focusout",
      (e: Event) => {
        const field = e.target as HTMLInputElement;
        const before = this.#before.get(field);
        if (before !== undefined && before !== field.value)
          field.dispatchEvent(new window.Event("change", { bubbles: true }));
        this.#before.delete(field);
      },
      true,
    );
  }

  #pointer(e: Element, type: string, m: Modifiers, button: number, detail: number): boolean {
    const { window } = this;
    const down = /down$|move$/.test(type) ? 1 : 0;
    const all = {
      bubbles: !/enter|leave/.test(type),
      cancelable: true,
      composed: true,
      view: window,
      button,
      buttons: down,
      detail,
      clientX: 5,
      clientY: 5,
      screenX: 5,
      screenY: 5,
      ...flags({ ...this.held, ...m }),
    };
    if (!type.startsWith("pointer")) return e.dispatchEvent(new window.MouseEvent(type, all));
    return e.dispatchEvent(
      new window.PointerEvent(type, {
        ...all,
        detail: 0,
        pointerId: 1,
        pointerType: "mouse",
        isPrimary: true,
        width: 1,
        height: 1,
        pressure: down ? 0.5 : 0,
      }),
    );
  }

  hover(e: Element) {
    for (const type of ["pointerover", "pointerenter", "mouseover", "mouseenter", "pointermove", "mousemove"])
      this.#pointer(e, type, {}, 0, 0);
  }

  click(e: Element, m: Modifiers = {}, button = 0, times = 1) {
    const { document } = this.window;
    for (let n = 1; n <= times; n++) {
      this.hover(e);
      if (!enabledNatively(e)) return;
      const view = editorOf(e);
      if (view) {
        view.focus();
        return;
      }
      this.#pointer(e, "pointerdown", m, button, 0);
      if (this.#pointer(e, "mousedown", m, button, n)) {
        let at: Element | null = e;
        while (at && !(at.matches(focusable) && canFocus(at))) at = at.parentElement;
        const label = e.closest("label");
        if (at && at !== document.body) {
          if (document.activeElement !== at) this.#focus(at as HTMLElement);
        } else if (!label?.control) activeOf(this.window).blur();
      }
      if (!e.isConnected) return;
      this.#pointer(e, "pointerup", m, button, 0);
      this.#pointer(e, "mouseup", m, button, n);
      if (!e.isConnected) return;
      if (button === 2) this.#pointer(e, "contextmenu", m, button, 0);
      else this.activate(e, m, n);
    }
    if (times === 2) this.#pointer(e, "dblclick", m, button, 2);
  }

  #focus(e: HTMLElement) {
    e.focus();
    if (this.window.document.activeElement === e && isText(e) && e.tagName === "INPUT" && e.selectionStart !== null)
      e.setSelectionRange(e.value.length, e.value.length);
  }

  /** activate clicks, with what a browser does then. detail is 0 for a key. */
  activate(e: Element, m: Modifiers = {}, detail = 0) {
    const summary = e.closest("summary");
    const details =
      summary?.parentElement?.tagName === "DETAILS" ? (summary.parentElement as HTMLDetailsElement) : undefined;
    const was = details?.open;
    const inner = e.closest("button, a[href], input, select, textarea, label");
    const went = this.#pointer(e, "click", m, 0, detail);
    if (went && details && details.open === was && !(inner && summary!.contains(inner))) details.open = !was;
    const label = e.closest("label");
    if (label?.control && label.control !== e && !label.control.contains(e) && isText(label.control))
      this.#focus(label.control as HTMLElement);
  }

  /** select chooses options of a list. */
  select(e: HTMLSelectElement, chosen: HTMLOptionElement[]) {
    e.focus();
    if (e.multiple) for (const o of e.options) o.selected = chosen.includes(o);
    else chosen[0]!.selected = true;
    e.dispatchEvent(new this.window.Event("input", { bubbles: true, composed: true }));
    e.dispatchEvent(new this.window.Event("change", { bubbles: true }));
  }

  /** fill replaces what a field has. */
  fill(e: Element, text: string) {
    const view = editorOf(e);
    (e as HTMLElement).focus();
    if (view) {
      view.dispatch({
        changes: { from: 0, to: view.state.doc.length, insert: text },
        selection: { anchor: text.length },
        userEvent: "input.type",
      });
      return;
    }
    if (!/^(INPUT|TEXTAREA)$/.test(e.tagName)) {
      if (!e.hasAttribute("contenteditable")) throw new Error(`${e.tagName} can't be filled`);
      e.textContent = text;
      e.dispatchEvent(new this.window.InputEvent("input", { bubbles: true }));
      return;
    }
    const field = e as HTMLInputElement;
    this.#set(field, text, "insertText", text);
    if (/^(date|time|datetime-local|color|range)$/.test(field.type))
      field.dispatchEvent(new this.window.Event("change", { bubbles: true }));
  }

  #set(
    field: HTMLInputElement | HTMLTextAreaElement,
    value: string,
    inputType: string,
    data: string | null,
    caret?: number,
  ) {
    const proto =
      field.tagName === "INPUT" ? this.window.HTMLInputElement.prototype : this.window.HTMLTextAreaElement.prototype;
    Object.getOwnPropertyDescriptor(proto, "value")!.set!.call(field, value);
    if (caret !== undefined && field.selectionStart !== null) field.setSelectionRange(caret, caret);
    field.dispatchEvent(new this.window.InputEvent("input", { bubbles: true, composed: true, inputType, data }));
  }

  /** insert puts a text where the caret is. */
  insert(text: string, inputType = "insertText") {
    const e = activeOf(this.window);
    const view = editorOf(e);
    if (view) {
      if (view.state.readOnly) return;
      const { from, to } = view.state.selection.main;
      const make = () => ({ ...view.state.replaceSelection(text), userEvent: "input.type", scrollIntoView: true });
      const handlers = view.state.facet((view.constructor as { inputHandler: unknown }).inputHandler) as ((
        v: View,
        f: number,
        t: number,
        s: string,
        m: () => object,
      ) => boolean)[];
      if (text.length !== 1 || !handlers.some((h) => h(view, from, to, text, () => view.state && (make() as object))))
        view.dispatch(make());
      return;
    }
    if (!isText(e) || e.readOnly) {
      // Parts of a date that are typed into.
      if (e.isContentEditable || e.getAttribute("contenteditable") !== null)
        e.dispatchEvent(
          new this.window.InputEvent("beforeinput", { bubbles: true, cancelable: true, inputType, data: text }),
        );
      return;
    }
    if (
      !e.dispatchEvent(
        new this.window.InputEvent("beforeinput", { bubbles: true, cancelable: true, inputType, data: text }),
      )
    )
      return;
    const value = e.value;
    const from = e.selectionStart ?? value.length;
    const to = e.selectionEnd ?? value.length;
    this.#set(e, value.slice(0, from) + text + value.slice(to), inputType, text, from + text.length);
  }

  #erase(forward: boolean, word: boolean) {
    const e = activeOf(this.window);
    if (!isText(e) || e.readOnly) {
      if (e.getAttribute("contenteditable") !== null)
        e.dispatchEvent(
          new this.window.InputEvent("beforeinput", {
            bubbles: true,
            cancelable: true,
            inputType: forward ? "deleteContentForward" : "deleteContentBackward",
          }),
        );
      return;
    }
    const { value } = e;
    let from = e.selectionStart ?? value.length;
    let to = e.selectionEnd ?? value.length;
    if (from === to) {
      if (forward) to = Math.min(value.length, word ? value.length : to + 1);
      else from = word ? value.slice(0, from).replace(/\S+\s*$/, "").length : Math.max(0, from - 1);
    }
    if (from === to) return;
    this.#set(
      e,
      value.slice(0, from) + value.slice(to),
      forward ? "deleteContentForward" : "deleteContentBackward",
      null,
      from,
    );
  }

  /** press presses a key, with others held, as Playwright names them. */
  press(keys: string) {
    const parts = keys === "+" ? ["+"] : keys.split(/(?<!^)\+/);
    const key = parts.pop()!;
    const m = { ...this.held, ...modifiersOf(parts) };
    this.#key(key, m);
  }

  #key(name: string, m: Modifiers) {
    const key = name === "Space" ? " " : m.Shift && name.length === 1 ? name.toUpperCase() : name;
    const e = activeOf(this.window);
    const all = {
      key,
      code: codeOf(name),
      keyCode: keyCodeOf(key),
      which: keyCodeOf(key),
      bubbles: true,
      cancelable: true,
      composed: true,
      view: this.window,
      ...flags(m),
    };
    const event = (type: string) => {
      const made = new this.window.KeyboardEvent(type, all);
      for (const n of ["keyCode", "which"])
        if ((made as Any)[n] !== all.keyCode) Object.defineProperty(made, n, { value: all.keyCode });
      return made;
    };
    if (/^Arrow(Up|Down)$/.test(key) && this.#line(e, key === "ArrowDown" ? 1 : -1)) return;
    const went = e.dispatchEvent(event("keydown"));
    if (went) this.#after(key, m, e);
    const now = activeOf(this.window);
    const up = now.dispatchEvent(event("keyup"));
    if (went && up && key === " " && now === e && !m.Control && this.#pressedBySpace(e)) this.activate(e);
  }

  /** line moves the cursor of an editor by a line, which the editor itself does by where lines are drawn. */
  #line(e: Element, by: number): boolean {
    const view = editorOf(e);
    if (!view || this.window.document.querySelector(".cm-tooltip-autocomplete")) return false;
    const { doc, selection } = view.state;
    const at = doc.lineAt(selection.main.to);
    const number = at.number + by;
    if (number < 1 || number > doc.lines) return true;
    const to = doc.line(number);
    view.dispatch({ selection: { anchor: Math.min(to.to, to.from + selection.main.to - at.from) } });
    return true;
  }

  #pressedBySpace(e: Element): boolean {
    return (
      (e.tagName === "BUTTON" ||
        e.tagName === "SUMMARY" ||
        (e.tagName === "INPUT" && /^(checkbox|radio|button|submit|reset|file)$/.test((e as HTMLInputElement).type))) &&
      enabledNatively(e)
    );
  }

  #after(key: string, m: Modifiers, e: HTMLElement) {
    const control = m.Control || m.Meta;
    if (key === "Tab" && !control && !m.Alt) return this.tab(!!m.Shift);
    if (control) {
      switch (key.toLowerCase()) {
        case "a":
          if (isText(e)) e.select();
          return;
        case "c":
        case "x":
          return this.copy(e, key.toLowerCase() === "x");
        case "v":
          return this.paste(this.clipboard.text);
        case "backspace":
        case "delete":
          return this.#erase(key === "Delete", true);
      }
      return;
    }
    switch (key) {
      case "Enter": {
        if (e.tagName === "TEXTAREA") return this.insert("\n", "insertLineBreak");
        if (e.tagName === "BUTTON" || e.tagName === "SUMMARY" || (e.tagName === "A" && e.hasAttribute("href")))
          return this.activate(e, m);
        const { form } = e as HTMLInputElement;
        if (e.tagName !== "INPUT" || !form) return;
        const button = [...form.elements].find((b) => (b as HTMLButtonElement).type === "submit") as
          HTMLButtonElement | undefined;
        e.dispatchEvent(new this.window.Event("change", { bubbles: true }));
        if (button) return void (enabledNatively(button) && this.activate(button));
        return form.requestSubmit();
      }
      case "Backspace":
      case "Delete":
        return this.#erase(key === "Delete", false);
      case "Escape": {
        const open = e.closest("dialog[open]") as HTMLDialogElement | null;
        if (open?.dispatchEvent(new this.window.Event("cancel", { cancelable: true }))) open.close();
        return;
      }
      case "ArrowLeft":
      case "ArrowRight":
      case "Home":
      case "End": {
        if (e.tagName === "INPUT" && (e as HTMLInputElement).type === "radio")
          return this.#radio(e as HTMLInputElement, key === "ArrowRight" ? 1 : -1);
        if (!isText(e) || e.selectionStart === null) return;
        const from = e.selectionStart;
        const to = e.selectionEnd!;
        const backward = e.selectionDirection === "backward";
        const head = backward ? from : to;
        const step =
          key === "Home"
            ? 0
            : key === "End"
              ? e.value.length
              : Math.max(0, Math.min(e.value.length, head + (key === "ArrowLeft" ? -1 : 1)));
        if (m.Shift) {
          const anchor = backward ? to : from;
          return e.setSelectionRange(
            Math.min(anchor, step),
            Math.max(anchor, step),
            step < anchor ? "backward" : "forward",
          );
        }
        const at = from !== to && key.startsWith("Arrow") ? (key === "ArrowLeft" ? from : to) : step;
        return e.setSelectionRange(at, at);
      }
      case "ArrowUp":
      case "ArrowDown": {
        const by = key === "ArrowDown" ? 1 : -1;
        if (e.tagName === "SELECT") {
          const list = e as HTMLSelectElement;
          const to = list.selectedIndex + by;
          if (to >= 0 && to < list.options.length) this.select(list, [list.options[to]!]);
        } else if (e.tagName === "INPUT" && (e as HTMLInputElement).type === "radio")
          this.#radio(e as HTMLInputElement, by);
        else if (e.tagName === "INPUT" && (e as HTMLInputElement).type === "number") {
          const field = e as HTMLInputElement;
          this.#set(field, String(Number(field.value || 0) - by * Number(field.step || 1)), "", null);
        }
        return;
      }
    }
    if ([...key].length === 1 && !m.Alt && !this.#pressedBySpace(e)) this.insert(key);
  }

  #radio(e: HTMLInputElement, by: number) {
    const group = ([...this.window.document.querySelectorAll("input[type=radio]")] as HTMLInputElement[]).filter(
      (o) => o.name === e.name && o.form === e.form && enabled(o),
    );
    const next = group[(group.indexOf(e) + by + group.length) % group.length]!;
    next.focus();
    this.activate(next);
  }

  tab(back: boolean) {
    const list = tabbable(this.window);
    const now = activeOf(this.window);
    let at = list.indexOf(now);
    if (at < 0) {
      // From where the focus was last.
      const after = list.findIndex((e) => now.compareDocumentPosition(e) & 4);
      at =
        now === this.window.document.body
          ? back
            ? 0
            : -1
          : back
            ? after < 0
              ? list.length
              : after
            : (after < 0 ? list.length : after) - 1;
    }
    const next = list[(at + (back ? -1 : 1) + list.length) % list.length];
    if (!next) return;
    next.focus();
    if (isText(next)) next.select();
  }

  #transfer(text = ""): object {
    const values = new Map([["text/plain", text]]);
    return {
      getData: (type: string) => values.get(type === "text" ? "text/plain" : type) ?? "",
      setData: (type: string, value: string) => values.set(type === "text" ? "text/plain" : type, value),
      clearData: () => values.clear(),
      types: ["text/plain"],
      items: [],
      files: [],
      values,
    };
  }

  #clip(type: string, e: Element, data: object): boolean {
    const event = new this.window.Event(type, { bubbles: true, cancelable: true, composed: true });
    Object.defineProperty(event, "clipboardData", { value: data });
    return e.dispatchEvent(event);
  }

  copy(e: Element, cut: boolean) {
    const data = this.#transfer() as { values: Map<string, string> };
    if (!this.#clip(cut ? "cut" : "copy", e, data))
      return void (this.clipboard.text = data.values.get("text/plain") ?? "");
    if (!isText(e)) {
      const chosen = String(this.window.getSelection() ?? "");
      if (chosen) this.clipboard.text = chosen;
      return;
    }
    const chosen = e.value.slice(e.selectionStart ?? 0, e.selectionEnd ?? 0);
    if (!chosen) return;
    this.clipboard.text = chosen;
    if (cut) this.#erase(false, false);
  }

  paste(text: string) {
    const e = activeOf(this.window);
    if (this.#clip("paste", e, this.#transfer(text))) this.insert(text, "insertFromPaste");
  }
}

function codeOf(key: string): string {
  if (/^[a-z]$/i.test(key)) return `Key${key.toUpperCase()}`;
  if (/^\d$/.test(key)) return `Digit${key}`;
  return { " ": "Space", "/": "Slash", "?": "Slash", "-": "Minus", ".": "Period", ",": "Comma" }[key] ?? key;
}

function keyCodeOf(key: string): number {
  const known: Record<string, number> = {
    Enter: 13,
    Tab: 9,
    Escape: 27,
    Backspace: 8,
    Delete: 46,
    ArrowLeft: 37,
    ArrowUp: 38,
    ArrowRight: 39,
    ArrowDown: 40,
    Home: 36,
    End: 35,
    PageUp: 33,
    PageDown: 34,
    " ": 32,
    Insert: 45,
    F2: 113,
    "/": 191,
    "?": 191,
    "-": 189,
    ".": 190,
    ",": 188,
    Shift: 16,
    Control: 17,
    Alt: 18,
    Meta: 91,
    ContextMenu: 93,
  };
  return known[key] ?? (/^[a-z0-9]$/i.test(key) ? key.toUpperCase().charCodeAt(0) : 0);
}
