import { useState, type ReactNode } from "react";
import { Button } from "react-aria-components";
import type { MetadataRequest } from "../api/client";
import { useConfirm } from "../shell/confirm";
import type { Field, Value } from "./fields";
import { Form } from "./form";

/** FormOf is a form that makes a request. */
export interface FormOf {
  /** What its button is called. */
  title: string;
  initial: Value;
  fields: (value: Value) => Field[];
  request: (value: Value) => MetadataRequest;
}

/** Listed is an object of the metadata in a list. */
export interface Listed {
  id: string;
  about?: ReactNode;
  change?: Omit<FormOf, "title">;
  drop: MetadataRequest;
}

/** ObjectList lists objects that have no page of their own: each can be changed, when it says how, and dropped, and others added. What a change does is shown before. */
export function ObjectList(props: { label: string; none: string; items: Listed[]; add: FormOf[] }) {
  const { label, none, items, add } = props;
  const [adding, setAdding] = useState<string>();
  const [changing, setChanging] = useState<string>();
  const { confirm, dialog } = useConfirm();
  const form = add.find((f) => f.title === adding);
  return (
    <div className="page">
      {items.length === 0 && <p className="hint">{none}</p>}
      <ul className="changes" aria-label={label}>
        {items.map((i) => (
          <li key={i.id}>
            <div className="row">
              <strong>{i.id}</strong>
              {i.about}
              {i.change && <Button className="button" aria-label={`Change ${i.id}`} aria-expanded={changing === i.id} onPress={() => setChanging(changing === i.id ? undefined : i.id)}>Change</Button>}
              <Button className="button" aria-label={`Delete ${i.id}`} onPress={() => confirm({ title: "Delete", request: i.drop })}>Delete…</Button>
            </div>
            {i.change && changing === i.id && <Form {...i.change} title="Change" confirm done={() => setChanging((now) => (now === i.id ? undefined : now))} cancel={() => setChanging(undefined)} />}
          </li>
        ))}
      </ul>
      <div className="row">
        {add.map((f) => <Button key={f.title} className="button" aria-expanded={adding === f.title} onPress={() => setAdding(adding === f.title ? undefined : f.title)}>{f.title}</Button>)}
      </div>
      {form && <Form key={form.title} {...form} title="Add" done={() => setAdding((now) => (now === form.title ? undefined : now))} cancel={() => setAdding(undefined)} />}
      {dialog}
    </div>
  );
}
