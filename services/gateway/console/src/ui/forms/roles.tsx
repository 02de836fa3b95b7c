import { useId, useState } from "react";
import { Button } from "../button";

interface RolesProps {
  allowed: string[];
  roles: string[];
  allow: (role: string, comment: string | undefined) => void;
  /** Changes what the role sees. */
  edit?: (role: string) => void;
  /** The comments of the permissions, where they can have some, and what changes one. */
  comments?: { of: (role: string) => string | undefined; edit: (role: string) => void };
  withdraw: (role: string) => void;
}

/** Roles shows which roles may use something, and lets another one use it. Names that aren't roles yet can be typed. */
export function Roles(props: RolesProps) {
  const { allowed, roles, allow, edit, comments, withdraw } = props;
  const [role, setRole] = useState("");
  const [comment, setComment] = useState("");
  const list = useId();
  return (
    <section aria-label="Roles" className="form">
      <h3>Roles</h3>
      <p className="hint">admin always may.</p>
      <ul className="changes">
        {allowed.map((r) => (
          <li key={r} className="row">
            <span>{r}</span>
            {comments?.of(r) && <span className="hint">{comments.of(r)}</span>}
            {edit && (
              <Button aria-label={`Change what ${r} sees`} onPress={() => edit(r)}>
                Change
              </Button>
            )}
            {comments && (
              <Button aria-label={`Comment on ${r}`} onPress={() => comments.edit(r)}>
                Comment
              </Button>
            )}
            <Button look="danger" aria-label={`Revoke from ${r}`} onPress={() => withdraw(r)}>
              Revoke…
            </Button>
          </li>
        ))}
      </ul>
      <div className="row">
        <label className="inline">
          Role <input list={list} value={role} onChange={(e) => setRole(e.target.value)} />
        </label>
        <datalist id={list}>
          {roles
            .filter((r) => !allowed.includes(r))
            .map((r) => (
              <option key={r} value={r} />
            ))}
        </datalist>
        {comments && (
          <label className="inline">
            Comment on the role{" "}
            <input value={comment} autoComplete="off" onChange={(e) => setComment(e.target.value)} />
          </label>
        )}
        <Button
          isDisabled={!role.trim() || allowed.includes(role.trim())}
          onPress={() => {
            allow(role.trim(), comment || undefined);
            setRole("");
            setComment("");
          }}
        >
          Allow…
        </Button>
      </div>
    </section>
  );
}
