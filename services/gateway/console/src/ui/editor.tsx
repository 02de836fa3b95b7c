import { useEffect, useRef } from "react";
import { closeBrackets, closeBracketsKeymap, autocompletion, completionKeymap } from "@codemirror/autocomplete";
import { defaultKeymap, history, historyKeymap } from "@codemirror/commands";
import {
  bracketMatching,
  defaultHighlightStyle,
  foldGutter,
  foldKeymap,
  HighlightStyle,
  indentOnInput,
  syntaxHighlighting,
} from "@codemirror/language";
import { lintKeymap } from "@codemirror/lint";
import { Compartment, EditorState, type Extension } from "@codemirror/state";
import { drawSelection, EditorView, highlightActiveLine, keymap, lineNumbers } from "@codemirror/view";
import { tags } from "@lezer/highlight";

/** Styles are put into the page with the nonce of its policy. */
const nonce = document.querySelector<HTMLMetaElement>('meta[property="csp-nonce"]')?.nonce ?? "";

const highlighting = HighlightStyle.define([
  { tag: tags.keyword, color: "var(--code-keyword)" },
  { tag: [tags.string, tags.special(tags.string)], color: "var(--code-string)" },
  { tag: [tags.number, tags.bool, tags.null, tags.atom], color: "var(--code-number)" },
  { tag: [tags.propertyName, tags.attributeName], color: "var(--code-property)" },
  { tag: [tags.typeName, tags.definition(tags.variableName), tags.variableName], color: "var(--code-type)" },
  { tag: tags.comment, color: "var(--muted)" },
]);

const look = EditorView.theme({
  "&": { height: "100%", backgroundColor: "var(--field)", color: "var(--text)" },
  ".cm-content": { caretColor: "var(--text)", fontFamily: "var(--mono)" },
  ".cm-cursor": { borderLeftColor: "var(--text)" },
  ".cm-gutters": { backgroundColor: "var(--panel)", color: "var(--muted)", border: "none" },
  ".cm-activeLine": { backgroundColor: "var(--active)" },
  "&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground": {
    backgroundColor: "var(--selected)",
  },
  ".cm-tooltip": { backgroundColor: "var(--panel)", color: "var(--text)", border: "1px solid var(--line)" },
});

interface EditorProps {
  label: string;
  value: string;
  onChange?: (text: string) => void;
  /** Where the cursor was put, as an offset, and what is selected. */
  onCursor?: (at: number, selected: { from: number; to: number }) => void;
  /** Those that change must be memoised. */
  extensions?: Extension;
  run?: () => void;
  readOnly?: boolean;
  /** A part of the text that is chosen, and shown, whenever it is another one. */
  chosen?: { from: number; to: number };
}

/** Editor edits text, which is only taken over when it differs. */
export function Editor(props: EditorProps) {
  const { label, value, onChange, onCursor, extensions, run, readOnly, chosen } = props;
  const parent = useRef<HTMLDivElement>(null);
  const view = useRef<EditorView>(undefined);
  const language = useRef(new Compartment());
  const latest = useRef({ onChange, onCursor, run, value, extensions });
  useEffect(() => {
    latest.current = { onChange, onCursor, run, value, extensions };
  });

  useEffect(() => {
    const made = new EditorView({
      parent: parent.current!,
      state: EditorState.create({
        doc: latest.current.value,
        extensions: [
          EditorView.cspNonce.of(nonce),
          EditorView.contentAttributes.of({ "aria-label": label, tabindex: "0" }),
          EditorView.lineWrapping,
          keymap.of([
            { key: "Mod-Enter", preventDefault: true, run: () => (latest.current.run?.(), true) },
            ...closeBracketsKeymap,
            ...defaultKeymap,
            ...historyKeymap,
            ...foldKeymap,
            ...completionKeymap,
            ...lintKeymap,
          ]),
          lineNumbers(),
          foldGutter(),
          drawSelection(),
          bracketMatching(),
          // What is only shown has no history that would grow with each text.
          readOnly
            ? []
            : [history(), indentOnInput(), closeBrackets(), autocompletion({ icons: false }), highlightActiveLine()],
          syntaxHighlighting(highlighting),
          syntaxHighlighting(defaultHighlightStyle, { fallback: true }),
          EditorState.readOnly.of(readOnly ?? false),
          look,
          language.current.of(latest.current.extensions ?? []),
          EditorView.updateListener.of((u) => {
            if (u.docChanged) latest.current.onChange?.(u.state.doc.toString());
            if (u.docChanged || u.selectionSet)
              latest.current.onCursor?.(u.state.selection.main.head, u.state.selection.main);
          }),
        ],
      }),
    });
    // What scrolls has to be reached by keys, also where nothing can be typed.
    made.scrollDOM.tabIndex = readOnly ? 0 : -1;
    view.current = made;
    return () => made.destroy();
  }, [label, readOnly]);

  useEffect(() => {
    view.current?.dispatch({ effects: language.current.reconfigure(extensions ?? []) });
  }, [extensions]);
  useEffect(() => {
    const v = view.current;
    const changes = v && changeTo(v.state.doc.toString(), value);
    if (changes) v.dispatch({ changes });
  }, [value]);
  useEffect(() => {
    const v = view.current;
    if (!v || !chosen || chosen.to > v.state.doc.length) return;
    v.dispatch({
      selection: { anchor: chosen.from, head: chosen.to },
      effects: EditorView.scrollIntoView(chosen.from, { y: "center" }),
    });
    v.focus();
  }, [chosen]);
  return <div className="editor" ref={parent} />;
}

/**
 * changeTo is the change that makes another text of one, without what is the same at its start and at its end: there,
 * the cursor stays.
 */
function changeTo(before: string, after: string): { from: number; to: number; insert: string } | undefined {
  if (before === after) return undefined;
  const shorter = Math.min(before.length, after.length);
  let from = 0;
  while (from < shorter && before[from] === after[from]) from++;
  let end = 0;
  while (end < shorter - from && before[before.length - 1 - end] === after[after.length - 1 - end]) end++;
  return { from, to: before.length - end, insert: after.slice(from, after.length - end) };
}
