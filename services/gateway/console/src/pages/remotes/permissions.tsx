import { useMemo, useState } from "react";
import { graphqlLanguageSupport } from "cm6-graphql";
import { Button } from "react-aria-components";
import type { RemoteSchemaPermission } from "../../api/types";
import { Editor } from "../../editor/editor";
import { Roles } from "../../forms/roles";
import { useConfirm } from "../../shell/confirm";

/** Permissions says which part of a remote schema roles see: the schema of the role, as GraphQL. */
export function Permissions(props: { remote: string; permissions: RemoteSchemaPermission[]; roles: string[]; schema: string }) {
  const { remote, permissions, roles, schema } = props;
  const [edited, setEdited] = useState<{ role: string; text: string }>();
  const { confirm, dialog } = useConfirm();
  const graphql = useMemo(() => graphqlLanguageSupport(), []);
  const exists = permissions.some((p) => p.role === edited?.role);
  const save = () => {
    if (!edited) return;
    const add = { type: "add_remote_schema_permissions", args: { remote_schema: remote, role: edited.role, definition: { schema: edited.text } } };
    const drop = { type: "drop_remote_schema_permissions", args: { remote_schema: remote, role: edited.role } };
    confirm({ title: "Set the permission", request: exists ? { type: "bulk", args: [drop, add] } : add });
  };
  return (
    <div className="page">
      <p className="hint">They need <code>--enable-remote-schema-permissions</code>; without it, every role sees all of the remote.</p>
      <Roles
        allowed={permissions.map((p) => p.role)}
        roles={roles}
        allow={(role) => setEdited({ role, text: schema })}
        edit={(role) => setEdited({ role, text: permissions.find((p) => p.role === role)!.definition.schema })}
        withdraw={(role) => confirm({ title: "Withdraw it", request: { type: "drop_remote_schema_permissions", args: { remote_schema: remote, role } }, done: () => setEdited(undefined) })}
      />
      {edited && (
        <>
          <h3>What {edited.role} sees</h3>
          <div className="editor-half"><Editor key={edited.role} label="Schema of the role" value={edited.text} onChange={(text) => setEdited({ ...edited, text })} extensions={graphql} run={save} /></div>
          <div className="row"><Button className="button primary" onPress={save}>Set the permission…</Button></div>
        </>
      )}
      {dialog}
    </div>
  );
}
