import { lazy, Suspense, useState } from "react";
import { useQuery } from "@tanstack/react-query";
import { Link, useNavigate } from "@tanstack/react-router";
import { Tab, TabList, TabPanel } from "react-aria-components";
import {
  conflictOf,
  dropOf,
  grantOf,
  inheritedOf,
  operations,
  parentsOf,
  permissionsOf,
  saveOf,
  startFrom,
  type Operation,
  type Permission,
  type Place,
} from "../model/permissions";
import { runAsKey } from "../../../lib/http/runas";
import { infoQuery } from "../../data/api/tables";
import type { MetadataDocument, Source, Table } from "../../../lib/http/types";
import { chunk } from "../../../lib/chunk";
import { Form } from "../../../ui/forms/form";
import { Staying } from "../../../ui/forms/staying";
import { useServer } from "../../../lib/session";
import { useConfirm } from "../../../ui/confirm";
import { Failure } from "../../../ui/failure";
import { Loading } from "../../../ui/progress";
import { Tabs } from "../../../ui/tabs";
import { Copy } from "./copy";
import { fieldsOf, startOf } from "./fields";
import { display, schemaOf, type TableInfo } from "../../data/model/tables";
import { Known, knownOf } from "./rule/known";
import { Pre } from "../../../ui/pre";
import { texts } from "./texts";
import { Button } from "../../../ui/button";

const Sees = lazy(chunk(() => import("./sees")));

/** PermissionEditor edits what a role may do with a table. */
export function PermissionEditor(props: {
  document: MetadataDocument;
  source: Source;
  table: Table;
  role: string;
  /** The operation that is open at first. */
  first?: Operation;
}) {
  const { document, source, table, role, first = "select" } = props;
  const server = useServer();
  const info = useQuery(infoQuery(server, source, table.table));
  const parents = parentsOf(document);
  const navigate = useNavigate();
  return (
    <Known value={knownOf(document)}>
      <div className="row">
        <h2>
          {display(table.table)} · {role}
        </h2>
        <Button
          onPress={() => {
            runAs(role);
            void navigate({ to: "/api" });
          }}
        >
          Run as {role}
        </Button>
      </div>
      {info.isPending && <Loading what="the columns" />}
      {info.isLoadingError && <Failure error={info.error} retry={() => void info.refetch()} />}
      {info.data && (
        <Tabs first={first}>
          <TabList aria-label="Operations">
            {operations.map((o) => {
              const grant = grantOf(table, o, role, parents);
              return (
                <Tab key={o} id={o}>
                  {o}
                  {grant === "own"
                    ? " ✓"
                    : grant === "inherited"
                      ? " (inherited)"
                      : conflictOf(table, o, role, parents).length > 0
                        ? " (in conflict)"
                        : ""}
                </Tab>
              );
            })}
            <Tab id="sees">What it sees</Tab>
          </TabList>
          {operations.map((o) => (
            <TabPanel key={o} id={o}>
              <Staying
                id={o}
                name={`the permission to ${o}`}
                value={permissionsOf(table, o).find((p) => p.role === role)}
                otherwise={
                  <OperationEditor
                    document={document}
                    place={{ source, table: table.table, role, operation: o }}
                    table={table}
                    info={info.data}
                  />
                }
              >
                {(own) => (
                  <OperationEditor
                    document={document}
                    place={{ source, table: table.table, role, operation: o }}
                    table={table}
                    info={info.data}
                    own={own}
                  />
                )}
              </Staying>
            </TabPanel>
          ))}
          <TabPanel id="sees">
            <Suspense fallback={<Loading what="what it sees" />}>
              <Sees document={document} source={source} table={table} info={info.data} role={role} />
            </Suspense>
          </TabPanel>
        </Tabs>
      )}
      <Copy document={document} source={source} table={table} role={role} />
    </Known>
  );
}

