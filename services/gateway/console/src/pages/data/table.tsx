import { lazy, Suspense } from "react";
import { useQuery } from "@tanstack/react-query";
import { Tab, TabList, TabPanel, Tabs } from "react-aria-components";
import { display, infoQuery, type TableInfo } from "../../api/tables";
import type { MetadataDocument, Source, Table } from "../../api/types";
import { useServer } from "../../session";
import { Failure } from "../../shell/failure";
import { Grid } from "../../shell/grid";
import { Loading } from "../../shell/progress";
import { hasComputedFields } from "./kinds";
import { Rows } from "./rows";

const Relationships = lazy(() => import("./relationships"));
const Sees = lazy(() => import("../permissions/sees"));
const Configuration = lazy(() => import("./configuration"));
const ComputedFields = lazy(() => import("./computed"));

/** TableView shows a tracked table: its rows, its columns and keys, and what the metadata adds to it. */
export function TableView(props: { document: MetadataDocument; source: Source; table: Table }) {
  const { document, source, table } = props;
  const server = useServer();
  const info = useQuery(infoQuery(server, source, table.table));
  if (info.isPending) return <Loading what="the table" />;
  if (info.error) return <Failure error={info.error} retry={() => void info.refetch()} />;
  return (
    <>
      <h2>{display(table.table)}</h2>
      {info.data.description && <p className="description">{info.data.description}</p>}
      <Tabs>
        <TabList aria-label="Parts of the table">
          <Tab id="rows">Rows</Tab>
          <Tab id="columns">Columns and keys</Tab>
          <Tab id="configuration">Configuration</Tab>
          <Tab id="relationships">Relationships</Tab>
          {hasComputedFields(source.kind) && <Tab id="computed">Computed fields</Tab>}
          <Tab id="sees">As a role</Tab>
        </TabList>
        <TabPanel id="rows" className="page"><Rows document={document} source={source} table={table} info={info.data} /></TabPanel>
        <TabPanel id="columns">
          <Grid
            label="Columns"
            columns={["column", "type", "nullable", "key", "comment"]}
            rows={info.data.columns.map((c) => [c.name, c.type, c.nullable ? "yes" : "no", keyText(info.data, c.name), c.description ?? ""])}
          />
        </TabPanel>
        <TabPanel id="configuration"><Suspense fallback={<Loading what="the configuration" />}><Configuration source={source} table={table} info={info.data} /></Suspense></TabPanel>
        <TabPanel id="relationships"><Suspense fallback={<Loading what="the relationships" />}><Relationships document={document} source={source} table={table} info={info.data} /></Suspense></TabPanel>
        {hasComputedFields(source.kind) && <TabPanel id="computed"><Suspense fallback={<Loading what="the fields" />}><ComputedFields source={source} table={table} /></Suspense></TabPanel>}
        <TabPanel id="sees"><Suspense fallback={<Loading what="what it sees" />}><Sees document={document} source={source} table={table} info={info.data} /></Suspense></TabPanel>
      </Tabs>
    </>
  );
}

function keyText(info: TableInfo, column: string): string {
  const parts = info.primary_key?.includes(column) ? ["primary key"] : [];
  for (const k of Object.values(info.foreign_keys ?? {})) {
    const to = k.column_mapping[column];
    if (to) parts.push(`references ${display(k.foreign_table)}.${to}`);
  }
  return parts.join(", ");
}
