import { useEffect, useRef } from "react";
import { closeBrackets, closeBracketsKeymap, autocompletion, completionKeymap } from "@codemirror/autocomplete";
import { defaultKeymap, history, historyKeymap } from "@codemirror/commands";
import { bracketMatching, defaultHighlightStyle, foldGutter, foldKeymap, HighlightStyle, indentOnInput, syntaxHighlighting } from "@codemirror/language";
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
  "&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground": { backgroundColor: "var(--selected)" },
  ".cm-tooltip": { backgroundColor: "var(--panel)", color: "var(--text)", border: "1px solid var(--line)" },
});

/** Editor edits text. Extensions that change must be memoised; the text is only taken over when it differs. */
export function Editor(props: { label: string; value: string; onChange?: (text: string) => void; extensions?: Extension; run?: () => void; readOnly?: boolean }) {
  const { label, value, onChange, extensions, run, readOnly } = props;
  const parent = useRef<HTMLDivElement>(null);
  const view = useRef<EditorView>(undefined);
  const language = useRef(new Compartment());
  const latest = useRef({ onChange, run });
  useEffect(() => {
    latest.current = { onChange, run };
  });

  useEffect(() => {
    const made = new EditorView({
      parent: parent.current!,
      state: EditorState.create({
        doc: value,
        extensions: [
          EditorView.cspNonce.of(nonce),
          EditorView.contentAttributes.of({ "aria-label": label, tabindex: "0" }),
          EditorView.lineWrapping,
          keymap.of([
            { key: "Mod-Enter", preventDefault: true, run: () => (latest.current.run?.(), true) },
            ...closeBracketsKeymap, ...defaultKeymap, ...historyKeymap, ...foldKeymap, ...completionKeymap, ...lintKeymap,
          ]),
          lineNumbers(), foldGutter(), history(), drawSelection(), indentOnInput(), bracketMatching(), closeBrackets(), autocompletion(), highlightActiveLine(),
          syntaxHighlighting(highlighting), syntaxHighlighting(defaultHighlightStyle, { fallback: true }),
          EditorState.readOnly.of(readOnly ?? false),
          look,
          language.current.of(extensions ?? []),
          EditorView.updateListener.of((u) => {
            if (u.docChanged) latest.current.onChange?.(u.state.doc.toString());
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
    if (v && v.state.doc.toString() !== value) v.dispatch({ changes: { from: 0, to: v.state.doc.length, insert: value } });
  }, [value]);
  return <div className="editor" ref={parent} />;
}
