import { useMemo, useState, type ReactNode } from "react";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { json } from "@codemirror/lang-json";
import { Tab, TabList, TabPanel, Tabs, type Key } from "react-aria-components";

import { ApiError, type MetadataRequest } from "../../lib/http/client";
import { hideSecrets, restoreSecrets } from "../../lib/json/secrets";
import { Editor } from "../editor";
import { useConfirmLeave, useEdited } from "../../lib/unsaved";
import { useServer } from "../../lib/session";
import { Button } from "../button";
import { ConfirmChange } from "../confirm";
import { Failure } from "../failure";
import { Control } from "./controls";
import { Kept } from "./kept";
import type { Field } from "./types";
import { at, put, type Value } from "../../lib/json/path";
import { faultOf } from "./fields";

/** FormProps: what is edited, by which fields, and the request that it makes. */
interface FormProps {
  /** What the button is called. */
  title: string;
  fields: (value: Value) => Field[];
  initial: Value;
  request: (value: Value) => MetadataRequest;
  /** What is edited is what the server has: the form begins anew when that changes, as long as nobody types in it. */
  follows?: boolean;
  /** Shows what changes, by a dry run, before it does. */
  confirm?: boolean;
  /** It has secrets, which the text hides until they are asked for. */
  secrets?: boolean;
  /** What is wrong with fields, by their paths, before anything was sent, and by an error that names none of them. */
  faults?: (error: unknown) => Record<string, string>;
  done: (value: Value) => void;
  cancel?: () => void;
}

/** Form edits the arguments of an operation by fields, or as a whole as JSON, and runs it. */
export function Form(props: FormProps) {
  const { follows, initial } = props;
  if (!follows) return <Edited {...props} />;
  return <Kept value={initial}>{(value) => <Edited {...props} initial={value} />}</Kept>;
}

function Edited(props: FormProps) {
  const { title, fields, initial, request, confirm, secrets, faults, done, cancel } = props;
  const server = useServer();
  const client = useQueryClient();
  const [value, setValue] = useState(initial);
  const [shownTab, setShownTab] = useState<Key>("form");
  const [text, setText] = useState<string>();
  const [hidden, setHidden] = useState<string[]>([]);
  const [problems, setProblems] = useState<Record<string, string>>({});
  const asking = useConfirmLeave<MetadataRequest | undefined>(undefined);
  const language = useMemo(() => json(), []);
  const [before] = useState(() => JSON.stringify(initial));
  const { saved, leave } = useEdited(
    JSON.stringify(value) + (Object.keys(problems).length > 0 ? JSON.stringify([problems, text]) : ""),
    before,
  );
  const run = useMutation({
    mutationFn: async () => {
      if (confirm) {
        const { refused } = await server.dryRun(request(value));
        if (refused) throw new ApiError(refused.error, refused.code, refused.path, 200); // shown at its field
        asking.set(request(value));
        return;
      }
      await server.change(request(value));
      saved();
      await client.invalidateQueries();
      done(value);
    },
  });
  const report = (key: string, problem: string | undefined) => {
    const { [key]: _, ...others } = problems;
    setProblems(problem ? { ...others, [key]: problem } : others);
  };
  const write = (hide: boolean) => {
    const found = hide ? hideSecrets(value) : { value, secrets: [] };
    setHidden(found.secrets);
    setText(JSON.stringify(found.value, null, 2));
  };
  const edit = (typed: string) => {
    if (text === undefined) return; // the editor is emptied as it is left
    setText(typed);
    try {
      const read: unknown = restoreSecrets(JSON.parse(typed), hidden);
      if (typeof read !== "object" || read === null || Array.isArray(read)) throw new Error("This isn't an object.");
      setValue(read as Value);
      report("", undefined);
    } catch (e) {
      report("", (e as Error).message);
    }
  };
  const shown = fields(value);
  const faultAt = (path: string) => problems[path] ?? faultOf(run.error, path) ?? known?.[path];
  const known = faults?.(run.error);
  const missing = text === undefined && shown.some((f) => f.required && at(value, f.path) === undefined);
  const choose = (tab: Key) => {
    setShownTab(tab);
    if (tab === "text") write(secrets === true);
    else setText(undefined);
    setProblems({});
  };
  return (
    <div className="page">
      {/* What can't be read goes with its tab. */}
      <Tabs
        selectedKey={shownTab}
        onSelectionChange={(tab) =>
          tab === shownTab ? undefined : Object.keys(problems).length > 0 ? leave(() => choose(tab)) : choose(tab)
        }
      >
        <TabList aria-label="Form or text">
          <Tab id="form">Form</Tab>
          <Tab id="text">JSON</Tab>
        </TabList>
        <TabPanel id="form" className="form">
          {sectionsOf(shown).map(({ section, fields }) => {
            const controls = fields.map((f) => (
              <Control
                key={f.path}
                field={f}
                value={value}
                report={(problem) => report(f.path, problem)}
                put={(path, part) => setValue((v) => put(v, path, part))}
                faultAt={faultAt}
              />
            ));
            if (section === undefined) return controls;
            return (
              <Section
                key={section}
                title={section}
                used={fields.some((f) => pathsOf(f).some((p) => at(value, p) !== undefined))}
                faulty={fields.some((f) => pathsOf(f).some((p) => faultAt(p) !== undefined))}
              >
                {controls}
              </Section>
            );
          })}
        </TabPanel>
        <TabPanel id="text">
          <div className="short-editor">
            <Editor label="Arguments as JSON" value={text ?? ""} onChange={edit} extensions={language} />
          </div>
          {hidden.length > 0 && (
            <p className="row">
              <span className="hint">
                Secrets are hidden: each ‹hidden› stands for one, and leaving it where it is keeps the secret.
              </span>
              <Button isDisabled={problems[""] !== undefined} onPress={() => write(false)}>
                Show secrets
              </Button>
            </p>
          )}
          {problems[""] && (
            <p className="removed" role="alert">
              {problems[""]}
            </p>
          )}
        </TabPanel>
      </Tabs>
      {run.error && <Failure error={run.error} />}
      <div className="row">
        <Button
          look="primary"
          isPending={run.isPending}
          isDisabled={missing || Object.keys(problems).length > 0}
          onPress={() => run.mutate()}
        >
          {title}
          {confirm && "…"}
        </Button>
        {cancel && <Button onPress={() => leave(cancel)}>Cancel</Button>}
      </div>
      {asking.value && (
        <ConfirmChange
          title={title}
          request={asking.value}
          close={asking.close}
          made={saved}
          done={() => done(value)}
        />
      )}
    </div>
  );
}

/** pathsOf are the parts that a field edits. */
function pathsOf(f: Field): string[] {
  return [f.path, ...(f.others ?? [])];
}

/** sectionsOf are the fields by their sections, in order; fields without one stay for themselves. */
function sectionsOf(fields: Field[]): { section: string | undefined; fields: Field[] }[] {
  const found: { section: string | undefined; fields: Field[] }[] = [];
  for (const f of fields) {
    const last = found.at(-1);
    if (last && last.section === f.section) last.fields.push(f);
    else found.push({ section: f.section, fields: [f] });
  }
  return found;
}

/** Section is a part of a form. It opens where something is wrong in it. */
function Section(props: { title: string; used: boolean; faulty: boolean; children: ReactNode }) {
  const { title, used, faulty, children } = props;
  const [open, setOpen] = useState(used);
  return (
    <details className="section" open={open || faulty} onToggle={(e) => setOpen(e.currentTarget.open)}>
      <summary>{title}</summary>
      <div className="form">{children}</div>
    </details>
  );
}
