import { useId, useState } from "react";
import { Button } from "react-aria-components";

/** Roles shows which roles may use something, and lets another one use it. Names that aren't roles yet can be typed. */
export function Roles(props: { allowed: string[]; roles: string[]; allow: (role: string) => void; edit?: (role: string) => void; withdraw: (role: string) => void }) {
  const { allowed, roles, allow, edit, withdraw } = props;
  const [role, setRole] = useState("");
  const list = useId();
  return (
    <section aria-label="Roles" className="form">
      <h3>Roles</h3>
      <p className="hint">admin always may.</p>
      <ul className="changes">
        {allowed.map((r) => (
          <li key={r} className="row">
            <span>{r}</span>
            {edit && <Button className="button" aria-label={`Change what ${r} sees`} onPress={() => edit(r)}>Change</Button>}
            <Button className="button" aria-label={`Withdraw from ${r}`} onPress={() => withdraw(r)}>Withdraw…</Button>
          </li>
        ))}
      </ul>
      <div className="row">
        <label className="inline">Role <input list={list} value={role} onChange={(e) => setRole(e.target.value)} /></label>
        <datalist id={list}>{roles.filter((r) => !allowed.includes(r)).map((r) => <option key={r} value={r} />)}</datalist>
        <Button className="button" isDisabled={!role.trim() || allowed.includes(role.trim())} onPress={() => { allow(role.trim()); setRole(""); }}>Allow…</Button>
      </div>
    </section>
  );
}
