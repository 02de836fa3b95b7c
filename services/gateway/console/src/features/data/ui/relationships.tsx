import { useQuery } from "@tanstack/react-query";
import { prefixOf } from "../../../lib/http/prefix";
import { linksOf, usingText } from "../model/related";
import { relationshipFor, suggestionsQuery } from "../api/tables";
import type { MetadataDocument, Name, Source, Table } from "../../../lib/http/types";
import type { Value } from "../../../lib/json/path";
import { ObjectList, type FormOf, type Listed } from "../../../ui/forms/list";
import { useServer } from "../../../lib/session";
import { Failure } from "../../../ui/failure";
import { display, keyOf, type TableInfo } from "../model/tables";
import type { Field } from "../../../ui/forms/types";
import { leadsToRemote, remoteFields } from "../../remotes/ui/target";

/**
 * Relationships are those of a table: to tables of its source, by foreign keys or by columns, to other sources and to
 * remote schemas.
 */
export default function Relationships(props: {
  document: MetadataDocument;
  source: Source;
  table: Table;
  info: TableInfo;
}) {
  const { document, source, table, info } = props;
  const suggested = useQuery(suggestionsQuery(useServer(), source));
  const prefix = prefixOf(source.kind);
  const target = { source: source.name, table: table.table };
  const local: Listed[] = linksOf(table).map((l) => ({
    id: l.name,
    about: (
      <span className="hint">
        {l.array ? "array" : "object"}: {usingText(l.using)} {l.comment}
      </span>
    ),
    change: {
      initial: { name: l.name, new_name: l.name, comment: l.comment },
      fields: () => [
        { path: "new_name", label: "Name", kind: "text", required: true },
        { path: "comment", label: "Comment", kind: "text" },
      ],
      request: (v) => ({ type: "bulk", args: changes(prefix, target, v) }),
    },
    drop: { type: `${prefix}_drop_relationship`, args: { ...target, relationship: l.name, cascade: true } },
  }));
  const remote: Listed[] = (table.remote_relationships ?? []).map((r) => ({
    id: r.name,
    about: <span className="hint">{remoteText(r.definition)}</span>,
    change: {
      initial: { ...target, name: r.name, definition: r.definition },
      fields: (v) =>
        (leadsToRemote(v) ? toRemote(document, info, v) : toSource(document, info, v)).filter((f) => f.path !== "name"),
      request: (args) => ({ type: `${prefix}_update_remote_relationship`, args }),
    },
    drop: { type: `${prefix}_delete_remote_relationship`, args: { ...target, name: r.name } },
  }));
  const foreign = (suggested.data?.relationships ?? [])
    .filter((s) => keyOf(s.from.table) === keyOf(table.table))
    .map((s) => relationshipFor(prefix, source.name, s));
  const add: FormOf[] = [
    {
      title: "By a foreign key",
      initial: {},
      fields: () => [
        {
          path: "of",
          label: "Foreign key",
          kind: "object",
          required: true,
          options: [
            { value: "", label: "choose one" },
            ...foreign.map((r) => ({
              value: JSON.stringify(r),
              label: `${r.type.endsWith("array_relationship") ? "array" : "object"}: ${usingText(r.args.using)}`,
            })),
          ],
          hint: foreign.length === 0 ? "No foreign key between tracked tables is without its relationship." : undefined,
        },
        { path: "name", label: "Name", kind: "text", hint: "One that follows from the key, when it is empty." },
      ],
      request: ({ of, name }) => {
        const { type, args } = of as ReturnType<typeof relationshipFor>;
        return { type, args: { ...args, ...(name !== undefined && { name }) } };
      },
    },
    {
      title: "By columns",
      initial: { kind: "object" },
      fields: (v) => byColumns(source, info, v),
      request: ({ kind, ...args }) => ({
        type: `${prefix}_create_${String(kind)}_relationship`,
        args: { ...target, ...args },
      }),
    },
    {
      title: "To another source",
      initial: { ...target, definition: { to_source: { relationship_type: "object" } } },
      fields: (v) => toSource(document, info, v),
      request: (args) => ({ type: `${prefix}_create_remote_relationship`, args }),
    },
    {
      title: "To a remote schema",
      initial: { ...target, definition: { to_remote_schema: { lhs_fields: [] } } },
      fields: (v) => toRemote(document, info, v),
      request: (args) => ({ type: `${prefix}_create_remote_relationship`, args }),
    },
  ];
  return (
    <>
      {suggested.isLoadingError && <Failure error={suggested.error} retry={() => void suggested.refetch()} />}
      <ObjectList label="Relationships" none="None lead from this table." items={[...local, ...remote]} add={add} />
    </>
  );
}

