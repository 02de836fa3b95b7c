import { lazy, Suspense, useState, type KeyboardEvent } from "react";
import { useQueryClient } from "@tanstack/react-query";
import { csvOf } from "../../../lib/csv";
import type { RunAs } from "../../../lib/http/runas";
import { keyOf } from "../model/tables";
import { chunk } from "../../../lib/chunk";
import { useEdited } from "../../../lib/unsaved";
import { arranged, useArrangement, type Arrangement } from "../../../ui/arrangement";
import { Button } from "../../../ui/button";
import { Copy } from "../../../ui/copy";
import { Failure } from "../../../ui/failure";
import { Loading } from "../../../ui/progress";
import { RunAsPicker } from "../../../ui/runas";
import { useStored } from "../../../lib/stored";
import { Changes, type Edits } from "./changes";
import { Conditions, Sorting } from "./conditions";
import type { ControlContext } from "./controlprops";
import { counted } from "../model/counted";
import { Download } from "./download";
import { useRowQuery, type TableRows } from "../api/rowquery";
import { RowGrid } from "./rowgrid";
import { RowTools } from "./rowtools";
import { Unwritable } from "./unwritable";
import { fragmentOf, useView } from "../model/view";

const ColumnPicker = lazy(chunk(() => import("./columnpicker")));

/** sizes are how many rows a page can have. */
const sizes = [20, 50, 100, 250];

