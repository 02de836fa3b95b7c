import { useState } from "react";
import { Button } from "react-aria-components";
import type { MetadataRequest } from "../../api/client";
import type { RemoteTypeRelationships } from "../../api/types";
import { Form } from "../../forms/form";
import type { Field, Value } from "../../forms/fields";
import { ConfirmChange } from "../../shell/confirm";

const definition: Field = {
  path: "definition",
  label: "Where it leads",
  kind: "json",
  hint: 'To a table: {"to_source": {"source": "default", "table": "artists", "relationship_type": "object", "field_mapping": {"artist": "id"}}}; to a remote schema: {"to_remote_schema": ...}.',
};

/** Relationships are those from the types of a remote schema to tables and to other remote schemas. */
export function Relationships(props: { remote: string; relationships: RemoteTypeRelationships[] }) {
  const { remote, relationships } = props;
  const [adding, setAdding] = useState(false);
  const [changing, setChanging] = useState<string>();
  const [confirm, setConfirm] = useState<MetadataRequest>();
  const all = relationships.flatMap((t) => t.relationships.map((r) => ({ remote_schema: remote, type_name: t.type_name, name: r.name, definition: r.definition })));
  return (
    <div className="page">
      {all.length === 0 && <p className="hint">None lead from its types.</p>}
      <ul className="changes" aria-label="Relationships">
        {all.map((r) => {
          const id = `${r.type_name}.${r.name}`;
          return (
            <li key={id}>
              <div className="row">
                <strong>{id}</strong>
                <Button className="button" aria-label={`Change ${id}`} aria-expanded={changing === id} onPress={() => setChanging(changing === id ? undefined : id)}>Change</Button>
                <Button className="button" aria-label={`Delete ${id}`} onPress={() => setConfirm({ type: "delete_remote_schema_remote_relationship", args: { remote_schema: remote, type_name: r.type_name, name: r.name } })}>Delete…</Button>
              </div>
              {changing === id && (
                <Form title="Change" confirm initial={r as Value} fields={() => [definition]} request={(args) => ({ type: "update_remote_schema_remote_relationship", args })} done={() => setChanging(undefined)} cancel={() => setChanging(undefined)} />
              )}
            </li>
          );
        })}
      </ul>
      {adding ? (
        <Form
          title="Add"
          initial={{ remote_schema: remote }}
          fields={() => [{ path: "type_name", label: "Type of the remote", kind: "text", required: true }, { path: "name", label: "Name of the relationship", kind: "text", required: true }, { ...definition, required: true }]}
          request={(args) => ({ type: "create_remote_schema_remote_relationship", args })}
          done={() => setAdding(false)}
          cancel={() => setAdding(false)}
        />
      ) : (
        <div className="row"><Button className="button" onPress={() => setAdding(true)}>Add a relationship</Button></div>
      )}
      {confirm && <ConfirmChange title="Delete" request={confirm} close={() => setConfirm(undefined)} />}
    </div>
  );
}
