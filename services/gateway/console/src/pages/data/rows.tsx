import { useState } from "react";
import { useLocation, useNavigate } from "@tanstack/react-router";
import { keepPreviousData, useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { Button, type Selection, type SortDescriptor } from "react-aria-components";
import { keyRule, whereOf, type Condition } from "../../api/conditions";
import { csvOf } from "../../api/csv";
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
import { useStored } from "../../stored";
import { DeleteRows } from "./deleterows";
import { RowForm } from "./rowform";

/** pageSize is how many rows are shown at once. */
const pageSize = 50;

const operators = ["=", "<>", "<", "<=", ">", ">=", "like", "is null"] as const;
const operatorNames: Record<(typeof operators)[number], string> = { "=": "$eq", "<>": "$ne", "<": "$lt", "<=": "$lte", ">": "$gt", ">=": "$gte", like: "$ilike", "is null": "_is_null" };

interface Filter {
  column: string;
  operator: (typeof operators)[number];
  value: string;
}

declare module "@tanstack/react-router" {
  interface HistoryState {
    /** The rows that a relationship has led to. They aren't in the address, which servers log. */
    conditions?: Condition[];
  }
}

/** Doing is what is being done with rows. */
type Doing = { what: "insert" } | { what: "change"; row: Row } | { what: "delete"; rows: Row[] };

/** Rows shows the rows of a table, as a role sees them: filtered, sorted, and by pages. It writes them, too. */
export function Rows(props: { document: MetadataDocument; source: Source; table: Table; info: TableInfo }) {
  const { document, source, table, info } = props;
  const server = useServer();
  // Session variables may be secrets: they end with the tab.
  const [as, setAs] = useStored<RunAs>(sessionStorage, "query-engine-rows-as", { role: "", headers: "" });
  const conditions = useLocation({ select: (l) => l.state.conditions }) ?? [];
  const [filter, setFilter] = useState<Filter>({ column: "", operator: "=", value: "" });
  const [sort, setSort] = useState<SortDescriptor>();
  const [offset, setOffset] = useState(0);
  const [selected, setSelected] = useState<Selection>(new Set());
  const [doing, setDoing] = useState<Doing>();
  const [said, setSaid] = useState("");
  const rights = rightsOf(document, table, info, as.role);
  const columns = rights.select;
  const key = info.primary_key?.every((c) => columns.includes(c)) ? info.primary_key : undefined;
  const filtered = filter.column ? [{ [filter.column]: { [operatorNames[filter.operator]]: filter.operator === "is null" ? true : filter.value } }] : [];
  const where = { $and: [whereOf(conditions), ...filtered] };
  const order = sort ? [{ column: String(sort.column), type: sort.direction === "descending" ? "desc" : "asc" }] : (key ?? []).map((column) => ({ column, type: "asc" }));
  const args = { source: source.name, table: table.table, where };
  const rows = useQuery({
    queryKey: ["rows", source.name, table.table, where, order, offset, as, columns],
    enabled: columns.length > 0,
    placeholderData: keepPreviousData,
    queryFn: ({ signal }) => server.rows<Row[]>("select", { ...args, columns, order_by: order, limit: pageSize, offset }, as, signal),
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
  const change = (f: Partial<Filter>) => {
    setFilter({ ...filter, ...f });
    move(0);
  };
  const found = rows.data ?? [];
  const last = offset + found.length;
  const keys = found.map((r, i) => (key ? JSON.stringify(keyRule(key, r)) : `${i}`));
  const chosen = selected === "all" ? found : found.filter((_, i) => selected.has(keys[i]!));
  const copied = chosen.length > 0 ? chosen : found;
  const act = (d: Doing) => {
    setSaid("");
    setDoing(d);
  };
  return (
    <>
      <div className="fields">
        <label>Column<select value={filter.column} onChange={(e) => change({ column: e.target.value })}><option value="">no filter</option>{columns.map((c) => <option key={c}>{c}</option>)}</select></label>
        <label>Operator<select value={filter.operator} onChange={(e) => change({ operator: e.target.value as Filter["operator"] })}>{operators.map((o) => <option key={o}>{o}</option>)}</select></label>
        <label>Value<input value={filter.value} disabled={filter.operator === "is null"} onChange={(e) => change({ value: e.target.value })} /></label>
        <RunAsPicker as={as} setAs={(a) => { setAs(a); move(0); }} />
      </div>
      <div className="row">
        <Button className="button" isDisabled={offset === 0} onPress={() => move(Math.max(0, offset - pageSize))}>Previous</Button>
        <Button className="button" isDisabled={count.data ? last >= count.data.count : found.length < pageSize} onPress={() => move(offset + pageSize)}>Next</Button>
        <span className="hint" role="status">{rows.data && `${found.length ? offset + 1 : 0} to ${last}${count.data ? ` of ${count.data.count}` : ""}`}</span>
        <Copy texts={{ "Copy as JSON": () => JSON.stringify(copied, null, 2), "Copy as CSV": () => csvOf(columns, copied) }} disabled={!rows.data} />
      </div>
      <div className="row">
        {rights.insert.length > 0 && <Button className="button" onPress={() => act({ what: "insert" })}>Insert a row</Button>}
        {key && rights.update.length > 0 && <Button className="button" isDisabled={chosen.length !== 1} onPress={() => act({ what: "change", row: chosen[0]! })}>Change the row</Button>}
        {key && rights.remove && <Button className="button" isDisabled={chosen.length === 0} onPress={() => act({ what: "delete", rows: chosen })}>Delete {chosen.length}…</Button>}
        <Follow source={source} table={table} info={info} row={chosen.length === 1 ? chosen[0] : undefined} />
        <span className="hint" role="status">{said}</span>
      </div>
      <Unwritable kind={source.kind} info={info} as={as} rights={rights.insert.length + rights.update.length > 0 || rights.remove} keyed={key !== undefined} />
      {conditions.length > 0 && <Led conditions={conditions} />}
      {columns.length === 0 && <p className="hint">{as.role} may read none of the columns.</p>}
      {rows.error && <Failure error={rows.error} retry={() => void rows.refetch()} />}
      {rows.data && !rows.error && columns.length > 0 && (
        <Grid label="Rows" columns={columns} rows={found.map((r) => columns.map((c) => r[c]))} sort={sort} onSort={(s) => { setSort(s); move(0); }} keys={keys} selected={selected} onSelect={setSelected} />
      )}
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
  if (!info.insertable && !info.updatable && !info.deletable) return <p className="hint">{info.type === "view" ? "Rows of this view" : `Rows of a ${kind} source`} can't be written.</p>;
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
