import { useMemo, useState } from "react";
import { getRouteApi } from "@tanstack/react-router";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { Button, GridList, GridListItem, Input, Label, ListLayout, SearchField, Tab, TabList, TabPanel, Tabs, Virtualizer, type Selection } from "react-aria-components";
import { prefixOf, type MetadataRequest } from "../../api/client";
import { exportQuery, inconsistencyQuery } from "../../api/queries";
import { display, keyOf } from "../../api/tables";
import type { Name, Source } from "../../api/types";
import { useServer } from "../../session";
import { ConfirmChange } from "../../shell/confirm";
import { Failure } from "../../shell/failure";
import { Loading } from "../../shell/progress";
import { SourcePicker } from "../../shell/sources";
import { Suggestions } from "./suggestions";
import { TableView } from "./table";

const route = getRouteApi("/data");
const layout = { rowHeight: 28 };

/** DataPage has the tables of a source: tracked or not, their relationships, and their rows. */
export function DataPage() {
  const server = useServer();
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const metadata = useQuery(exportQuery(server));
  if (metadata.isPending) return <><h1>Data</h1><Loading what="the sources" /></>;
  if (metadata.error) return <><h1>Data</h1><Failure error={metadata.error} retry={() => void metadata.refetch()} /></>;
  const sources = metadata.data.metadata.sources;
  const source = sources.find((s) => s.name === search.source) ?? sources[0];
  if (!source) return <><h1>Data</h1><p>There is no source: <code>add_source</code> of the metadata API adds one.</p></>;
  const tracked = source.tables.find((t) => t.table.name === search.table && (t.table.schema ?? undefined) === search.schema);
  return (
    <div className="page">
      <div className="row">
        <h1>Data</h1>
        <SourcePicker sources={sources} value={source.name} onChange={(name) => void navigate({ search: { source: name } })} />
        <Health source={source} />
      </div>
      <div className="split">
        <Tables key={source.name} source={source} current={tracked?.table} open={(t) => void navigate({ search: { source: source.name, schema: t.schema, table: t.name } })} />
        <section className="panel" aria-label="Table">
          {tracked ? <TableView key={keyOf(tracked.table)} document={metadata.data.metadata} source={source} table={tracked} /> : <p className="hint">Choose a tracked table to see its rows.</p>}
        </section>
      </div>
    </div>
  );
}

/** tablesQuery lists what the database has. */
function useTables(source: Source) {
  const server = useServer();
  return useQuery({
    queryKey: ["metadata", "tables", source.name],
    queryFn: ({ signal }) => server.ofSource<Name[], "get_source_tables">(source.kind, "get_source_tables", { source: source.name }, signal),
  });
}

/** Health says whether the source answers and whether all of it can be used. */
function Health(props: { source: Source }) {
  const server = useServer();
  const tables = useTables(props.source);
  const inconsistencies = useQuery(inconsistencyQuery(server));
  const bad = inconsistencies.data?.inconsistent_objects.find((o) => o.type === "source" && o.name?.endsWith(props.source.name));
  if (bad) return <span className="removed">can't be used: {bad.reason}</span>;
  if (tables.error) return <span className="removed">doesn't answer</span>;
  return tables.data ? <span className="good">answers, {tables.data.length} tables and views</span> : <span className="hint">…</span>;
}

type Shown = "all" | "tracked" | "untracked";

/** Tables lists the tables of a source, tracks and untracks them. */
function Tables(props: { source: Source; current: Name | undefined; open: (t: Name) => void }) {
  const { source, current, open } = props;
  const server = useServer();
  const client = useQueryClient();
  const found = useTables(source);
  const [wanted, setWanted] = useState("");
  const [shown, setShown] = useState<Shown>("all");
  const [selected, setSelected] = useState<Selection>(new Set());
  const [confirm, setConfirm] = useState<MetadataRequest>();
  const tracked = useMemo(() => new Set(source.tables.map((t) => keyOf(t.table))), [source]);
  const items = useMemo(() => {
    const all = new Map([...source.tables.map((t) => t.table), ...(found.data ?? [])].map((n) => [keyOf(n), n]));
    return [...all].map(([id, name]) => ({ id, name, text: display(name), tracked: tracked.has(id) })).sort((a, b) => a.text.localeCompare(b.text));
  }, [source, found.data, tracked]);
  const listed = items.filter((i) => i.text.toLowerCase().includes(wanted.toLowerCase()) && (shown === "all" || (shown === "tracked") === i.tracked));
  const chosen = selected === "all" ? listed : items.filter((i) => selected.has(i.id));
  const toTrack = chosen.filter((i) => !i.tracked);
  const toUntrack = chosen.filter((i) => i.tracked);
  const track = useMutation({
    mutationFn: () => server.ofSource(source.kind, "track_tables", { tables: toTrack.map((i) => ({ source: source.name, table: i.name })) }),
    onSuccess: () => setSelected(new Set()),
    onSettled: () => client.invalidateQueries({ queryKey: ["metadata"] }),
  });
  return (
    <section className="panel" aria-label="Tables of the source">
      <Tabs>
        <TabList aria-label="Tables or relationships"><Tab id="tables">Tables</Tab><Tab id="suggestions">Suggested relationships</Tab></TabList>
        <TabPanel id="tables" className="page">
          <div className="fields">
            <SearchField value={wanted} onChange={setWanted}><Label>Find</Label><Input /></SearchField>
            <label>Show<select value={shown} onChange={(e) => setShown(e.target.value as Shown)}><option>all</option><option>tracked</option><option>untracked</option></select></label>
          </div>
          {found.error && <Failure error={found.error} retry={() => void found.refetch()} />}
          {track.error && <Failure error={track.error} />}
          <Virtualizer layout={ListLayout} layoutOptions={layout}>
            <GridList
              aria-label="Tables and views"
              className="list"
              items={listed}
              dependencies={[current]}
              selectionMode="multiple"
              selectionBehavior="toggle"
              selectedKeys={selected}
              onSelectionChange={setSelected}
              renderEmptyState={() => <span className="hint">{found.isPending ? "Loading…" : "None"}</span>}
            >
              {(i) => (
                <GridListItem textValue={i.text} data-current={(current && keyOf(current) === i.id) || undefined}>
                  <span>{i.text}</span>
                  <small>{i.tracked ? <Button className="link" onPress={() => open(i.name)} aria-label={`Open ${i.text}`}>open</Button> : "untracked"}</small>
                </GridListItem>
              )}
            </GridList>
          </Virtualizer>
          <div className="row">
            <Button className="button" onPress={() => setSelected(new Set(listed.map((i) => i.id)))}>Select all</Button>
            <Button className="button primary" isDisabled={!toTrack.length || track.isPending} onPress={() => track.mutate()}>Track {toTrack.length}</Button>
            <Button className="button" isDisabled={!toUntrack.length} onPress={() => setConfirm({ type: `${prefixOf(source.kind)}_untrack_tables`, args: { tables: toUntrack.map((i) => ({ source: source.name, table: i.name, cascade: true })) } })}>Untrack {toUntrack.length}…</Button>
          </div>
        </TabPanel>
        <TabPanel id="suggestions"><Suggestions source={source} /></TabPanel>
      </Tabs>
      {confirm && <ConfirmChange title="Untrack" request={confirm} close={() => { setConfirm(undefined); setSelected(new Set()); }} />}
    </section>
  );
}
