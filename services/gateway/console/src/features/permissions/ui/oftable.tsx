import { useState } from "react";
import type { MetadataDocument, Source, Table } from "../../../lib/http/types";
import { Button } from "../../../ui/button";
import { Empty } from "../../../ui/empty";
import { Staying } from "../../../ui/forms/staying";
import { icons } from "../../../ui/icons";
import { keyOf, schemaOf, type TableInfo } from "../../data/model/tables";
import {
  conflictOf,
  grantOf,
  isWhole,
  operations,
  parentsOf,
  type Operation,
  type Parents,
} from "../model/permissions";
import { rolesOf } from "../model/roles";
import { effectiveOf } from "../api/roleschema";
import { PermissionEditor } from "./editor";
import Sees from "./sees";
import { texts } from "./texts";

interface TablePermissionsProps {
  document: MetadataDocument;
  source: Source;
  table: Table;
  info: TableInfo;
  /** Whose permissions are open. */
  role: string | undefined;
  open: (role: string | undefined) => void;
}

/** TablePermissions has what each role may do with a table, and the editor of the role that is open. */
export default function TablePermissions(props: TablePermissionsProps) {
  const { document, source, table, info, role, open } = props;
  const [added, setAdded] = useState("");
  const [operation, setOperation] = useState<Operation>("select");
  const [previews, setPreviews] = useState(false);
  const known = rolesOf(document);
  const roles = role !== undefined && !known.includes(role) ? [role, ...known] : known;
  const parents = parentsOf(document);
  const name = added.trim();
  return (
    <div className="page">
      {roles.length === 0 ? (
        <Empty>{texts.noRoles}</Empty>
      ) : (
        <div className="scroll">
          <table className="grants" aria-label={texts.roles}>
            <thead>
              <tr>
                <th scope="col">{texts.role}</th>
                {operations.map((o) => (
                  <th key={o} scope="col">
                    {o}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {roles.map((r) => (
                <tr key={r} data-current={r === role || undefined}>
                  <th scope="row">{r}</th>
                  {operations.map((o) => {
                    const { words, look } = grantIn(table, o, r, parents);
                    return (
                      <td key={o}>
                        <Button
                          look="quiet"
                          small
                          aria-label={texts.cell(r, o, words)}
                          aria-pressed={r === role && o === operation}
                          onPress={() => {
                            setOperation(o);
                            setPreviews(false);
                            open(r);
                          }}
                        >
                          <span className={`chip ${look}`}>{words}</span>
                        </Button>
                      </td>
                    );
                  })}
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
      <form
        className="row"
        onSubmit={(e) => {
          e.preventDefault();
          if (!name || name === "admin") return;
          setAdded("");
          open(name);
        }}
      >
        <input
          aria-label={texts.newRole}
          placeholder={texts.newRole}
          value={added}
          autoComplete="off"
          onChange={(e) => setAdded(e.target.value)}
        />
        <Button type="submit" icon={icons.Plus} isDisabled={!name || name === "admin" || roles.includes(name)}>
          {texts.addRole}
        </Button>
        <Button look="quiet" icon={icons.Eye} aria-pressed={previews} onPress={() => setPreviews(!previews)}>
          {texts.preview}
        </Button>
      </form>
      {previews ? (
        <section aria-label={texts.preview}>
          <Sees document={document} source={source} table={table} info={info} />
        </section>
      ) : (
        role !== undefined && (
          <section className="panel edited" aria-label={texts.ofRole}>
            <Staying id={`${schemaOf(table.table)} ${table.table.name} ${role}`} name={role} value={table}>
              {(t) => (
                <PermissionEditor
                  key={`${keyOf(t.table)} ${role} ${operation}`}
                  document={document}
                  source={source}
                  table={t}
                  role={role}
                  first={operation}
                />
              )}
            </Staying>
          </section>
        )
      )}
    </div>
  );
}

/** grantIn says in words what a role may do. */
function grantIn(table: Table, operation: Operation, role: string, parents: Parents): { words: string; look: string } {
  const grant = grantOf(table, operation, role, parents);
  if (!grant)
    return conflictOf(table, operation, role, parents).length > 0
      ? { words: texts.conflict, look: "bad" }
      : { words: texts.nothing, look: "none" };
  const whole = effectiveOf(table, operation, role, parents).some((p) => isWhole(operation, p));
  const words = whole ? texts.all : texts.part;
  return { words: grant === "inherited" ? texts.inherited(words) : words, look: whole ? "good" : "warn" };
}