/** Rows shows the rows of a table, as a role sees them: filtered, sorted, and by pages. It writes them, too. */
export function Rows(props: TableRows) {
  const { document, source, table, info } = props;
  const client = useQueryClient();
  // Session variables may be secrets: they end with the tab.
  const [as, setAs] = useStored<RunAs>(sessionStorage, "query-engine-rows-as", { role: "", headers: "" });
  const [view, setView] = useView();
  const [usualSize, setUsualSize] = useStored(localStorage, "query-engine-page-size", 50);
  const [kept, keep] = useArrangement(`${source.name} ${keyOf(table.table)}`);
  const [selected, setSelected] = useState(new Set<string>());
  const [edits, setEdits] = useState<Edits>({});
  const [said, setSaid] = useState("");
  useEdited(JSON.stringify(edits), "{}");
  const { filters, offset } = view;
  const size =
    view.size !== undefined && sizes.includes(view.size) ? view.size : sizes.includes(usualSize) ? usualSize : 50;
  const {
    rights,
    columns,
    readable,
    key,
    undecided,
    sorted,
    rows,
    count,
    described,
    found,
    keys,
    where,
    wrong,
    readPart,
  } = useRowQuery(props, as, view, size);
  const move = (to: number) => {
    setView({ offset: to });
    setSelected(new Set());
  };
  const restart = (part: Partial<typeof view>) => {
    setView({ ...part, offset: 0 });
    setSelected(new Set());
  };
  const last = offset + found.length;
  const chosen = found.filter((_, i) => selected.has(keys[i]!));
  // A link has the columns that were shown; what the browser keeps is for tables that are opened without one.
  const arrangement = view.columns
    ? { ...kept, order: view.columns, hidden: columns.filter((c) => !view.columns!.includes(c)) }
    : kept;
  const arrange = (a: Arrangement) => {
    keep(a);
    if (view.columns) setView({ columns: undefined });
  };
  const shown = arranged(columns, arrangement);
  const copied = chosen.length > 0 ? chosen : found;
  const many = count.data !== undefined && count.data.count > counted;
  const estimated = described.data?.estimated_rows;
  const about =
    many && filters.list.length === 0 && !as.role && estimated !== undefined
      ? `, about ${estimated.toLocaleString("en")} by the statistics of the database`
      : "";
  const context: ControlContext = { document, source, info, described: described.data, as };
  const fixedOf = (name: string) => {
    if (!key) return "Nothing tells the rows apart.";
    if (!rights.update.includes(name))
      return as.role ? `${as.role} may not write it.` : "The database doesn't let it be written.";
    return undefined;
  };
  const saveKey = (e: KeyboardEvent<HTMLElement>) => {
    if (!(e.ctrlKey || e.metaKey) || e.key !== "s") return;
    e.preventDefault();
    e.currentTarget.querySelector<HTMLElement>(".pending .primary")?.click();
  };
  return (
    <div role="presentation" className="page" onKeyDown={saveKey}>
      <div className="fields">
        <RunAsPicker
          as={as}
          setAs={(a) => {
            setAs(a);
            move(0);
          }}
        />
      </div>
      <div className="row">
        <Conditions
          kind={source.kind}
          columns={readable}
          filters={filters}
          fault={(i) => (i === wrong ? (rows.error as Error).message : undefined)}
          change={(f) => restart({ filters: f })}
        />
        <Sorting columns={columns} order={sorted} change={(o) => restart({ order: o })} />
      </div>
      <div className="row">
        <div className="row">
          <Button className="button" isDisabled={offset === 0} onPress={() => move(Math.max(0, offset - size))}>
            Previous
          </Button>
          <Button
            className="button"
            isDisabled={count.data && !many ? last >= count.data.count : found.length < size}
            onPress={() => move(offset + size)}
          >
            Next
          </Button>
          <label className="inline">
            Rows on a page
            <select
              value={size}
              onChange={(e) => {
                setUsualSize(Number(e.target.value));
                restart({ size: undefined });
              }}
            >
              {sizes.map((s) => (
                <option key={s}>{s}</option>
              ))}
            </select>
          </label>
          <span className="hint" role="status">
            {rows.data &&
              `${found.length ? offset + 1 : 0} to ${last}${count.data ? ` of ${many ? `more than ${counted.toLocaleString("en")}${about}` : count.data.count}` : ""}`}
          </span>
          <Button
            className="button"
            isPending={rows.isFetching}
            onPress={() => void client.invalidateQueries({ queryKey: ["rows"] })}
          >
            Refresh
          </Button>
        </div>
        <div className="row">
          <Copy
            texts={{
              "Copy as JSON": () =>
                JSON.stringify(
                  copied.map((r) => Object.fromEntries(shown.map((c) => [c, r[c]]))),
                  null,
                  2,
                ),
              "Copy as CSV": () => csvOf(shown, copied),
              "Copy link": () =>
                linkOf(fragmentOf({ ...view, size, columns: shown.join() === columns.join() ? undefined : shown })),
            }}
            disabled={!rows.data}
          />
          {columns.length > 0 && <Download name={table.table.name} columns={shown} read={readPart(shown)} />}
        </div>
      </div>
      <RowTools
        context={context}
        table={table}
        rights={rights}
        rowKey={key}
        columns={columns}
        chosen={chosen}
        where={where}
        loaded={rows.data !== undefined}
        said={said}
        say={setSaid}
        deleted={() => setSelected(new Set())}
      />
      <Unwritable
        kind={source.kind}
        info={info}
        as={as}
        rights={rights.insert.length + rights.update.length > 0 || rights.remove}
        keyed={key !== undefined || undecided}
      />
      {columns.length > 1 && (
        <ColumnsSection columns={columns} arrangement={arrangement} shown={shown.length} change={arrange} />
      )}
      {columns.length === 0 && <p className="hint">{as.role} may read none of the columns.</p>}
      {count.isLoadingError && !as.role && !rows.isLoadingError && (
        <Failure error={count.error} retry={() => void count.refetch()} />
      )}
      {described.isLoadingError && !rows.isLoadingError && (
        <Failure error={described.error} retry={() => void described.refetch()} />
      )}
      {rows.isLoadingError && <Failure error={rows.error} retry={() => void rows.refetch()} />}
      {rows.data && columns.length > 0 && (
        <RowGrid
          context={context}
          rows={found}
          keys={keys}
          columns={shown}
          fixedOf={fixedOf}
          edits={edits}
          change={setEdits}
          arrangement={arrangement}
          onArrange={arrange}
          sort={sorted[0]}
          onSort={(column) =>
            restart({ order: [{ column, descending: sorted[0]?.column === column && !sorted[0].descending }] })
          }
          selected={selected}
          onSelect={setSelected}
          say={setSaid}
        />
      )}
      <Changes target={context} edits={edits} change={setEdits} done={setSaid} />
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
function ColumnsSection(props: {
  columns: string[];
  arrangement: Arrangement;
  shown: number;
  change: (a: Arrangement) => void;
}) {
  const { columns, arrangement, shown, change } = props;
  const [open, setOpen] = useState(false);
  return (
    <details className="section" onToggle={(e) => setOpen(e.currentTarget.open)}>
      <summary>
        Columns: {shown === columns.length ? "all" : shown} of {columns.length}
      </summary>
      {open && (
        <Suspense fallback={<Loading what="the columns" />}>
          <ColumnPicker columns={columns} arrangement={arrangement} change={change} />
        </Suspense>
      )}
    </details>
  );
}
