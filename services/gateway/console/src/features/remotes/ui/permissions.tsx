import { useState } from "react";
import type { RemoteSchema } from "../../../lib/http/types";
import { Roles } from "../../../ui/forms/roles";
import { useConfirm } from "../../../ui/confirm";
import RemoteRole from "./role";

/** Permissions says which part of a remote schema roles see. */
export function Permissions(props: { remote: RemoteSchema; roles: string[] }) {
  const { remote, roles } = props;
  const [edited, setEdited] = useState<string>();
  const { confirm, dialog } = useConfirm();
  const withdraw = (role: string) => ({
    type: "drop_remote_schema_permissions",
    args: { remote_schema: remote.name, role },
  });
  return (
    <div className="page">
      <p className="hint">
        They need <code>--enable-remote-schema-permissions</code>; without it, every role sees all of the remote.
      </p>
      <Roles
        allowed={(remote.permissions ?? []).map((p) => p.role)}
        roles={roles}
        allow={setEdited}
        edit={setEdited}
        withdraw={(role) =>
          confirm({
            title: "Revoke it",
            request: withdraw(role),
            done: () => setEdited((now) => (now === role ? undefined : now)),
          })
        }
      />
      {edited && (
        <>
          <h3>What {edited} sees</h3>
          <RemoteRole key={edited} remote={remote} role={edited} />
        </>
      )}
      {dialog}
    </div>
  );
}
