import { lazy, Suspense, useState, type ReactNode } from "react";
import { useQuery } from "@tanstack/react-query";
import { Tab, TabList, TabPanel } from "react-aria-components";

import { prefixOf } from "../../../lib/http/prefix";
import { hasComputedFields } from "../model/kinds";
import { infoQuery } from "../api/tables";
import type { MetadataDocument, Name, Source, Table } from "../../../lib/http/types";
import { chunk } from "../../../lib/chunk";
import type { TableSearch } from "../../../lib/search";
import { useServer } from "../../../lib/session";
import { Button } from "../../../ui/button";
import { useConfirm } from "../../../ui/confirm";
import { Failure } from "../../../ui/failure";
import { Loading } from "../../../ui/progress";
import { Tabs } from "../../../ui/tabs";
import { display } from "../model/tables";
import { Rows } from "./rows";
import { texts } from "./texts";

const Structure = lazy(chunk(() => import("./structure")));
const Relationships = lazy(chunk(() => import("./relationships")));
const TablePermissions = lazy(chunk(() => import("../../permissions/ui/oftable")));
const TableEvents = lazy(chunk(() => import("../../events/ui/oftable")));
const Configuration = lazy(chunk(() => import("./configuration")));
const ComputedFields = lazy(chunk(() => import("./computed")));

/** tabs are the parts of a table, in their order; the address has the one that is open. */
const tabs = ["rows", "structure", "relationships", "permissions", "events", "settings"] as const;

/** TableView shows a tracked table: its rows, how it is defined, and what the metadata adds to it. */
export function TableView(props: {
  document: MetadataDocument;
  source: Source;
  table: Table;
  tab: string | undefined;
  role: string | undefined;
  open: (s: TableSearch) => void;
}) {
  const { document, source, table, tab, role, open } = props;
  const server = useServer();
  const info = useQuery(infoQuery(server, source, table.table));
  if (info.isPending) return <Loading what="the table" />;
  if (info.isLoadingError) return <Failure error={info.error} retry={() => void info.refetch()} />;
  const panel = (id: (typeof tabs)[number], content: ReactNode) => (
    <TabPanel id={id} className={id === "rows" ? "page" : undefined}>
      <Suspense fallback={<Loading what={texts.tabs[id]} />}>{content}</Suspense>
    </TabPanel>
  );
  return (
    <Tabs
      selectedKey={tabs.find((t) => t === tab) ?? "rows"}
      onSelectionChange={(key) => open({ tab: key === "rows" ? undefined : String(key) })}
    >
      <div className="table-head">
        <h2>{display(table.table)}</h2>
        {info.data.description && (
          <span className="hint one-line" title={info.data.description}>
            {info.data.description}
          </span>
        )}
        <TabList aria-label={texts.parts}>
          {tabs.map((t) => (
            <Tab key={t} id={t}>
              {texts.tabs[t]}
            </Tab>
          ))}
        </TabList>
      </div>
      {panel("rows", <Rows document={document} source={source} table={table} info={info.data} />)}
      {panel("structure", <Structure source={source} info={info.data} />)}
      {panel("relationships", <Relationships document={document} source={source} table={table} info={info.data} />)}
      {panel(
        "permissions",
        <TablePermissions
          document={document}
          source={source}
          table={table}
          info={info.data}
          role={role}
          open={(r) => open({ tab: "permissions", role: r })}
        />,
      )}
      {panel("events", <TableEvents source={source} table={table} />)}
      {panel(
        "settings",
        <>
          <Configuration source={source} table={table} info={info.data} />
          {hasComputedFields(source.kind) && (
            <Later title={texts.computedFields}>
              <ComputedFields source={source} table={table} />
            </Later>
          )}
        </>,
      )}
    </Tabs>
  );
}

/** Later is a part that is made once it is opened. */
function Later(props: { title: string; children: ReactNode }) {
  const [open, setOpen] = useState(false);
  return (
    <details className="section wide" onToggle={(e) => setOpen(e.currentTarget.open)}>
      <summary>{props.title}</summary>
      {open && props.children}
    </details>
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
        <Button look="primary" isDisabled={!info.data} onPress={() => confirm({ title: "Track", request })}>
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
