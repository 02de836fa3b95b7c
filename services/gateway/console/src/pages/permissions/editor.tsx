import { lazy, Suspense, useState } from "react";
import { useQuery } from "@tanstack/react-query";
import { Button, Tab, TabList, TabPanel, Tabs } from "react-aria-components";
import { dropOf, grantOf, operations, parentsOf, permissionsOf, saveOf, type Operation, type Place } from "../../api/permissions";
import { display, infoQuery, type TableInfo } from "../../api/tables";
import type { MetadataDocument, Source, Table } from "../../api/types";
import { chunk } from "../../chunk";
import { Form } from "../../forms/form";
import { useServer } from "../../session";
import { useConfirm } from "../../shell/confirm";
import { Failure } from "../../shell/failure";
import { Loading } from "../../shell/progress";
import { Copy } from "./copy";
import { fieldsOf, startOf } from "./fields";
import { suggestedOf, Variables } from "./operand";

const Sees = lazy(chunk(() => import("./sees")));

/** PermissionEditor edits what a role may do with a table. */
export function PermissionEditor(props: { document: MetadataDocument; source: Source; table: Table; role: string }) {
  const { document, source, table, role } = props;
  const server = useServer();
  const info = useQuery(infoQuery(server, source, table.table));
  const parents = parentsOf(document);
  return (
    <Variables value={suggestedOf(document)}>
      <h2>{role} and {display(table.table)}</h2>
      {info.isPending && <Loading what="the columns" />}
      {info.isLoadingError && <Failure error={info.error} retry={() => void info.refetch()} />}
      {info.data && (
        <Tabs>
          <TabList aria-label="Operations">
            {operations.map((o) => {
              const grant = grantOf(table, o, role, parents);
              return <Tab key={o} id={o}>{o}{grant === "own" ? " ✓" : grant === "inherited" ? " (inherited)" : ""}</Tab>;
            })}
            <Tab id="sees">What it sees</Tab>
          </TabList>
          {operations.map((o) => (
            <TabPanel key={o} id={o}>
              <OperationEditor document={document} place={{ source, table: table.table, role, operation: o }} table={table} info={info.data} inherited={grantOf(table, o, role, parents) === "inherited"} />
            </TabPanel>
          ))}
          <TabPanel id="sees"><Suspense fallback={<Loading what="what it sees" />}><Sees document={document} source={source} table={table} info={info.data} role={role} /></Suspense></TabPanel>
        </Tabs>
      )}
    </Variables>
  );
}

function OperationEditor(props: { document: MetadataDocument; place: Place; table: Table; info: TableInfo; inherited: boolean }) {
  const { document, place, table, info, inherited } = props;
  const [adding, setAdding] = useState(false);
  const { confirm, dialog } = useConfirm();
  const own = permissionsOf(table, place.operation).find((p) => p.role === place.role);
  if (!own && !adding) {
    return (
      <div className="row">
        <span className="hint">{inherited ? "The role inherits this from its roles; a permission of its own takes the place of that." : sentence(place.operation, place.role)}</span>
        <Button className="button primary" onPress={() => setAdding(true)}>Allow {place.operation}</Button>
      </div>
    );
  }
  const { role: _, ...initial } = own ?? { role: place.role, permission: startOf(place.operation) };
  return (
    <div className="page">
      <Form
        follows
        title="Save"
        confirm
        initial={{ ...initial }}
        fields={(value) => fieldsOf(place.operation, place.source, table, info, value)}
        request={(args) => saveOf(place, args)}
        done={() => setAdding(false)}
        cancel={own ? undefined : () => setAdding(false)}
      />
      {own && (
        <>
          <div className="row"><Button className="button" onPress={() => confirm({ title: "Withdraw", request: dropOf(place) })}>Withdraw {place.operation}…</Button></div>
          <Copy document={document} place={place} permission={own} />
        </>
      )}
      {dialog}
    </div>
  );
}

function sentence(operation: Operation, role: string): string {
  return operation === "select" ? `${role} sees no row of this table.` : `${role} may not ${operation} rows of this table.`;
}
