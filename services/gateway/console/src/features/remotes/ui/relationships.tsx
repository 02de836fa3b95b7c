import { useQuery } from "@tanstack/react-query";
import { getNullableType, isLeafType, isObjectType, type GraphQLSchema } from "graphql";
import { nameProblem } from "../../data/model/names";
import { remoteQuery } from "../api/remotes";
import { display } from "../../data/model/tables";
import type { MetadataDocument, Name, RemoteSchema } from "../../../lib/http/types";
import { at, type Value } from "../../../lib/json/path";
import { ObjectList } from "../../../ui/forms/list";
import { useServer } from "../../../lib/session";
import { Failure } from "../../../ui/failure";
import type { Field } from "../../../ui/forms/types";
import { leadsToRemote, remoteFields } from "./target";

type Relationship = ReturnType<typeof relationshipsOf>[number];

/** relationshipsOf are the relationships of a remote schema, as requests name them. */
export function relationshipsOf({ name: remote_schema, remote_relationships = [] }: RemoteSchema) {
  return remote_relationships.flatMap(({ type_name, relationships }) =>
    relationships.map(({ name, definition }) => ({ remote_schema, type_name, name, definition })),
  );
}

/** Relationships are those from the types of a remote schema to tables and to other remote schemas. */
export function Relationships(props: { remote: string; document: MetadataDocument; relationships: Relationship[] }) {
  const { remote, document, relationships: all } = props;
  const found = useQuery(remoteQuery(useServer(), remote));
  const schema = found.data?.schema;
  const request = (type: string) => (args: Value) => ({ type, args });
  const add = (title: string, definition: Value) => ({
    title,
    initial: { remote_schema: remote, definition },
    fields: (value: Value) => [...placeFields(schema), ...fieldsOf(document, schema, value)],
    request: request("create_remote_schema_remote_relationship"),
  });
  return (
    <>
      {found.isLoadingError && <Failure error={found.error} retry={() => void found.refetch()} />}
      <ObjectList
        label="Relationships"
        none="None lead from its types."
        items={all.map((r) => ({
          id: `${r.type_name}.${r.name}`,
          about: <span className="hint">{aboutOf(r.definition)}</span>,
          change: {
            initial: r as Value,
            fields: (value) => fieldsOf(document, schema, value),
            request: request("update_remote_schema_remote_relationship"),
          },
          drop: {
            type: "delete_remote_schema_remote_relationship",
            args: { remote_schema: remote, type_name: r.type_name, name: r.name },
          },
        }))}
        add={[
          add("Add one to a table", { to_source: { relationship_type: "object" } }),
          add("Add one to a remote schema", { to_remote_schema: { lhs_fields: [] } }),
        ]}
      />
    </>
  );
}

function placeFields(schema: GraphQLSchema | undefined): Field[] {
  const types =
    schema &&
    Object.values(schema.getTypeMap())
      .filter((t) => isObjectType(t) && !t.name.startsWith("__"))
      .map((t) => t.name);
  return [
    {
      path: "type_name",
      label: "Type of the remote",
      kind: "text",
      required: true,
      suggestions: types,
      check: (text) => (types && !types.includes(text) ? "The remote has no such type." : undefined),
    },
    { path: "name", label: "Name of the relationship", kind: "text", required: true, check: nameProblem },
  ];
}

/** fieldsOf are those of where a relationship leads. */
function fieldsOf(document: MetadataDocument, schema: GraphQLSchema | undefined, value: Value): Field[] {
  const type = schema?.getType(String(value.type_name));
  const fields = isObjectType(type) ? Object.values(type.getFields()) : [];
  if (leadsToRemote(value))
    return remoteFields(
      document,
      value,
      fields.filter((f) => isLeafType(getNullableType(f.type))).map((f) => ({ name: f.name, about: String(f.type) })),
      "field",
      "other remote schema",
    );
  const left = fields.map((f) => f.name);
  const source = document.sources.find((s) => s.name === at(value, "definition.to_source.source"));
  const table = at(value, "definition.to_source.table") as Name | undefined;
  const choose = { value: "", label: "choose one" };
  return [
    {
      path: "definition.to_source.source",
      label: "To the source",
      kind: "choice",
      required: true,
      options: [choose, ...document.sources.map((s) => ({ value: s.name, label: s.name }))],
    },
    {
      path: "definition.to_source.table",
      label: "Table",
      kind: "object",
      required: true,
      options: [
        choose,
        ...(source?.tables ?? []).map((t) => ({ value: JSON.stringify(t.table), label: display(t.table) })),
      ],
    },
    {
      path: "definition.to_source.relationship_type",
      label: "Kind",
      kind: "choice",
      options: [
        { value: "object", label: "object: one row" },
        { value: "array", label: "array: several rows" },
      ],
    },
    {
      path: "definition.to_source.field_mapping",
      label: "Fields here, columns there",
      kind: "mapping",
      required: true,
      left,
      right: source && table && { source, table },
    },
  ];
}

function aboutOf(definition: unknown): string {
  const d = definition as {
    to_source?: { source: string; table: Name; relationship_type: string };
    to_remote_schema?: { remote_schema: string };
  };
  if (d.to_source) return `${d.to_source.relationship_type}: ${d.to_source.source}, ${display(d.to_source.table)}`;
  return d.to_remote_schema ? `remote schema ${d.to_remote_schema.remote_schema}` : "";
}
