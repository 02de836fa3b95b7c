import { useEffect, useMemo, useRef } from "react";
import { graphql, showInDocsCommand } from "cm6-graphql";
import { linter, type Diagnostic } from "@codemirror/lint";
import { Prec } from "@codemirror/state";
import { keymap } from "@codemirror/view";
import type { GraphQLSchema } from "graphql";
import { Label, Tab, TabList, TabPanel, Tabs, TextArea, TextField } from "react-aria-components";
import { headerProblem, type RunAs } from "../../../lib/http/runas";
import { Editor } from "../../../ui/editor";
import { Code } from "./code";
import { History } from "../../../ui/history";
import type { Place } from "../model/locate";
import { titleOf, type Draft, type Operation, type Run } from "../model/operation";
import { variableEditor } from "../model/variables";

/** Mistake is what the server has said about a part of a text. */
export interface Mistake extends Place {
  message: string;
}

interface RequestProps {
  draft: Draft;
  edit: (change: Partial<Draft>) => void;
  operation: Operation | undefined;
  schema: GraphQLSchema | undefined;
  as: RunAs;
  setAs: (as: RunAs) => void;
  past: Run[];
  setPast: (past: Run[]) => void;
  open: (run: Run) => void;
  onCursor: (at: number) => void;
  chosen: Place | undefined;
  /** What the server has said about the text of an operation. */
  mistakes: { query: string; list: Mistake[] };
  run: () => void;
  prettify: () => void;
  merge: () => void;
  /** Shows a type, or a field of it, in the documentation. */
  document: (type: string, field?: string) => void;
}

/** Request is an operation with its variables and headers, and what else belongs to it. */
export function Request(props: RequestProps) {
  const { draft, edit, operation, schema, as, setAs, past, setPast, open, onCursor, chosen, mistakes, run } = props;
  const latest = useRef(props);
  useEffect(() => {
    latest.current = props;
  });
  const keys = useMemo(
    () =>
      Prec.high(
        keymap.of([
          { key: "Mod-Shift-p", preventDefault: true, run: () => (latest.current.prettify(), true) },
          { key: "Mod-Shift-m", preventDefault: true, run: () => (latest.current.merge(), true) },
        ]),
      ),
    [],
  );
  const language = useMemo(
    () => [
      keys,
      keymap.of([{ key: "F1", preventDefault: true, run: showInDocsCommand }]),
      graphql(schema, {
        onCompletionInfoRender: (item) => described(item.documentation),
        onShowInDocs: (field, type, parent) => {
          const bare = (name: string) => name.replace(/[![\]]/g, "");
          if (parent && field) latest.current.document(bare(parent), field);
          else if (type ?? parent) latest.current.document(bare((type ?? parent)!));
        },
      }),
      linter((view): Diagnostic[] =>
        view.state.doc.toString() === mistakes.query ? mistakes.list.map((m) => ({ ...m, severity: "error" })) : [],
      ),
    ],
    [keys, schema, mistakes],
  );
  const variables = useMemo(
    () => [keys, variableEditor(schema, draft.query, operation?.name)],
    [keys, schema, draft.query, operation?.name],
  );
  const wrong = headerProblem(as.headers);
  return (
    <div className="column">
      <div className="grow">
        <Editor
          key={draft.id}
          label="Operation"
          value={draft.query}
          onChange={(query) => edit({ query })}
          onCursor={onCursor}
          extensions={language}
          run={run}
          chosen={chosen}
        />
      </div>
      <Tabs className="below">
        <TabList aria-label="Details of the request">
          <Tab id="variables">Variables</Tab>
          <Tab id="headers">Headers</Tab>
          <Tab id="history">History</Tab>
          <Tab id="code">Code</Tab>
        </TabList>
        <TabPanel id="variables">
          <Editor
            key={draft.id}
            label="Variables"
            value={draft.variables}
            onChange={(text) => edit({ variables: text })}
            extensions={variables}
            run={run}
          />
        </TabPanel>
        <TabPanel id="headers">
          <TextField
            value={as.headers}
            onChange={(text) => setAs({ ...as, headers: text })}
            isInvalid={wrong !== undefined}
          >
            <Label>
              One in each line, as in <code>x-engine-user-id: 7</code>; a line that begins with # isn't sent
            </Label>
            <TextArea rows={4} spellCheck="false" />
          </TextField>
          {wrong !== undefined && <span className="removed">This isn't a header: {wrong}</span>}
        </TabPanel>
        <TabPanel id="history">
          <History
            past={past}
            setPast={setPast}
            open={open}
            title={(p) => titleOf(p.query)}
            text={(p) => `${p.query} ${p.variables}`}
          />
        </TabPanel>
        <TabPanel id="code">
          <Code draft={draft} as={as} operation={operation} />
        </TabPanel>
      </Tabs>
    </div>
  );
}

/** described shows a comment as the text that it is. */
function described(text: string | null | undefined): Node | null {
  if (!text) return null;
  const p = document.createElement("p");
  p.textContent = text;
  return p;
}
