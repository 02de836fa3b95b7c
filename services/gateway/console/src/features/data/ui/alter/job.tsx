import { useState } from "react";
import type { Step } from "../../model/ddl";
import type { MetadataRequest } from "../../../../lib/http/client";
import type { Source } from "../../../../lib/http/types";
import { useConfirmLeave, useEdited } from "../../../../lib/unsaved";
import { Control } from "../../../../ui/forms/controls";
import { at, put, type Value } from "../../../../lib/json/path";
import { Button } from "../../../../ui/button";
import type { Field } from "../../../../ui/forms/types";
import { RunScript, type Script } from "./script";

/** Job is something that is done to a table by a form, which makes SQL. */
export interface Job {
  title: string;
  initial: Value;
  fields: (value: Value) => Field[];
  /** It throws what is wrong with the value. */
  steps: (value: Value) => Step[];
  /** The change of the metadata that comes after it. */
  then?: (value: Value) => MetadataRequest | undefined;
  done?: (value: Value) => void;
}

/** JobForm is the form of a job. What it does is shown as SQL before it is done. */
export function JobForm(props: { source: Source; job: Job; close: () => void }) {
  const { source, job, close } = props;
  const [value, setValue] = useState(job.initial);
  const [problems, setProblems] = useState<Record<string, string>>({});
  const [wrong, setWrong] = useState<string>();
  const showing = useConfirmLeave<Script | undefined>(undefined);
  const [before] = useState(() => JSON.stringify(job.initial));
  const { saved, leave } = useEdited(JSON.stringify(value), before);
  const fields = job.fields(value);
  const missing = fields.some((f) => f.required && at(value, f.path) === undefined);
  const report = (path: string, problem: string | undefined) => {
    const { [path]: _, ...others } = problems;
    setProblems(problem ? { ...others, [path]: problem } : others);
  };
  const show = () => {
    setWrong(undefined);
    try {
      const steps = job.steps(value);
      if (steps.length === 0) throw new Error("Nothing changes.");
      showing.set({
        title: job.title,
        steps,
        then: job.then?.(value),
        done: () => {
          saved();
          close();
          job.done?.(value);
        },
      });
    } catch (e) {
      setWrong((e as Error).message);
    }
  };
  return (
    <section className="panel form" aria-label={job.title}>
      <h4>{job.title}</h4>
      {fields.map((f) => (
        <Control
          key={f.path}
          field={f}
          value={value}
          faultAt={(path) => problems[path]}
          put={(path, part) => setValue((v) => put(v, path, part))}
          report={(problem) => report(f.path, problem)}
        />
      ))}
      {wrong && (
        <p className="removed" role="alert">
          {wrong}
        </p>
      )}
      <div className="row">
        <Button look="primary" isDisabled={missing || Object.keys(problems).length > 0} onPress={show}>
          Review SQL…
        </Button>
        <Button onPress={() => leave(close)}>Cancel</Button>
      </div>
      {showing.value && <RunScript {...showing.value} source={source} close={showing.close} />}
    </section>
  );
}
