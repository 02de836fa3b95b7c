import { lazy, Suspense, useEffect, useRef, useState, type KeyboardEvent } from "react";
import { useQueryClient } from "@tanstack/react-query";
import { csvOf } from "../../../lib/csv";
import type { RunAs } from "../../../lib/http/runas";
import { keyOf } from "../model/tables";
import { chunk } from "../../../lib/chunk";
import { useEdited } from "../../../lib/unsaved";
import { arranged, useArrangement, type Arrangement } from "../../../ui/arrangement";
import { Button } from "../../../ui/button";
import { Copy } from "../../../ui/copy";
import { Dropdown } from "../../../ui/dropdown";
import { icons } from "../../../ui/icons";
import { Failure } from "../../../ui/failure";
import { Loading } from "../../../ui/progress";
import { RolePicker } from "../../../ui/role";
import { SessionVariables } from "../../../ui/runas";
import { Crumb, InBar } from "../../../ui/title";
import { useStored } from "../../../lib/stored";
import { Changes, type Edits } from "./changes";
import { AddFilter, Filters, SortBy, Sorting } from "./conditions";
import type { ControlContext } from "./controlprops";
import { counted } from "../model/counted";
import { Download } from "./download";
import { linkAt, useFollow } from "./follow";
import { useRowQuery, type TableRows } from "../api/rowquery";
import { RowGrid } from "./rowgrid";
import { RowTools } from "./rowtools";
import { texts } from "./texts";
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
  const [selectionBar, setSelectionBar] = useState<HTMLElement | null>(null);
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
  const follow = useFollow(source, info);
  const page = useRef<HTMLDivElement>(null);
  const unselect = () => setSelected(new Set());
  // What is done with the chosen rows goes with the choice: the focus goes to the rows.
  const [leftChoice, setLeftChoice] = useState(0);
  const unselectHere = () => {
    unselect();
    setLeftChoice((n) => n + 1);
  };
  useEffect(() => {
    if (leftChoice > 0) page.current?.querySelector<HTMLElement>("[role=grid]")?.focus();
  }, [leftChoice]);
  const move = (to: number) => {
    setView({ offset: to });
    unselect();
  };
  const restart = (part: Partial<typeof view>) => {
    setView({ ...part, offset: 0 });
    unselect();
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
    if (!key) return texts.noKey;
    if (!rights.update.includes(name)) return texts.notWritable(as.role);
    return undefined;
  };
  const saveKey = (e: KeyboardEvent<HTMLElement>) => {
    if (!(e.ctrlKey || e.metaKey) || e.key !== "s") return;
    e.preventDefault();
    e.currentTarget.querySelector<HTMLElement>(".pending .primary")?.click();
  };
  return (
    <div ref={page} role="presentation" className="rows-page" onKeyDown={saveKey}>
      <InBar>
        <Crumb>
          <RolePicker
            compact
            as={as}
            setAs={(a) => {
              setAs(a);
              move(0);
            }}
          />
        </Crumb>
      </InBar>
      <div className="toolbar" role="group" aria-label={texts.tools}>
        <AddFilter columns={readable} filters={filters} change={(f) => restart({ filters: f })} />
        <SortBy columns={columns} order={sorted} change={(o) => restart({ order: o })} />
        {columns.length > 1 && (
          <Dropdown name={texts.columns(shown.length, columns.length)} icon={icons.Columns3}>
            <Suspense fallback={<Loading what="the columns" />}>
              <ColumnPicker columns={columns} arrangement={arrangement} change={arrange} />
            </Suspense>
          </Dropdown>
        )}
        <Button
          look="quiet"
          icon={icons.RefreshCw}
          label={texts.refresh}
          isPending={rows.isFetching}
          onPress={() => void client.invalidateQueries({ queryKey: ["rows"] })}
        />
        <span className="divider" />
        <RowTools
          context={context}
          table={table}
          rights={rights}
          rowKey={key}
          columns={columns}
          chosen={chosen}
          where={where}
          loaded={rows.data !== undefined}
          say={setSaid}
          unselect={unselectHere}
          bar={selectionBar}
        />
        <Dropdown name={texts.export} icon={icons.Download}>
          <Copy
            look="quiet"
            texts={{
              [texts.copyJSON]: () =>
                JSON.stringify(
                  copied.map((r) => Object.fromEntries(shown.map((c) => [c, r[c]]))),
                  null,
                  2,
                ),
              [texts.copyCSV]: () => csvOf(shown, copied),
              [texts.copyLink]: () =>
                linkOf(fragmentOf({ ...view, size, columns: shown.join() === columns.join() ? undefined : shown })),
            }}
            disabled={!rows.data}
          />
          {columns.length > 0 && <Download name={table.table.name} columns={shown} read={readPart(shown)} />}
        </Dropdown>
      </div>
      <SessionVariables
        as={as}
        setAs={(a) => {
          setAs(a);
          move(0);
        }}
      />
      <Filters
        kind={source.kind}
        columns={readable}
        filters={filters}
        fault={(i) => (i === wrong ? (rows.error as Error).message : undefined)}
        change={(f) => restart({ filters: f })}
      >
        <Sorting order={sorted} change={(o) => restart({ order: o })} />
      </Filters>
      <Unwritable
        kind={source.kind}
        info={info}
        as={as}
        rights={rights.insert.length + rights.update.length > 0 || rights.remove}
        keyed={key !== undefined || undecided}
      />
      {columns.length === 0 && <p className="hint">{texts.noColumns(as.role)}</p>}
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
          linkOf={(c) => linkAt(table, c)?.name}
          follow={(row, c) => follow.mutate({ link: linkAt(table, c)!, row })}
        />
      )}
      {follow.error && <Failure error={follow.error} />}
      <div ref={setSelectionBar} />
      <div className="toolbar paging">
        <Button
          look="quiet"
          icon={icons.ChevronLeft}
          label={texts.previous}
          isDisabled={offset === 0}
          onPress={() => move(Math.max(0, offset - size))}
        />
        <Button
          look="quiet"
          icon={icons.ChevronRight}
          label={texts.next}
          isDisabled={count.data && !many ? last >= count.data.count : found.length < size}
          onPress={() => move(offset + size)}
        />
        <span className="hint" role="status">
          {rows.data &&
            `${found.length ? (offset + 1).toLocaleString("en") : 0} to ${last.toLocaleString("en")}${count.data ? ` of ${many ? `more than ${counted.toLocaleString("en")}${about}` : count.data.count.toLocaleString("en")}` : ""}`}
        </span>
        <span className="hint" role="status">
          {said}
        </span>
        <label className="inline push">
          {texts.perPage}
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
      </div>
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
