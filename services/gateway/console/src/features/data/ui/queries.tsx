import { prefixOf } from "../../../lib/http/prefix";
import { hasProcedures } from "../model/kinds";
import { nameProblem } from "../model/names";
import { display } from "../model/tables";
import type { Source } from "../../../lib/http/types";
import type { Value } from "../../../lib/json/path";
import type { Field } from "../../../ui/forms/types";
import { ObjectList } from "../../../ui/forms/list";

const modelFields: Field[] = [
  { path: "name", label: "Name", kind: "text", required: true },
  {
    path: "fields",
    label: "Fields",
    kind: "json",
    required: true,
    hint: 'As in [{"name": "id", "type": {"scalar": "integer"}}, {"name": "title", "type": {"scalar": "text", "nullable": true}}].',
  },
  { path: "description", label: "Description", kind: "text" },
];

/** NativeQueries are the root fields of a source that SQL statements answer, and the logical models of their rows. */
export default function NativeQueries(props: { source: Source }) {
  const { source } = props;
  const prefix = prefixOf(source.kind);
  const target = { source: source.name };
  const models = source.logical_models ?? [];
  const queries = source.native_queries ?? [];
  const queryFields: Field[] = [
    { path: "root_field_name", label: "Root field", kind: "text", required: true },
    {
      path: "returns",
      label: "Logical model of its rows",
      kind: "choice",
      required: true,
      options: [
        { value: "", label: models.length > 0 ? "choose one" : "there is none yet" },
        ...models.map((m) => ({ value: m.name, label: m.name })),
      ],
    },
    {
      path: "code",
      label: "SQL",
      kind: "long",
      required: true,
      hint: "One statement. {{name}} is the place of an argument.",
    },
    {
      path: "arguments",
      label: "Arguments",
      kind: "json",
      hint: 'As in {"least": {"type": "integer", "nullable": true}}.',
    },
    { path: "object_relationships", label: "Object relationships", kind: "json" },
    {
      path: "array_relationships",
      label: "Array relationships",
      kind: "json",
      hint: 'As in [{"name": "albums", "using": {"column_mapping": {"id": "artist_id"}, "remote_table": {"schema": "public", "name": "albums"}}}].',
    },
    { path: "description", label: "Description", kind: "text" },
  ];
  const untrack = (name: string) => ({
    type: `${prefix}_untrack_native_query`,
    args: { ...target, root_field_name: name },
  });
  return (
    <>
      <h2>Native queries</h2>
      <ObjectList
        label="Native queries"
        none="None: a native query is a root field that a SQL statement of yours answers."
        items={queries.map((q) => ({
          id: q.root_field_name,
          about: (
            <span className="hint">
              {typeof q.returns === "string" && q.returns} {q.description}
            </span>
          ),
          change: {
            initial: { ...q } as Value,
            fields: () =>
              queryFields.filter(
                (f) => f.path !== "root_field_name" && (f.path !== "returns" || typeof q.returns === "string"),
              ),
            request: (args) => ({
              type: "bulk",
              args: [
                untrack(q.root_field_name),
                { type: `${prefix}_track_native_query`, args: { ...target, ...args } },
              ],
            }),
          },
          drop: untrack(q.root_field_name),
        }))}
        add={[
          {
            title: "Add a native query",
            initial: { ...target },
            fields: () => queryFields,
            request: (args) => ({ type: `${prefix}_track_native_query`, args }),
          },
        ]}
      />
      {hasProcedures(source.kind) && <Procedures source={source} models={models.map((m) => m.name)} />}
      <h2>Logical models</h2>
      <ObjectList
        label="Logical models"
        none="None: a logical model says which fields the rows of a native query have."
        items={models.map((m) => ({
          id: m.name,
          about: (
            <span className="hint">
              {m.fields.map((f) => f.name).join(", ")} {m.description}
            </span>
          ),
          drop: { type: `${prefix}_untrack_logical_model`, args: { ...target, name: m.name } },
        }))}
        add={[
          {
            title: "Add a logical model",
            initial: { ...target },
            fields: () => modelFields,
            request: (args) => ({ type: `${prefix}_track_logical_model`, args }),
          },
        ]}
      />
    </>
  );
}

/** Procedures are the root fields of a source that stored procedures answer. */
function Procedures(props: { source: Source; models: string[] }) {
  const { source, models } = props;
  const prefix = prefixOf(source.kind);
  const target = { source: source.name };
  const fields: Field[] = [
    { path: "stored_procedure.schema", label: "Schema", kind: "text", hint: "dbo, when it is empty." },
    { path: "stored_procedure.name", label: "Procedure", kind: "text", required: true },
    {
      path: "returns",
      label: "Logical model of its rows",
      kind: "choice",
      required: true,
      options: [
        { value: "", label: models.length > 0 ? "choose one" : "there is none yet" },
        ...models.map((m) => ({ value: m, label: m })),
      ],
    },
    {
      path: "configuration.custom_name",
      label: "Name of the field",
      kind: "text",
      hint: "That of the procedure, when it is empty.",
      check: nameProblem,
    },
    {
      path: "arguments",
      label: "Arguments",
      kind: "json",
      hint: 'Without @, as in {"least": {"type": "int", "nullable": true}}.',
    },
    { path: "description", label: "Description", kind: "text" },
  ];
  return (
    <>
      <h2>Stored procedures</h2>
      <ObjectList
        label="Stored procedures"
        none="None: a stored procedure that returns rows can be a root field."
        items={(source.stored_procedures ?? []).map((p) => ({
          id: display(p.stored_procedure),
          about: (
            <span className="hint">
              {p.returns} {p.description}
            </span>
          ),
          drop: {
            type: `${prefix}_untrack_stored_procedure`,
            args: { ...target, stored_procedure: p.stored_procedure },
          },
        }))}
        add={[
          {
            title: "Add a stored procedure",
            initial: { ...target, configuration: { exposed_as: "query" } },
            fields: () => fields,
            request: (args) => ({ type: `${prefix}_track_stored_procedure`, args }),
          },
        ]}
      />
    </>
  );
}
