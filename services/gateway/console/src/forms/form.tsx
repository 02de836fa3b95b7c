import { useMemo, useState } from "react";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { json } from "@codemirror/lang-json";
import { Button, Tab, TabList, TabPanel, Tabs } from "react-aria-components";
import { ApiError, post, type MetadataRequest } from "../api/client";
import { Editor } from "../editor/editor";
import { useServer } from "../session";
import { ConfirmChange } from "../shell/confirm";
import { Failure } from "../shell/failure";
import { Control } from "./controls";
import { at, faultOf, put, type Field, type Value } from "./fields";

/** FormProps: what is edited, by which fields, and the request that it makes. */
interface FormProps {
  /** What the button is called. */
  title: string;
  fields: (value: Value) => Field[];
  initial: Value;
  request: (value: Value) => MetadataRequest;
  /** Shows what changes, by a dry run, before it does. */
  confirm?: boolean;
  done: (value: Value) => void;
  cancel?: () => void;
}

/** Form edits the arguments of an operation by fields, or as a whole as JSON, and runs it. */
export function Form(props: FormProps) {
  const { title, fields, initial, request, confirm, done, cancel } = props;
  const server = useServer();
  const client = useQueryClient();
  const [value, setValue] = useState(initial);
  const [text, setText] = useState<string>();
  const [problems, setProblems] = useState<Record<string, string>>({});
  const [asked, setAsked] = useState<MetadataRequest>();
  const language = useMemo(() => json(), []);
  const run = useMutation({
    mutationFn: async () => {
      if (confirm) {
        const { refused } = await server.dryRun(request(value));
        if (refused) throw new ApiError(refused.error, refused.code, refused.path, 200); // shown at its field
        setAsked(request(value));
        return;
      }
      await post("/v1/metadata", request(value), server.credentials);
      await client.invalidateQueries();
      done(value);
    },
  });
  const report = (key: string, problem: string | undefined) => {
    const { [key]: _, ...others } = problems;
    setProblems(problem ? { ...others, [key]: problem } : others);
  };
  const edit = (typed: string) => {
    setText(typed);
    try {
      const read: unknown = JSON.parse(typed);
      if (typeof read !== "object" || read === null || Array.isArray(read)) throw new Error("This isn't an object.");
      setValue(read as Value);
      report("", undefined);
    } catch (e) {
      report("", (e as Error).message);
    }
  };
  const shown = fields(value);
  const missing = text === undefined && shown.some((f) => f.required && at(value, f.path) === undefined);
  return (
    <div className="page">
      <Tabs onSelectionChange={(key) => { setText(key === "text" ? JSON.stringify(value, null, 2) : undefined); setProblems({}); }}>
        <TabList aria-label="Form or text"><Tab id="form">Form</Tab><Tab id="text">JSON</Tab></TabList>
        <TabPanel id="form" className="form">
          {shown.map((f) => (
            <Control
              key={f.path}
              field={f}
              value={value}
              fault={problems[f.path] ?? faultOf(run.error, f.path)}
              change={(part) => setValue((v) => put(v, f.path, part))}
              report={(problem) => report(f.path, problem)}
            />
          ))}
        </TabPanel>
        <TabPanel id="text">
          <div className="short-editor"><Editor label="Arguments as JSON" value={text ?? ""} onChange={edit} extensions={language} /></div>
          {problems[""] && <p className="removed" role="alert">{problems[""]}</p>}
        </TabPanel>
      </Tabs>
      {run.error && <Failure error={run.error} />}
      <div className="row">
        <Button className="button primary" isDisabled={run.isPending || missing || Object.keys(problems).length > 0} onPress={() => run.mutate()}>{title}{confirm && "…"}</Button>
        {cancel && <Button className="button" onPress={cancel}>Cancel</Button>}
      </div>
      {asked && <ConfirmChange title={title} request={asked} close={() => setAsked(undefined)} done={() => done(value)} />}
    </div>
  );
}
