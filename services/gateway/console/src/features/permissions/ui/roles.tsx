import { useMemo, useState } from "react";
import { uses } from "../model/objects";
import { allOf, operations } from "../model/permissions";
import { permissionsOfRole, type OfRole } from "../model/ofrole";
import { rolesOf } from "../model/roles";
import type { MetadataDocument } from "../../../lib/http/types";
import { useEdited } from "../../../lib/unsaved";
import { Button } from "../../../ui/button";
import { useConfirm } from "../../../ui/confirm";

/**
 * Roles has every role with all that it may do, in all sources, which can be copied to another role, or be withdrawn.
 */
export function Roles(props: { document: MetadataDocument }) {
  const { document } = props;
  const [wanted, setWanted] = useState("");
  const [copying, setCopying] = useState<string>();
  const [to, setTo] = useState("");
  const { leave } = useEdited(copying === undefined ? "" : to, "");
  const { confirm, dialog } = useConfirm();
  const roles = useMemo(() => rolesOf(document), [document]);
  const permissions = useMemo(() => new Map(roles.map((r) => [r, permissionsOfRole(document, r)])), [document, roles]);
  const shown = roles.filter((r) => r.toLowerCase().includes(wanted.toLowerCase()));
  const name = to.trim();
  return (
    <div className="page">
      <label className="field">
        Find a role
        <input type="search" value={wanted} onChange={(e) => setWanted(e.target.value)} />
      </label>
      {roles.length === 0 && <p className="hint">No role but admin, who may do everything.</p>}
      <ul className="changes" aria-label="Roles">
        {shown.map((role) => {
          const all = permissions.get(role) ?? [];
          return (
            <li key={role}>
              <div className="row">
                <strong>{role}</strong>
                <span className="hint">{said(all, document, role)}</span>
                <Button
                  isDisabled={all.length === 0}
                  aria-label={`Copy to a role…: ${role}`}
                  aria-expanded={copying === role}
                  onPress={() =>
                    leave(() => {
                      setCopying(copying === role ? undefined : role);
                      setTo("");
                    })
                  }
                >
                  Copy to a role…
                </Button>
                <Button
                  look="danger"
                  isDisabled={all.length === 0}
                  aria-label={`Revoke all…: ${role}`}
                  onPress={() =>
                    confirm({
                      title: "Revoke all",
                      about: `${role} loses ${all.length} permissions.`,
                      request: allOf(all.map((p) => p.drop)),
                    })
                  }
                >
                  Revoke all…
                </Button>
              </div>
              {copying === role && (
                <div className="fields">
                  <label>
                    To the role
                    <input autoComplete="off" value={to} onChange={(e) => setTo(e.target.value)} />
                  </label>
                  <Button
                    look="primary"
                    isDisabled={!name || name === role || name === "admin"}
                    onPress={() =>
                      confirm({
                        title: "Copy",
                        request: allOf(copies(document, all, name)),
                        done: () => setCopying((now) => (now === role ? undefined : now)),
                      })
                    }
                  >
                    Copy…
                  </Button>
                  {roles.includes(name) && (
                    <span className="hint">Permissions that {name} has for the same objects are replaced.</span>
                  )}
                </div>
              )}
            </li>
          );
        })}
      </ul>
      {dialog}
    </div>
  );
}

/** copies are the requests that give another role the same, in the place of what it has. */
function copies(document: MetadataDocument, all: OfRole[], to: string) {
  const there = new Map(permissionsOfRole(document, to).map((p) => [p.key, p.drop]));
  return all.flatMap((p) => [...(there.has(p.key) ? [there.get(p.key)!] : []), p.create(to)]);
}

/** said counts what a role may do by the kinds of objects. */
function said(all: OfRole[], document: MetadataDocument, role: string): string {
  const made = document.inherited_roles?.find((r) => r.role_name === role)?.role_set;
  const kinds = [...operations, ...Object.keys(uses)];
  const counts = kinds.map((what) => ({ what, n: all.filter((p) => p.what === what).length })).filter((c) => c.n > 0);
  return (
    [made && `made of ${made.join(", ")}`, ...counts.map((c) => `${c.n} ${c.what}`)].filter(Boolean).join(", ") ||
    "no permission of its own"
  );
}
