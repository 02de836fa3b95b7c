import { lazy, Suspense, useRef, useState, type KeyboardEvent } from "react";
import { useBlocker, useNavigate } from "@tanstack/react-router";
import { keepPreviousData, useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { Button } from "react-aria-components";
import { ApiError } from "../../api/client";
import { keyRule } from "../../api/conditions";
import { csvOf } from "../../api/csv";
import { draftOf, type Draft } from "../../api/edits";
import { tellNulls } from "../../api/nulls";
import { faultedBy, whereOfFilters } from "../../api/filters";
import { kindName } from "../../api/kinds";
import { conditionsOf, linksOf, targetOf, type Link } from "../../api/related";
import { rightsOf } from "../../api/rights";
import type { RunAs } from "../../api/runas";
import { describeQuery, display, infoQuery, keyOf, schemaOf, type Row, type TableInfo } from "../../api/tables";
import type { MetadataDocument, Source, Table } from "../../api/types";
import { textIn } from "../../api/values";
import { chunk } from "../../chunk";
import { useServer } from "../../session";
import { useSettled } from "../../settled";
import { arranged, useArrangement } from "../../shell/arrangement";
import { Copy } from "../../shell/copy";
import { DataGrid, type GridHandle } from "../../shell/datagrid";
import { Failure } from "../../shell/failure";
import { Loading } from "../../shell/progress";
import { RunAsPicker } from "../../shell/runas";
import { Window } from "../../shell/window";
import { useStored } from "../../stored";
import { CellEditor, type Step } from "./celleditor";
import { Changes, faultAt, mostEdits, withDraft, type Edits } from "./changes";
import { Conditions, Sorting } from "./conditions";
import type { ControlContext } from "./control";
import { counted } from "./counted";
import { DeleteRows } from "./deleterows";
import { Download } from "./download";
import { ImportRows } from "./importrows";
import { RowForm } from "./rowform";
import { fragmentOf, useView } from "./view";

const BulkEdit = lazy(chunk(() => import("./bulkedit")));
const Columns = lazy(chunk(() => import("./shown")));

/** sizes are how many rows a page can have. */
const sizes = [20, 50, 100, 250];

/** Doing is what is being done with rows. */
type Doing = { what: "insert" | "import" | "set" } | { what: "change"; row: Row } | { what: "delete"; rows: Row[] };

/** Opened is the cell that is edited. */
interface Opened {
  row: Row;
  key: string;
  column: string;
  draft: Draft;
  fixed?: string;
}

/** Rows shows the rows of a table, as a role sees them: filtered, sorted, and by pages. It writes them, too. */
export function Rows(props: { document: MetadataDocument; source: Source; table: Table; info: TableInfo }) {
  const { document, source, table, info } = props;
  const server = useServer();
  const client = useQueryClient();
  // Session variables may be secrets: they end with the tab.
  const [as, setAs] = useStored<RunAs>(sessionStorage, "query-engine-rows-as", { role: "", headers: "" });
  const [view, setView] = useView();
  const [usualSize, setUsualSize] = useStored(localStorage, "query-engine-page-size", 50);
  const [kept, keep] = useArrangement(`${source.name} ${keyOf(table.table)}`);
  const [selected, setSelected] = useState(new Set<string>());
  const [edits, setEdits] = useState<Edits>({});
  const [opened, setOpened] = useState<Opened>();
  const cell = useRef<HTMLElement>(null);
  const grid = useRef<GridHandle>(null);
  const [doing, setDoing] = useState<Doing>();
  const [said, setSaid] = useState("");
  const { filters, offset } = view;
  const size = view.size !== undefined && sizes.includes(view.size) ? view.size : sizes.includes(usualSize) ? usualSize : 50;
  const rights = rightsOf(document, table, info, as.role);
  const columns = rights.select;
  const key = info.primary_key?.every((c) => columns.includes(c)) ? info.primary_key : undefined;
  const readable = info.columns.filter((c) => columns.includes(c.name));
  const where = useSettled(JSON.stringify(whereOfFilters(source.kind, filters, readable)));
  const sorted = view.order.filter((o) => columns.includes(o.column));
  // The key comes last, so that pages have an order in which each row has its place.
  const tied = (key ?? []).filter((c) => !sorted.some((o) => o.column === c)).map((column) => ({ column, descending: false }));
  const order_by = [...sorted, ...tied].map((o) => ({ column: o.column, type: o.descending ? "desc" : "asc" }));
  const args = { source: source.name, table: table.table, where: JSON.parse(where) as object };
  const rows = useQuery({
    queryKey: ["rows", source.name, table.table, where, order_by, offset, size, as, columns],
    enabled: columns.length > 0,
    placeholderData: keepPreviousData,
    queryFn: async ({ signal }) => {
      const read = await server.rows<Row[]>("select", { ...args, columns, order_by, limit: size, offset }, as, signal);
      if (key) await tellNulls(read, readable.filter((c) => c.type === "jsonb").map((c) => c.name), key, (where) => server.rows<Row[]>("select", { ...args, columns: key, where }, as, signal));
      return read;
    },
  });
  const count = useQuery({
    queryKey: ["rows", source.name, table.table, where, as, "count"],
    enabled: columns.length > 0,
    queryFn: ({ signal }) => server.rows<{ count: number }>("count", { ...args, limit: counted + 1 }, as, signal),
  });
  const described = useQuery({ ...describeQuery(server, source, table.table), staleTime: 60_000 });
  const move = (to: number) => {
    setView({ offset: to });
    setSelected(new Set());
  };
  const restart = (part: Partial<typeof view>) => {
    setView({ ...part, offset: 0 });
    setSelected(new Set());
  };
  const wrong = rows.error instanceof ApiError ? faultedBy(rows.error.path, filters, readable) : undefined;
  const found = rows.data ?? [];
  const last = offset + found.length;
  const keys = found.map((r, i) => (key ? JSON.stringify(keyRule(key, r)) : `${i}`));
  const chosen = found.filter((_, i) => selected.has(keys[i]!));
  // A link has the columns that were shown; what the browser keeps is for tables that are opened without one.
  const arrangement = view.columns ? { ...kept, order: view.columns, hidden: columns.filter((c) => !view.columns!.includes(c)) } : kept;
  const shown = arranged(columns, arrangement);
  const copied = chosen.length > 0 ? chosen : found;
  const many = count.data !== undefined && count.data.count > counted;
  const estimated = described.data?.estimated_rows;
  const about = many && args.where && filters.list.length === 0 && !as.role && estimated !== undefined ? `, about ${estimated.toLocaleString("en")} by the statistics of the database` : "";
  const context: ControlContext = { document, source, info, described: described.data, as };
  const act = (d: Doing) => {
    setSaid("");
    setDoing(d);
  };
  const columnOf = (name: string) => info.columns.find((c) => c.name === name)!;
  const fixedOf = (name: string) => {
    if (!key) return "There is no primary key to tell the rows apart by.";
    if (!rights.update.includes(name)) return as.role ? `${as.role} may not write it.` : "The database doesn't let it be written.";
    return undefined;
  };
  const open = (row: number, name: string, element: HTMLElement, letters?: string | null) => {
    const column = columnOf(name);
    const fixed = fixedOf(name);
    const edit = edits[keys[row]!];
    const draft = edit?.drafts[name] ?? draftOf(column, found[row]!);
    if (letters === null && (fixed !== undefined || !column.nullable)) return;
    if (letters === null) return setEdits((e) => withDraft(e, keys[row]!, found[row]!, column, { how: "null", text: "" }));
    if (letters !== undefined && fixed !== undefined) return;
    cell.current = element;
    setOpened({ row: found[row]!, key: keys[row]!, column: name, fixed, draft: letters === undefined ? draft : { how: "value", text: letters } });
  };
  const edited = (draft: Draft, step: Step) => {
    const { row, key: of, column } = opened!;
    setOpened(undefined);
    if (!(of in edits) && Object.keys(edits).length >= mostEdits) return setSaid(`${mostEdits} rows are changed: save them first.`);
    setEdits((e) => withDraft(e, of, row, columnOf(column), draft));
    if (step === "next") grid.current?.right();
  };
  const saveKey = (e: KeyboardEvent<HTMLElement>) => {
    if (!(e.ctrlKey || e.metaKey) || e.key !== "s") return;
    e.preventDefault();
    e.currentTarget.querySelector<HTMLElement>(".pending .primary")?.click();
  };
  return (
    <div className="page" onKeyDown={saveKey}>
      <div className="fields">
        <RunAsPicker as={as} setAs={(a) => { setAs(a); move(0); }} />
      </div>
      <div className="row">
        <Conditions columns={readable} filters={filters} fault={(i) => (i === wrong ? (rows.error as Error).message : undefined)} change={(f) => restart({ filters: f })} />
        <Sorting columns={columns} order={sorted} change={(o) => restart({ order: o })} />
      </div>
      <div className="row">
        <Button className="button" isDisabled={offset === 0} onPress={() => move(Math.max(0, offset - size))}>Previous</Button>
        <Button className="button" isDisabled={count.data && !many ? last >= count.data.count : found.length < size} onPress={() => move(offset + size)}>Next</Button>
        <label className="inline">Rows on a page<select value={size} onChange={(e) => { setUsualSize(Number(e.target.value)); restart({ size: undefined }); }}>{sizes.map((s) => <option key={s}>{s}</option>)}</select></label>
        <span className="hint" role="status">{rows.data && `${found.length ? offset + 1 : 0} to ${last}${count.data ? ` of ${many ? `more than ${counted.toLocaleString("en")}${about}` : count.data.count}` : ""}`}</span>
        <Copy texts={{ "Copy as JSON": () => JSON.stringify(copied.map((r) => Object.fromEntries(shown.map((c) => [c, r[c]]))), null, 2), "Copy as CSV": () => csvOf(shown, copied), "Copy link": () => linkOf(fragmentOf({ ...view, size, columns: shown.join() === columns.join() ? undefined : shown })) }} disabled={!rows.data} />
        <Button className="button" isDisabled={rows.isFetching} onPress={() => void client.invalidateQueries({ queryKey: ["rows"] })}>Refresh</Button>
        {columns.length > 0 && <Download name={table.table.name} columns={shown} read={(from, limit, signal) => server.rows<Row[]>("select", { ...args, columns: shown, order_by, limit, offset: from }, as, signal)} />}
      </div>
      <div className="row">
        {rights.insert.length > 0 && <Button className="button" onPress={() => act({ what: "insert" })}>Insert a row</Button>}
        {rights.insert.length > 0 && <Button className="button" onPress={() => act({ what: "import" })}>Import CSV…</Button>}
        {key && rights.update.length > 0 && <Button className="button" isDisabled={chosen.length !== 1} onPress={() => act({ what: "change", row: chosen[0]! })}>Change the row</Button>}
        {key && rights.update.length > 0 && <Button className="button" isDisabled={!rows.data} onPress={() => act({ what: "set" })}>Set a column…</Button>}
        {key && rights.remove && <Button className="button" isDisabled={chosen.length === 0} onPress={() => act({ what: "delete", rows: chosen })}>Delete {chosen.length}…</Button>}
        <Follow source={source} table={table} info={info} row={chosen.length === 1 ? chosen[0] : undefined} />
        <span className="hint" role="status">{said}</span>
      </div>
      <Unwritable kind={source.kind} info={info} as={as} rights={rights.insert.length + rights.update.length > 0 || rights.remove} keyed={key !== undefined} />
      {columns.length > 1 && <ColumnsSection columns={columns} arrangement={arrangement} shown={shown.length} change={(a) => { keep(a); setView({ columns: undefined }); }} />}
      {columns.length === 0 && <p className="hint">{as.role} may read none of the columns.</p>}
      {count.isLoadingError && !as.role && !rows.isLoadingError && <Failure error={count.error} retry={() => void count.refetch()} />}
      {described.isLoadingError && !rows.isLoadingError && <Failure error={described.error} retry={() => void described.refetch()} />}
      {rows.isLoadingError && <Failure error={rows.error} retry={() => void rows.refetch()} />}
      {rows.data && columns.length > 0 && (
        <DataGrid
          handle={grid}
          label="Rows"
          columns={shown}
          types={Object.fromEntries(readable.map((c) => [c.name, c.type]))}
          keys={keys}
          cell={(row, c) => {
            const edit = edits[keys[row]!];
            const draft = edit?.drafts[c];
            return draft ? { value: draft.how === "null" ? null : draft.text, edited: true, fault: faultAt(edit, c) } : { value: found[row]![c] };
          }}
          arrangement={arrangement}
          onArrange={(a) => { keep(a); if (view.columns) setView({ columns: undefined }); }}
          sort={sorted[0]}
          onSort={(column) => restart({ order: [{ column, descending: sorted[0]?.column === column && !sorted[0].descending }] })}
          selected={selected}
          onSelect={setSelected}
          onOpen={open}
        />
      )}
      <Changes target={{ source, info, as }} edits={edits} change={setEdits} done={setSaid} />
      <Unsaved edits={edits} />
      {opened && (
        <Suspense fallback={<Loading what="the control" />}>
          <CellEditor key={`${opened.key} ${opened.column}`} context={context} column={columnOf(opened.column)} cell={cell} draft={opened.draft} fault={faultAt(edits[opened.key], opened.column)} fixed={opened.fixed} unknown={textIn(columnOf(opened.column).type, opened.row[opened.column]) === undefined} done={edited} close={() => setOpened(undefined)} />
        </Suspense>
      )}
      {doing?.what === "import" && <ImportRows source={source} info={info} as={as} columns={rights.insert} close={() => setDoing(undefined)} />}
      {doing?.what === "insert" && <RowForm context={context} columns={rights.insert} close={() => setDoing(undefined)} />}
      {doing?.what === "change" && <RowForm context={context} columns={rights.update} row={doing.row} close={() => setDoing(undefined)} />}
      {doing?.what === "set" && <Suspense fallback={<Loading what="the form" />}><BulkEdit context={context} columns={rights.update} rows={chosen} where={args.where} close={() => setDoing(undefined)} done={setSaid} /></Suspense>}
      {doing?.what === "delete" && (
        <DeleteRows source={source} table={table} info={info} as={as} columns={columns} rows={doing.rows} close={() => setDoing(undefined)} done={(s) => { setSaid(s); setSelected(new Set()); }} />
      )}
    </div>
  );
}

/** linkOf is the address of the page with another fragment. */
function linkOf(fragment: string): string {
  const url = new URL(location.href);
  url.hash = fragment;
  return url.href;
}

/** ColumnsSection has what is done with columns, once it is opened. */
function ColumnsSection(props: { columns: string[]; arrangement: Parameters<typeof arranged>[1]; shown: number; change: (a: Parameters<typeof arranged>[1]) => void }) {
  const { columns, arrangement, shown, change } = props;
  const [open, setOpen] = useState(false);
  return (
    <details className="section" onToggle={(e) => setOpen(e.currentTarget.open)}>
      <summary>Columns: {shown === columns.length ? "all" : shown} of {columns.length}</summary>
      {open && <Suspense fallback={<Loading what="the columns" />}><Columns columns={columns} arrangement={arrangement} change={change} /></Suspense>}
    </details>
  );
}

/** Unsaved asks before a table is left whose changes aren't saved. */
function Unsaved(props: { edits: Edits }) {
  const count = Object.keys(props.edits).length;
  const blocker = useBlocker({
    disabled: count === 0,
    enableBeforeUnload: count > 0,
    withResolver: true,
    shouldBlockFn: ({ current, next }) => current.pathname !== next.pathname || JSON.stringify(current.search) !== JSON.stringify(next.search),
  });
  if (blocker.status !== "blocked") return null;
  return (
    <Window title="Changes that aren't saved" close={blocker.reset}>
      <p>The changes of {count} {count === 1 ? "row aren't" : "rows aren't"} saved.</p>
      <div className="row">
        <Button className="button primary" onPress={blocker.reset}>Stay here</Button>
        <Button className="button" onPress={blocker.proceed}>Discard them</Button>
      </div>
    </Window>
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
      const list = conditions.map((c) => ({ column: c.column, operator: "=", value: c.value ?? undefined }));
      await navigate({ search: { source: source.name, schema: schemaOf(target.table), table: target.table.name }, hash: fragmentOf({ filters: { any: false, list } }), hashScrollIntoView: false });
    },
  });
  return (
    <>
      {linksOf(table).map((l) => <Button key={l.name} className="button" isDisabled={!row || go.isPending} onPress={() => go.mutate(l)}>{l.name} →</Button>)}
      {go.error && <Failure error={go.error} />}
    </>
  );
}
