import { useState } from "react";
import { allOf, dropOf, operations, permissionsOf, saveOf, type Operation } from "../model/permissions";
import { rolesOf } from "../model/roles";
import { display, keyOf } from "../../data/model/tables";
import type { MetadataDocument, Source, Table } from "../../../lib/http/types";
import { useEdited } from "../../../lib/unsaved";
import { put, type Value } from "../../../lib/json/path";
import { Button } from "../../../ui/button";
import { useConfirm } from "../../../ui/confirm";
import { Names } from "../../../ui/forms/names";

/**
 * Copy gives other roles, or the same on other tables, what a role may do with a table, several at once; or withdraws
 * it from them.
 */
export function Copy(props: { document: MetadataDocument; source: Source; table: Table; role: string }) {
  const { document, source, table, role } = props;
  const own = operations.filter((o) => permissionsOf(table, o).some((p) => p.role === role));
  const here = display(table.table);
  const before: Value = { roles: [role], tables: [here] };
  const [edited, setEdited] = useState(before);
  const value: Value = { operations: own, ...edited }; // all that there are, until others are chosen
  const [added, setAdded] = useState("");
  const [more, setMore] = useState<string[]>([]);
  const { confirm, dialog } = useConfirm();
  const { saved } = useEdited(JSON.stringify([value, added]), JSON.stringify([{ operations: own, ...before }, ""]));
  const chosen = (path: string) => (value[path] ?? []) as string[];
  const tables = source.tables.filter((t) => chosen("tables").includes(display(t.table)));
  const places = chosen("operations")
    .flatMap((operation) =>
      tables.flatMap((t) =>
        chosen("roles").map((to) => ({ source, table: t.table, role: to, operation: operation as Operation })),
      ),
    )
    .filter((p) => p.role !== role || keyOf(p.table) !== keyOf(table.table));
  const copies = places.flatMap((p) => {
    const found = permissionsOf(table, p.operation).find((o) => o.role === role);
    if (!found) return [];
    const { role: _, ...args } = found;
    return [saveOf(p, args)];
  });
  const drops = places
    .filter((p) =>
      permissionsOf(
        source.tables.find((t) => t.table === p.table)!,
        p.operation,
      ).some((o) => o.role === p.role),
    )
    .map(dropOf);
  const name = added.trim();
  const names = (path: string, label: string, list: { name: string; about?: string }[]) => (
    <Names
      field={{ path, label, kind: "custom" }}
      value={value}
      fault={undefined}
      report={() => {}}
      change={(part) => setEdited(put(edited, path, part))}
      names={list}
    />
  );
  return (
    <details className="section">
      <summary>Copy or revoke in bulk</summary>
      <div className="form">
        {names(
          "operations",
          "Operations",
          operations.map((o) => ({ name: o, about: own.includes(o) ? undefined : "not allowed here" })),
        )}
        {names(
          "roles",
          "Roles",
          [...new Set([...more, role, ...rolesOf(document)])].map((r) => ({ name: r })),
        )}
        <div className="fields">
          <label>
            New role to copy to
            <input autoComplete="off" value={added} onChange={(e) => setAdded(e.target.value)} />
          </label>
          <Button
            isDisabled={!name || name === "admin"}
            onPress={() => {
              setMore([name, ...more]);
              setEdited(put(edited, "roles", [...new Set([...chosen("roles"), name])]));
              setAdded("");
            }}
          >
            Choose it
          </Button>
        </div>
        {names(
          "tables",
          "Tables",
          source.tables.map((t) => ({
            name: display(t.table),
            about: keyOf(t.table) === keyOf(table.table) ? "this one" : undefined,
          })),
        )}
        <div className="row">
          <Button
            look="primary"
            isDisabled={copies.length === 0}
            onPress={() =>
              confirm({
                title: "Copy",
                about: `${copies.length} permissions are set as ${role} has them on ${here}.`,
                request: allOf(copies),
                done: saved,
              })
            }
          >
            Copy to {copies.length}…
          </Button>
          <Button
            look="danger"
            isDisabled={drops.length === 0}
            onPress={() =>
              confirm({
                title: "Revoke them",
                about: `${drops.length} permissions are withdrawn; what ${role} has on ${here} stays.`,
                request: allOf(drops),
                done: saved,
              })
            }
          >
            Revoke {drops.length} others…
          </Button>
        </div>
      </div>
      {dialog}
    </details>
  );
}
