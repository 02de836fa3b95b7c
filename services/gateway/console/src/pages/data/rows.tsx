import { useState } from "react";
import { useLocation, useNavigate } from "@tanstack/react-router";
import { keepPreviousData, useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { Button, type Selection } from "react-aria-components";
import { ApiError } from "../../api/client";
import { keyRule, whereOf, type Condition } from "../../api/conditions";
import { csvOf } from "../../api/csv";
import { faultedBy, whereOfFilters, type Filters, type Order } from "../../api/filters";
import { kindName } from "../../api/kinds";
import { conditionsOf, linksOf, targetOf, type Link } from "../../api/related";
import { rightsOf } from "../../api/rights";
import type { RunAs } from "../../api/runas";
import { display, infoQuery, keyOf, schemaOf, type Row, type TableInfo } from "../../api/tables";
import type { MetadataDocument, Source, Table } from "../../api/types";
import { useServer } from "../../session";
import { Copy } from "../../shell/copy";
import { Failure } from "../../shell/failure";
import { Grid } from "../../shell/grid";
import { RunAsPicker } from "../../shell/runas";
import { useSettled } from "../../settled";
import { useStored } from "../../stored";
import { Conditions, Sorting } from "./conditions";
import { DeleteRows } from "./deleterows";
import { Download } from "./download";
import { ImportRows } from "./importrows";
import { RowForm } from "./rowform";
import { ShownColumns, useHidden } from "./shown";

/** sizes are how many rows a page can have. */
const sizes = [20, 50, 100, 250];

declare module "@tanstack/react-router" {
  interface HistoryState {
    /** The rows that a relationship has led to. They aren't in the address, which servers log. */
    conditions?: Condition[];
  }
}

/** Doing is what is being done with rows. */
type Doing = { what: "insert" | "import" } | { what: "change"; row: Row } | { what: "delete"; rows: Row[] };

/** Rows shows the rows of a table, as a role sees them: filtered, sorted, and by pages. It writes them, too. */
export function Rows(props: { document: MetadataDocument; source: Source; table: Table; info: TableInfo }) {
  const { document, source, table, info } = props;
  const server = useServer();
  const client = useQueryClient();
  // Session variables may be secrets: they end with the tab.
  const [as, setAs] = useStored<RunAs>(sessionStorage, "query-engine-rows-as", { role: "", headers: "" });
  const conditions = useLocation({ select: (l) => l.state.conditions }) ?? [];
  const [filters, setFilters] = useState<Filters>({ any: false, list: [] });
  const [order, setOrder] = useState<Order[]>([]);
  const [size, setSize] = useStored(localStorage, "query-engine-page-size", 50);
  const [offset, setOffset] = useState(0);
  const [selected, setSelected] = useState<Selection>(new Set());
  const [hidden, setHidden] = useHidden(source.name, table.table);
  const [doing, setDoing] = useState<Doing>();
  const [said, setSaid] = useState("");
  const rights = rightsOf(document, table, info, as.role);
  const columns = rights.select;
  const key = info.primary_key?.every((c) => columns.includes(c)) ? info.primary_key : undefined;
  const readable = info.columns.filter((c) => columns.includes(c.name));
  const where = useSettled(JSON.stringify({ _and: [whereOf(conditions), whereOfFilters(source.kind, filters, readable)] }));
  const sorted = order.filter((o) => columns.includes(o.column));
  // The key comes last, so that pages have an order in which each row has its place.
  const tied = (key ?? []).filter((c) => !sorted.some((o) => o.column === c)).map((column) => ({ column, descending: false }));
  const order_by = [...sorted, ...tied].map((o) => ({ column: o.column, type: o.descending ? "desc" : "asc" }));
  const args = { source: source.name, table: table.table, where: JSON.parse(where) as object };
  const rows = useQuery({
    queryKey: ["rows", source.name, table.table, where, order_by, offset, size, as, columns],
    enabled: columns.length > 0,
    placeholderData: keepPreviousData,
    queryFn: ({ signal }) => server.rows<Row[]>("select", { ...args, columns, order_by, limit: size, offset }, as, signal),
  });
  const count = useQuery({
    queryKey: ["rows", source.name, table.table, where, as, "count"],
    enabled: columns.length > 0,
    queryFn: ({ signal }) => server.rows<{ count: number }>("count", args, as, signal),
  });
  const move = (to: number) => {
    setOffset(to);
    setSelected(new Set());
  };
  const wrong = rows.error instanceof ApiError ? faultedBy(rows.error.path, filters, readable) : undefined;
  const found = rows.data ?? [];
  const last = offset + found.length;
  const keys = found.map((r, i) => (key ? JSON.stringify(keyRule(key, r)) : `${i}`));
  const chosen = selected === "all" ? found : found.filter((_, i) => selected.has(keys[i]!));
  const shown = columns.filter((c) => !hidden.includes(c));
  const copied = chosen.length > 0 ? chosen : found;
  const act = (d: Doing) => {
    setSaid("");
    setDoing(d);
  };
  return (
    <>
      <div className="fields">
        <RunAsPicker as={as} setAs={(a) => { setAs(a); move(0); }} />
      </div>
      <div className="row">
        <Conditions columns={readable} filters={filters} fault={(i) => (i === wrong ? (rows.error as Error).message : undefined)} change={(f) => { setFilters(f); move(0); }} />
        <Sorting columns={columns} order={sorted} change={(o) => { setOrder(o); move(0); }} />
      </div>
      <div className="row">
        <Button className="button" isDisabled={offset === 0} onPress={() => move(Math.max(0, offset - size))}>Previous</Button>
        <Button className="button" isDisabled={count.data ? last >= count.data.count : found.length < size} onPress={() => move(offset + size)}>Next</Button>
        <label className="inline">Rows on a page<select value={size} onChange={(e) => { setSize(Number(e.target.value)); move(0); }}>{sizes.map((s) => <option key={s}>{s}</option>)}</select></label>
        <span className="hint" role="status">{rows.data && `${found.length ? offset + 1 : 0} to ${last}${count.data ? ` of ${count.data.count}` : ""}`}</span>
        <Copy texts={{ "Copy as JSON": () => JSON.stringify(copied.map((r) => Object.fromEntries(shown.map((c) => [c, r[c]]))), null, 2), "Copy as CSV": () => csvOf(shown, copied) }} disabled={!rows.data} />
        <Button className="button" isDisabled={rows.isFetching} onPress={() => void client.invalidateQueries({ queryKey: ["rows"] })}>Refresh</Button>
        {columns.length > 0 && <Download name={table.table.name} columns={shown} read={(from, limit, signal) => server.rows<Row[]>("select", { ...args, columns: shown, order_by, limit, offset: from }, as, signal)} />}
      </div>
      <div className="row">
        {rights.insert.length > 0 && <Button className="button" onPress={() => act({ what: "insert" })}>Insert a row</Button>}
        {rights.insert.length > 0 && <Button className="button" onPress={() => act({ what: "import" })}>Import CSV…</Button>}
        {key && rights.update.length > 0 && <Button className="button" isDisabled={chosen.length !== 1} onPress={() => act({ what: "change", row: chosen[0]! })}>Change the row</Button>}
        {key && rights.remove && <Button className="button" isDisabled={chosen.length === 0} onPress={() => act({ what: "delete", rows: chosen })}>Delete {chosen.length}…</Button>}
        <Follow source={source} table={table} info={info} row={chosen.length === 1 ? chosen[0] : undefined} />
        <span className="hint" role="status">{said}</span>
      </div>
      <Unwritable kind={source.kind} info={info} as={as} rights={rights.insert.length + rights.update.length > 0 || rights.remove} keyed={key !== undefined} />
      {columns.length > 1 && <ShownColumns columns={columns} hidden={hidden} change={setHidden} />}
      {conditions.length > 0 && <Led conditions={conditions} />}
      {columns.length === 0 && <p className="hint">{as.role} may read none of the columns.</p>}
      {count.isLoadingError && !as.role && !rows.isLoadingError && <Failure error={count.error} retry={() => void count.refetch()} />}
      {rows.isLoadingError && <Failure error={rows.error} retry={() => void rows.refetch()} />}
      {rows.data && columns.length > 0 && (
        <Grid label="Rows" columns={shown} rows={found.map((r) => shown.map((c) => r[c]))} sort={sorted[0] && { column: sorted[0].column, direction: sorted[0].descending ? "descending" : "ascending" }} onSort={(s) => { setOrder([{ column: String(s.column), descending: s.direction === "descending" }]); move(0); }} keys={keys} selected={selected} onSelect={setSelected} />
      )}
      {doing?.what === "import" && <ImportRows source={source} info={info} as={as} columns={rights.insert} close={() => setDoing(undefined)} />}
      {doing?.what === "insert" && <RowForm source={source} info={info} as={as} columns={rights.insert} close={() => setDoing(undefined)} />}
      {doing?.what === "change" && <RowForm source={source} info={info} as={as} columns={rights.update} row={doing.row} close={() => setDoing(undefined)} />}
      {doing?.what === "delete" && (
        <DeleteRows source={source} table={table} info={info} as={as} columns={columns} rows={doing.rows} close={() => setDoing(undefined)} done={(s) => { setSaid(s); setSelected(new Set()); }} />
      )}
    </>
  );
}

/** Unwritable says why rows can't be written. */
function Unwritable(props: { kind: string; info: TableInfo; as: RunAs; rights: boolean; keyed: boolean }) {
  const { kind, info, as, rights, keyed } = props;
  if (!info.insertable && !info.updatable && !info.deletable) return <p className="hint">{info.type === "view" ? "Rows of this view" : `Rows of a ${kindName(kind)} source`} can't be written.</p>;
  if (!rights) return <p className="hint">{as.role} may not write rows.</p>;
  if (!keyed && (info.updatable || info.deletable)) return <p className="hint">Rows can't be changed or deleted: there is no primary key to tell them apart by.</p>;
  return null;
}

/** Led says which rows a relationship has led to. */
function Led(props: { conditions: Condition[] }) {
  const navigate = useNavigate({ from: "/data" });
  return (
    <div className="row">
      <span>Where {props.conditions.map((c) => `${c.column} = ${c.value}`).join(" and ")}</span>
      <Button className="button" onPress={() => void navigate({ search: (s) => s, state: {} })}>Show all rows</Button>
    </div>
  );
}

/** Follow leads from a row to those that it is related to. */
function Follow(props: { source: Source; table: Table; info: TableInfo; row: Row | undefined }) {
  const { source, table, info, row } = props;
  const server = useServer();
  const client = useQueryClient();
  const navigate = useNavigate({ from: "/data" });
  const go = useMutation({
    mutationFn: async (link: Link) => {
      const target = await targetOf(source, info, link, (name) => client.fetchQuery(infoQuery(server, source, name)));
      const conditions = conditionsOf(target, row!);
      if (!conditions) throw new Error(`The row has no ${link.name}: ${Object.keys(target.mapping).join(", ")} is NULL.`);
      if (!source.tables.some((t) => keyOf(t.table) === keyOf(target.table))) throw new Error(`${display(target.table)} isn't tracked.`);
      await navigate({ search: { source: source.name, schema: schemaOf(target.table), table: target.table.name }, state: { conditions } });
    },
  });
  return (
    <>
      {linksOf(table).map((l) => <Button key={l.name} className="button" isDisabled={!row || go.isPending} onPress={() => go.mutate(l)}>{l.name} →</Button>)}
      {go.error && <Failure error={go.error} />}
    </>
  );
}
