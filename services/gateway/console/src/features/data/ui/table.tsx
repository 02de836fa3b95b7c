import { lazy, Suspense } from "react";
import { useQuery } from "@tanstack/react-query";
import { Tab, TabList, TabPanel } from "react-aria-components";
import { prefixOf } from "../../../lib/http/prefix";
import { hasComputedFields } from "../model/kinds";
import { infoQuery } from "../api/tables";
import type { MetadataDocument, Name, Source, Table } from "../../../lib/http/types";
import { chunk } from "../../../lib/chunk";
import { useServer } from "../../../lib/session";
import { Button } from "../../../ui/button";
import { useConfirm } from "../../../ui/confirm";
import { Failure } from "../../../ui/failure";
import { Loading } from "../../../ui/progress";
import { Tabs } from "../../../ui/tabs";
import { display } from "../model/tables";
import { Rows } from "./rows";

const Structure = lazy(chunk(() => import("./structure")));
const Relationships = lazy(chunk(() => import("./relationships")));
const Sees = lazy(chunk(() => import("../../permissions/ui/sees")));
const Configuration = lazy(chunk(() => import("./configuration")));
const ComputedFields = lazy(chunk(() => import("./computed")));

/** TableView shows a tracked table: its rows, how it is defined, and what the metadata adds to it. */
export function TableView(props: { document: MetadataDocument; source: Source; table: Table }) {
  const { document, source, table } = props;
  const server = useServer();
  const info = useQuery(infoQuery(server, source, table.table));
  if (info.isPending) return <Loading what="the table" />;
  if (info.isLoadingError) return <Failure error={info.error} retry={() => void info.refetch()} />;
  return (
    <>
      <h2>{display(table.table)}</h2>
      {info.data.description && <p className="description">{info.data.description}</p>}
      <Tabs first="rows">
        <TabList aria-label="Parts of the table">
          <Tab id="rows">Rows</Tab>
          <Tab id="structure">Structure</Tab>
          <Tab id="configuration">Configuration</Tab>
          <Tab id="relationships">Relationships</Tab>
          {hasComputedFields(source.kind) && <Tab id="computed">Computed fields</Tab>}
          <Tab id="sees">As a role</Tab>
        </TabList>
        <TabPanel id="rows" className="page">
          <Rows document={document} source={source} table={table} info={info.data} />
        </TabPanel>
        <TabPanel id="structure">
          <Suspense fallback={<Loading what="how the table is defined" />}>
            <Structure source={source} info={info.data} />
          </Suspense>
        </TabPanel>
        <TabPanel id="configuration">
          <Suspense fallback={<Loading what="the configuration" />}>
            <Configuration source={source} table={table} info={info.data} />
          </Suspense>
        </TabPanel>
        <TabPanel id="relationships">
          <Suspense fallback={<Loading what="the relationships" />}>
            <Relationships document={document} source={source} table={table} info={info.data} />
          </Suspense>
        </TabPanel>
        {hasComputedFields(source.kind) && (
          <TabPanel id="computed">
            <Suspense fallback={<Loading what="the fields" />}>
              <ComputedFields source={source} table={table} />
            </Suspense>
          </TabPanel>
        )}
        <TabPanel id="sees">
          <Suspense fallback={<Loading what="what it sees" />}>
            <Sees document={document} source={source} table={table} info={info.data} />
          </Suspense>
        </TabPanel>
      </Tabs>
    </>
  );
}

/** UntrackedView shows how a table is defined that the metadata doesn't have, and tracks it. */
export function UntrackedView(props: { source: Source; table: Name }) {
  const { source, table } = props;
  const info = useQuery(infoQuery(useServer(), source, table));
  const { confirm, dialog } = useConfirm();
  const request = { type: `${prefixOf(source.kind)}_track_table`, args: { source: source.name, table } };
  return (
    <>
      <div className="row">
        <h2>{display(table)}</h2>
        <Button className="button primary" isDisabled={!info.data} onPress={() => confirm({ title: "Track", request })}>
          Track…
        </Button>
      </div>
      {info.data?.description && <p className="description">{info.data.description}</p>}
      <p className="hint">The table isn't tracked: it isn't part of the GraphQL schema, and its rows aren't shown.</p>
      {info.isPending && <Loading what="the table" />}
      {info.isLoadingError && <Failure error={info.error} retry={() => void info.refetch()} />}
      {info.data && (
        <Suspense fallback={<Loading what="how the table is defined" />}>
          <Structure source={source} info={info.data} />
        </Suspense>
      )}
      {dialog}
    </>
  );
}
