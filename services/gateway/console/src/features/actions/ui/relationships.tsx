import { useMemo, useState } from "react";
import { json } from "@codemirror/lang-json";
import { Tab, TabList, TabPanel, Tabs, type Key } from "react-aria-components";
import { display, keyOf, nameIn } from "../../data/model/tables";
import type { MetadataDocument, Name, ObjectType, Source } from "../../../lib/http/types";
import { Editor } from "../../../ui/editor";
import { Control } from "../../../ui/forms/controls";
import type { Field } from "../../../ui/forms/types";
import { put, type Value } from "../../../lib/json/path";
import { Button } from "../../../ui/button";

/**
 * Related is a relationship as custom types have it, with the object type that it is of. One that is being made lacks
 * what isn't chosen yet.
 */
export type Related = Value & { of?: string };

/** relatedOf lists the relationships of object types. */
export function relatedOf(objects: ObjectType[]): Related[] {
  return objects.flatMap((o) => (o.relationships ?? []).map((r): Related => ({ of: o.name, ...r })));
}

/** byType are relationships by the names of their types. */
export function byType(list: Related[]): Record<string, Value[]> {
  const found: Record<string, Value[]> = {};
  for (const { of = "", ...r } of list) (found[of] ??= []).push(r);
  return found;
}

interface RelationshipsProps {
  document: MetadataDocument;
  /** The types as they are written, or undefined when they can't be read. */
  objects: ObjectType[] | undefined;
  value: Related[];
  change: (value: Related[]) => void;
  /** What is written and can't be read, undefined for nothing. */
  broken: (text: string | undefined) => void;
  run: () => void;
}

/** Relationships edits those of object types to tables, by fields or as JSON. */
export function Relationships(props: RelationshipsProps) {
  const { document, objects, value, change, broken, run } = props;
  const [tab, setTab] = useState<Key>("form");
  const [text, setText] = useState("");
  const [problem, setProblem] = useState<string>();
  // Lines keep what they are when another one is removed.
  const [keys, setKeys] = useState(() => value.map((_, i) => i));
  const language = useMemo(() => json(), []);
  const choose = (to: Key) => {
    if (to === "text") setText(JSON.stringify(byType(value), null, 2));
    else setKeys(value.map((_, i) => i));
    setTab(to);
  };
  const edit = (typed: string) => {
    if (tab !== "text") return; // the editor is emptied as it is left
    setText(typed);
    try {
      change(fromText(typed));
      setProblem(undefined);
      broken(undefined);
    } catch (e) {
      setProblem((e as Error).message);
      broken(typed);
    }
  };
  const add = () => {
    change([
      ...value,
      { of: objects?.length === 1 ? objects[0]!.name : undefined, type: "object", source: document.sources[0]?.name },
    ]);
    setKeys([...keys, Math.max(-1, ...keys) + 1]);
  };
  const remove = (i: number) => {
    change(value.filter((_, j) => j !== i));
    setKeys(keys.filter((_, j) => j !== i));
  };
  return (
    <Tabs selectedKey={tab} onSelectionChange={choose}>
      <TabList aria-label="Relationships by a form or as text">
        <Tab id="form" isDisabled={problem !== undefined}>
          Form
        </Tab>
        <Tab id="text">JSON</Tab>
      </TabList>
      <TabPanel id="form" className="form">
        {value.length === 0 && (
          <p className="hint">None: a relationship gives objects that a handler has answered the rows of a table.</p>
        )}
        {value.map((r, i) => (
          <section key={keys[i]} className="panel form" aria-label={`Relationship ${i + 1}`}>
            <div className="fields">
              {fieldsOf(document, objects ?? [], r).map((f) => (
                <Control
                  key={`${f.path} ${f.kind === "mapping" ? JSON.stringify(f.right?.table ?? "") : ""}`}
                  field={f}
                  value={r}
                  report={() => {}}
                  faultAt={() => undefined}
                  put={(path, part) => change(value.map((old, j) => (j === i ? put(old, path, part) : old)))}
                />
              ))}
            </div>
            <div className="row">
              <Button aria-label={`Remove relationship ${i + 1}`} onPress={() => remove(i)}>
                Remove
              </Button>
            </div>
          </section>
        ))}
        <div className="row">
          <Button onPress={add}>Add a relationship</Button>
        </div>
      </TabPanel>
      <TabPanel id="text">
        <div className="short-editor">
          <Editor label="Relationships as JSON" value={text} onChange={edit} extensions={language} run={run} />
        </div>
        {problem && (
          <p className="removed" role="alert">
            {problem}
          </p>
        )}
      </TabPanel>
    </Tabs>
  );
}

function fieldsOf(document: MetadataDocument, objects: ObjectType[], r: Related): Field[] {
  const names = [...new Set([...objects.map((o) => o.name), ...(r.of ? [r.of] : [])])];
  const source = document.sources.find((s) => s.name === (r.source ?? "default"));
  const table = source && tableIn(source, r.remote_table);
  const choices = (list: string[]) => [
    { value: "", label: "choose one" },
    ...list.map((n) => ({ value: n, label: n })),
  ];
  return [
    { path: "of", label: "Object type", kind: "choice", required: true, options: choices(names) },
    { path: "name", label: "Name", kind: "text", required: true },
    {
      path: "type",
      label: "Kind",
      kind: "choice",
      required: true,
      options: [
        { value: "object", label: "object: one row" },
        { value: "array", label: "array: many rows" },
      ],
    },
    {
      path: "source",
      label: "To the source",
      kind: "choice",
      required: true,
      options: choices(document.sources.map((s) => s.name)),
    },
    {
      path: "remote_table",
      label: "To the table",
      kind: "object",
      required: true,
      options: [
        { value: "", label: "choose one" },
        ...(source?.tables ?? []).map((t) => ({
          value: JSON.stringify(t.table === table ? r.remote_table : t.table),
          label: display(t.table),
        })),
      ],
    },
    {
      path: "field_mapping",
      label: "Fields of the type, columns of the table",
      kind: "mapping",
      required: true,
      left: objects.find((o) => o.name === r.of)?.fields.map((f) => f.name),
      right: source && table && { source, table },
    },
  ];
}

/** tableIn is the table of a source that a name means, which may be a text, or leave out the default schema. */
function tableIn(source: Source, name: unknown): Name | undefined {
  if (!name) return undefined;
  const given = typeof name === "string" ? { name } : (name as Name);
  const tables = source.tables.map((t) => t.table);
  return (
    tables.find((t) => keyOf(t) === keyOf(given)) ??
    tables.find(
      (t) =>
        keyOf(t) === keyOf(nameIn(source, source.kind === "mssql" ? "dbo" : "public", given.name)) &&
        display(given) === given.name,
    )
  );
}

/** fromText reads relationships by the names of their types. It throws for what isn't that. */
function fromText(text: string): Related[] {
  const given: unknown = JSON.parse(text.trim() || "{}");
  if (typeof given !== "object" || given === null || Array.isArray(given))
    throw new Error("This isn't an object whose keys are types.");
  return Object.entries(given as Record<string, unknown>).flatMap(([of, list]) => {
    if (!Array.isArray(list) || !list.every((r) => typeof r === "object" && r !== null && !Array.isArray(r)))
      throw new Error(`The relationships of ${of} aren't a list of objects.`);
    return (list as Value[]).map((r): Related => ({ ...r, of }));
  });
}
