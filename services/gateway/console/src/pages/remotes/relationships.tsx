import type { RemoteTypeRelationships } from "../../api/types";
import type { Field, Value } from "../../forms/fields";
import { ObjectList } from "../../forms/list";

const definition: Field = {
  path: "definition",
  label: "Where it leads",
  kind: "json",
  hint: 'To a table: {"to_source": {"source": "default", "table": "artists", "relationship_type": "object", "field_mapping": {"artist": "id"}}}; to a remote schema: {"to_remote_schema": ...}.',
};

/** Relationships are those from the types of a remote schema to tables and to other remote schemas. */
export function Relationships(props: { remote: string; relationships: RemoteTypeRelationships[] }) {
  const { remote, relationships } = props;
  const all = relationships.flatMap((t) => t.relationships.map((r) => ({ remote_schema: remote, type_name: t.type_name, name: r.name, definition: r.definition })));
  return (
    <ObjectList
      label="Relationships"
      none="None lead from its types."
      items={all.map((r) => ({
        id: `${r.type_name}.${r.name}`,
        change: { initial: r as Value, fields: () => [definition], request: (args) => ({ type: "update_remote_schema_remote_relationship", args }) },
        drop: { type: "delete_remote_schema_remote_relationship", args: { remote_schema: remote, type_name: r.type_name, name: r.name } },
      }))}
      add={[{
        title: "Add a relationship",
        initial: { remote_schema: remote },
        fields: () => [{ path: "type_name", label: "Type of the remote", kind: "text", required: true }, { path: "name", label: "Name of the relationship", kind: "text", required: true }, { ...definition, required: true }],
        request: (args) => ({ type: "create_remote_schema_remote_relationship", args }),
      }]}
    />
  );
}
