import { useId, useState } from "react";
import { Button } from "react-aria-components";
import { saveOf, type Permission, type Place } from "../../api/permissions";
import { rolesOf } from "../../api/roles";
import { display, keyOf } from "../../api/tables";
import type { MetadataDocument } from "../../api/types";
import { useConfirm } from "../../shell/confirm";

/** Copy gives another role, or the role on another table, the same permission. */
export function Copy(props: { document: MetadataDocument; place: Place; permission: Permission }) {
  const { document, place, permission } = props;
  const list = useId();
  const [role, setRole] = useState(place.role);
  const [table, setTable] = useState(keyOf(place.table));
  const { confirm, dialog } = useConfirm();
  const to = place.source.tables.find((t) => keyOf(t.table) === table);
  const { role: _, ...args } = permission;
  const same = role.trim() === place.role && table === keyOf(place.table);
  return (
    <details>
      <summary>Copy to another role or table</summary>
      <div className="fields">
        <label>To the role<input list={list} value={role} onChange={(e) => setRole(e.target.value)} /></label>
        <datalist id={list}>{rolesOf(document).map((r) => <option key={r} value={r} />)}</datalist>
        <label>On the table<select value={table} onChange={(e) => setTable(e.target.value)}>{place.source.tables.map((t) => <option key={keyOf(t.table)} value={keyOf(t.table)}>{display(t.table)}</option>)}</select></label>
        <Button className="button" isDisabled={!to || !role.trim() || same} onPress={() => confirm({ title: "Copy", request: saveOf({ ...place, table: to!.table, role: role.trim() }, args) })}>Copy…</Button>
      </div>
      {dialog}
    </details>
  );
}