/** changes are the requests that rename a relationship and set its comment. */
function changes(prefix: string, target: object, v: Value) {
  const comment = {
    type: `${prefix}_set_relationship_comment`,
    args: { ...target, relationship: v.new_name, comment: v.comment ?? null },
  };
  return v.new_name === v.name
    ? [comment]
    : [{ type: `${prefix}_rename_relationship`, args: { ...target, name: v.name, new_name: v.new_name } }, comment];
}

const name: Field = { path: "name", label: "Name", kind: "text", required: true };
const kinds = [
  { value: "object", label: "object: one row" },
  { value: "array", label: "array: many rows" },
];

function tableField(path: string, source: Source | undefined): Field {
  return {
    path,
    label: "To the table",
    kind: "object",
    required: true,
    options: [
      { value: "", label: "choose one" },
      ...(source?.tables ?? []).map((t) => ({ value: JSON.stringify(t.table), label: display(t.table) })),
    ],
  };
}

function byColumns(source: Source, info: TableInfo, v: Value): Field[] {
  const to = (v.using as { manual_configuration?: { remote_table?: Name } } | undefined)?.manual_configuration
    ?.remote_table;
  return [
    name,
    { path: "kind", label: "Kind", kind: "choice", options: kinds },
    tableField("using.manual_configuration.remote_table", source),
    {
      path: "using.manual_configuration.column_mapping",
      label: "Columns",
      kind: "mapping",
      required: true,
      left: info.columns.map((c) => c.name),
      right: to && { source, table: to },
    },
  ];
}

function toSource(document: MetadataDocument, info: TableInfo, v: Value): Field[] {
  const chosen = (v.definition as { to_source?: { source?: string; table?: Name } } | undefined)?.to_source;
  const source = document.sources.find((s) => s.name === chosen?.source);
  return [
    name,
    {
      path: "definition.to_source.source",
      label: "To the source",
      kind: "choice",
      required: true,
      options: [{ value: "", label: "choose one" }, ...document.sources.map((s) => ({ value: s.name, label: s.name }))],
    },
    tableField("definition.to_source.table", source),
    { path: "definition.to_source.relationship_type", label: "Kind", kind: "choice", options: kinds },
    {
      path: "definition.to_source.field_mapping",
      label: "Fields here, columns there",
      kind: "mapping",
      required: true,
      left: info.columns.map((c) => c.name),
      right: source && chosen?.table && { source, table: chosen.table },
    },
  ];
}

function toRemote(document: MetadataDocument, info: TableInfo, v: Value): Field[] {
  return [
    name,
    ...remoteFields(
      document,
      v,
      info.columns.map((c) => ({ name: c.name, about: c.type })),
      "column",
      "remote schema",
    ),
  ];
}

function remoteText(definition: unknown): string {
  const d = definition as {
    to_source?: { source: string; table: Name; relationship_type: string };
    to_remote_schema?: { remote_schema: string };
    remote_schema?: string;
  };
  if (d.to_source) return `${d.to_source.relationship_type}: ${d.to_source.source}, ${display(d.to_source.table)}`;
  const remote = d.to_remote_schema?.remote_schema ?? d.remote_schema;
  return remote ? `remote schema ${remote}` : "";
}