/** runAs makes a role that of the API page. */
function runAs(role: string) {
  try {
    const before = JSON.parse(sessionStorage.getItem(runAsKey) ?? "{}") as { headers?: string };
    sessionStorage.setItem(runAsKey, JSON.stringify({ headers: before.headers ?? "", role }));
  } catch {
    // Storage is full or switched off: the role is chosen by hand.
  }
}

function OperationEditor(props: {
  document: MetadataDocument;
  place: Place;
  table: Table;
  info: TableInfo;
  own?: Permission;
}) {
  const { document, place, table, info, own } = props;
  const { operation, role } = place;
  const [adding, setAdding] = useState<Record<string, unknown>>();
  const { confirm, dialog } = useConfirm();
  if (!own && !adding) {
    const parents = parentsOf(document);
    const inherited = inheritedOf(permissionsOf(table, operation), role, parents, new Set());
    const others = operations.flatMap((o) =>
      permissionsOf(table, o).map((p) => ({
        name: `${p.role}: ${o}`,
        start: { permission: startFrom(operation, o, p.permission) },
      })),
    );
    return (
      <div className="page">
        {inherited.length === 0 ? (
          <span className="hint">{sentence(operation, role)}</span>
        ) : (
          <Origins place={place} from={inherited} conflict={conflictOf(table, operation, role, parents).length > 0} />
        )}
        <div className="row">
          <Button look="primary" onPress={() => setAdding({ permission: startOf(operation) })}>
            Allow {operation}
          </Button>
          {others.length > 0 && (
            <select
              aria-label={`Allow ${operation}, starting from`}
              value=""
              onChange={(e) => setAdding(others.find((o) => o.name === e.target.value)?.start)}
            >
              <option value="">Copy from…</option>
              {others.map((o) => (
                <option key={o.name}>{o.name}</option>
              ))}
            </select>
          )}
        </div>
      </div>
    );
  }
  const { role: _, ...initial } = { role, ...own, ...adding };
  return (
    <div className="page">
      <Form
        follows
        title="Save"
        confirm
        key={adding && own ? "rules" : "rule"}
        initial={{ ...initial }}
        fields={(value) => fieldsOf(operation, place.source, table, info, value)}
        request={(args) => saveOf(place, args)}
        done={() => setAdding(undefined)}
        cancel={own && !adding ? undefined : () => setAdding(undefined)}
      />
      {own && (
        <div className="row">
          {!Array.isArray(own.permission) && (
            <Button onPress={() => setAdding({ permission: [own.permission, startOf(operation)] })}>
              {texts.several}
            </Button>
          )}
          <Button look="danger" onPress={() => confirm({ title: "Revoke", request: dropOf(place) })}>
            Revoke {operation}…
          </Button>
        </div>
      )}
      {dialog}
    </div>
  );
}

/** Origins are the permissions that a role inherits, or would inherit if they didn't differ. */
function Origins(props: { place: Place; from: Permission[]; conflict: boolean }) {
  const {
    place: { source, table, role, operation },
    from,
    conflict,
  } = props;
  return (
    <section className="origins" aria-label="What is inherited">
      {conflict ? (
        <p className="failure-message">
          {from.map((p) => p.role).join(" and ")} may {operation} in different ways, so that {role} may not: with a
          permission of its own it may.
        </p>
      ) : (
        <span className="hint">
          The role inherits this from its roles; a permission of its own takes the place of that.
          {operation === "select" &&
            from.length > 1 &&
            " It sees the rows that one of them sees, and in each row the columns that one who sees the row has."}
        </span>
      )}
      <ul className="changes">
        {from.map((p) => (
          <li key={p.role}>
            <Link
              to="/permissions"
              search={{ source: source.name, schema: schemaOf(table), table: table.name, role: p.role }}
            >
              {p.role}
            </Link>
            <Pre label={`${operation} of ${p.role}`}>{JSON.stringify(p.permission, null, 2)}</Pre>
          </li>
        ))}
      </ul>
    </section>
  );
}

function sentence(operation: Operation, role: string): string {
  return operation === "select"
    ? `${role} sees no row of this table.`
    : `${role} may not ${operation} rows of this table.`;
}
