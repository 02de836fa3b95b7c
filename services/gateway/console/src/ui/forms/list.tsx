import type { ReactNode } from "react";
import type { MetadataRequest } from "../../lib/http/client";
import { FormScope, useConfirmLeave } from "../../lib/unsaved";
import { useConfirm } from "../confirm";
import type { Value } from "../../lib/json/path";
import { Form } from "./form";
import type { Field } from "./types";
import { Staying } from "./staying";
import { Button } from "../button";

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

/**
 * ObjectList lists objects that have no page of their own: each can be changed, when it says how, and dropped, and
 * others added. What a change does is shown before.
 */
export function ObjectList(props: { label: string; none: string; items: Listed[]; add: FormOf[] }) {
  const { label, none, items, add } = props;
  const adding = useConfirmLeave<string | undefined>(undefined);
  const changing = useConfirmLeave<string | undefined>(undefined);
  const { confirm, dialog } = useConfirm();
  const form = add.find((f) => f.title === adding.value);
  const changed = items.find((i) => i.id === changing.value);
  return (
    <div className="page">
      {items.length === 0 && <p className="hint">{none}</p>}
      <ul className="changes" aria-label={label}>
        {items.map((i) => (
          <li key={i.id}>
            <div className="row">
              <strong>{i.id}</strong>
              {i.about}
              {i.change && (
                <Button
                  aria-label={`Change ${i.id}`}
                  aria-expanded={changed === i}
                  onPress={() => changing.set(changed === i ? undefined : i.id)}
                >
                  Change
                </Button>
              )}
              <Button
                look="danger"
                aria-label={`Delete ${i.id}`}
                onPress={() => confirm({ title: "Delete", request: i.drop })}
              >
                Delete…
              </Button>
            </div>
          </li>
        ))}
      </ul>
      <FormScope value={changing.edits}>
        <Staying id={changing.value ?? ""} name={changing.value ?? ""} value={changed}>
          {(i, gone) =>
            i.change && (
              <section aria-label={`Change ${i.id}`} className="form">
                <h3>{i.id}</h3>
                <Form
                  key={i.id}
                  {...i.change}
                  title={gone ? "Create it again" : "Change"}
                  confirm
                  request={(value) => (gone ? recreate(i.change!.request(value), i.drop) : i.change!.request(value))}
                  done={() => changing.close()}
                  cancel={() => changing.close()}
                />
              </section>
            )
          }
        </Staying>
      </FormScope>
      <div className="row">
        {add.map((f) => (
          <Button
            key={f.title}
            aria-expanded={adding.value === f.title}
            onPress={() => adding.set(adding.value === f.title ? undefined : f.title)}
          >
            {f.title}
          </Button>
        ))}
      </div>
      <FormScope value={adding.edits}>
        {form && (
          <Form key={form.title} {...form} title="Add" done={() => adding.close()} cancel={() => adding.close()} />
        )}
      </FormScope>
      {dialog}
    </div>
  );
}

/** recreate is the request of a change without its drop, for an object that was dropped meanwhile. */
function recreate(request: MetadataRequest, drop: MetadataRequest): MetadataRequest {
  return request.type === "bulk"
    ? { ...request, args: (request.args as MetadataRequest[]).filter((r) => r.type !== drop.type) }
    : request;
}
