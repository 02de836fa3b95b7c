import {
  useId,
  useImperativeHandle,
  useMemo,
  useRef,
  useState,
  type KeyboardEvent,
  type MouseEvent,
  type Ref,
} from "react";
import { getCoreRowModel, useReactTable } from "@tanstack/react-table";
import { defaultRangeExtractor, useVirtualizer, type Range } from "@tanstack/react-virtual";
import { textOf } from "../lib/json/exact";
import { arrange, widest, narrowest, type Arrangement } from "./arrangement";
import { target, type Place } from "./gridkeys";
import { icons } from "./icons";

/** Sizes are in px. Rows are as high as each other, so that their places are known. */
const rowHeight = 28;
const headHeight = 44;
const pickWidth = 36;
const usual = 176;
const scrollBar = 18;
/** numbers are the types whose values are aligned by their digits. */
const numbers = /^(small|big|tiny)?(int|serial)|^(integer|numeric|decimal|double|float|real|(small)?money)/i;
/** longest is how much of a value is drawn. */
const longest = 300;

/** Look is what a cell shows. */
export interface Look {
  value: unknown;
  /** It isn't what the server has. */
  edited?: boolean;
  /** What is wrong with it. */
  fault?: string;
}

/** GridHandle moves the cursor of a grid. */
export interface GridHandle {
  right: () => void;
}

interface DataGridProps {
  handle?: Ref<GridHandle>;
  label: string;
  /** The columns, as far as they are shown and in that order, and their types. */
  columns: string[];
  types: Record<string, string>;
  /** The names of the rows. */
  keys: string[];
  cell: (row: number, column: string) => Look;
  arrangement: Arrangement;
  onArrange: (a: Arrangement) => void;
  sort?: { column: string; descending: boolean };
  onSort: (column: string) => void;
  selected: Set<string>;
  onSelect: (keys: Set<string>) => void;
  /** A cell is opened, with what was typed, or with null for NULL. */
  onOpen: (row: number, column: string, element: HTMLElement, typed?: string | null) => void;
  /** What the values of a column lead to; a press on its sign, or Alt Enter, goes there. */
  linkOf?: (column: string) => string | undefined;
  onFollow?: (row: number, column: string) => void;
}

/**
 * DataGrid shows rows of a database. Only what is visible of them is drawn, and a cell is opened by the keys of a
 * spreadsheet.
 */
export function DataGrid(props: DataGridProps) {
  const {
    handle,
    label,
    columns,
    types,
    keys,
    cell,
    arrangement,
    onArrange,
    sort,
    onSort,
    selected,
    onSelect,
    onOpen,
    linkOf,
    onFollow,
  } = props;
  const id = useId();
  const scroll = useRef<HTMLDivElement>(null);
  const [wanted, setWanted] = useState<Place>({ row: 0, column: 0 });
  const [from, setFrom] = useState<number>();
  // A press on an edge that is let go elsewhere on the head isn't one on the head.
  const onEdge = useRef(false);
  // What is shown may have become less; above the first row are the heads.
  const at = { row: Math.min(wanted.row, keys.length - 1), column: Math.min(wanted.column, columns.length - 1) };
  const table = useReactTable({
    data: keys,
    columns: useMemo(
      () => columns.map((name) => ({ id: name, size: usual, minSize: narrowest, maxSize: widest })),
      [columns],
    ),
    getCoreRowModel: getCoreRowModel(),
    columnResizeMode: "onChange",
    state: { columnSizing: arrangement.widths },
    onColumnSizingChange: (change) =>
      onArrange({ ...arrangement, widths: typeof change === "function" ? change(arrangement.widths) : change }),
  });
  const headers = table.getFlatHeaders();
  const widths = headers.map((h) => h.getSize());
  const keep = (index: number) => (range: Range) => {
    const shown = defaultRangeExtractor(range);
    return index < 0 || shown.includes(index) ? shown : [...shown, index].sort((a, b) => a - b);
  };
  const rows = useVirtualizer({
    count: keys.length,
    getScrollElement: () => scroll.current,
    estimateSize: () => rowHeight,
    overscan: 10,
    scrollPaddingStart: headHeight,
    rangeExtractor: keep(at.row),
  });
  const across = useVirtualizer({
    horizontal: true,
    count: columns.length,
    getScrollElement: () => scroll.current,
    estimateSize: (i) => widths[i] ?? usual,
    overscan: 2,
    scrollPaddingStart: pickWidth,
    rangeExtractor: keep(at.column),
  });
  const sizes = widths.join();
  const [measured, setMeasured] = useState(sizes);
  if (measured !== sizes) {
    setMeasured(sizes);
    across.measure();
  }
  let width = pickWidth;
  const starts = widths.map((w) => (width += w) - w);
  const idOf = (place: Place) => `${id}-${place.row}-${place.column}`;
  const go = (to: Place) => {
    const next = {
      row: Math.max(-1, Math.min(to.row, keys.length - 1)),
      column: Math.max(0, Math.min(to.column, columns.length - 1)),
    };
    setWanted(next);
    if (next.row >= 0) rows.scrollToIndex(next.row);
    across.scrollToIndex(next.column);
  };
  useImperativeHandle(handle, () => ({ right: () => go({ ...at, column: at.column + 1 }) }));
  const open = (typed?: string | null) => {
    const element = document.getElementById(idOf(at));
    if (at.row >= 0 && element) onOpen(at.row, columns[at.column]!, element, typed);
  };
  const pick = (row: number, through: boolean) => {
    const next = new Set(selected);
    const [first, last] = through && from !== undefined ? [Math.min(from, row), Math.max(from, row)] : [row, row];
    const add = first !== last || !selected.has(keys[row]!);
    for (const k of keys.slice(first, last + 1)) {
      if (add) next.add(k);
      else next.delete(k);
    }
    setFrom(row);
    onSelect(next);
  };
  const pickAll = () => onSelect(new Set(selected.size < keys.length ? keys : []));
  const move = (column: string, before: number) =>
    onArrange({ ...arrangement, order: arrange(columns, column, before) });
  const press = (e: KeyboardEvent) => {
    const column = columns[at.column];
    if (e.target !== e.currentTarget || column === undefined) return;
    const whole = e.ctrlKey || e.metaKey;
    const step = e.key === "ArrowLeft" ? -1 : e.key === "ArrowRight" ? 1 : 0;
    const to = target(e, at, keys.length - 1, columns.length - 1);
    if (step && e.shiftKey && whole) {
      move(column, step < 0 ? at.column - 1 : at.column + 2);
      go({ ...at, column: at.column + step });
    } else if (step && e.shiftKey) {
      onArrange({
        ...arrangement,
        widths: {
          ...arrangement.widths,
          [column]: Math.max(narrowest, Math.min(widest, widths[at.column]! + step * 24)),
        },
      });
    } else if (to) go(to);
    else if (at.row < 0 && (e.key === "Enter" || e.key === "F2")) onSort(column);
    else if (e.key === "Enter" && e.altKey && linkOf?.(column)) onFollow?.(at.row, column);
    else if (e.key === "Enter" || e.key === "F2") open();
    else if (e.key === " " && at.row < 0) pickAll();
    else if (e.key === " ") pick(at.row, e.shiftKey);
    else if (whole && e.key === "a") pickAll();
    else if (whole && e.key === "c" && at.row >= 0)
      void navigator.clipboard?.writeText(textOf(cell(at.row, column).value ?? ""));
    else if (e.key === "Delete" && at.row >= 0) open(null);
    else if (e.key.length === 1 && !whole && !e.altKey && at.row >= 0) open(e.key);
    else return;
    e.preventDefault();
  };
  const drop = (e: { preventDefault: () => void; dataTransfer: DataTransfer }, index: number) => {
    const moved = e.dataTransfer.getData("text/plain");
    if (!columns.includes(moved)) return;
    e.preventDefault();
    move(moved, columns.indexOf(moved) < index ? index + 1 : index);
  };
  const shown = across.getVirtualItems();
  const through = (e: MouseEvent, row: number) => {
    e.stopPropagation();
    pick(row, e.shiftKey);
  };
  return (
    <>
      <div
        ref={scroll}
        className="datagrid"
        style={{
          height: `min(calc(100dvh - 216px), ${rows.getTotalSize() + headHeight + scrollBar + (keys.length ? 0 : rowHeight)}px)`,
        }}
        role="grid"
        aria-label={label}
        aria-multiselectable
        aria-rowcount={keys.length + 1}
        aria-colcount={columns.length + 1}
        aria-describedby={`${id}-keys`}
        aria-activedescendant={columns.length > 0 ? idOf(at) : undefined}
        tabIndex={0}
        onKeyDown={press}
      >
        <div role="rowgroup" className="datagrid-head" style={{ width, height: headHeight }}>
          <div role="row" aria-rowindex={1}>
            <div
              role="columnheader"
              aria-colindex={1}
              aria-label="Chosen"
              className="datagrid-pick"
              style={{ height: headHeight }}
              onClick={pickAll}
            >
              <span className="tick-box" data-picked={(keys.length > 0 && selected.size >= keys.length) || undefined} />
            </div>
            {shown.map((c) => {
              const name = columns[c.index]!;
              return (
                <div
                  key={name}
                  id={idOf({ row: -1, column: c.index })}
                  role="columnheader"
                  aria-colindex={c.index + 2}
                  aria-sort={sort?.column === name ? (sort.descending ? "descending" : "ascending") : "none"}
                  data-active={(at.row < 0 && c.index === at.column) || undefined}
                  className="datagrid-name"
                  style={{ width: widths[c.index], height: headHeight, left: starts[c.index] }}
                  draggable
                  onDragStart={(e) => e.dataTransfer.setData("text/plain", name)}
                  onDragOver={(e) => e.preventDefault()}
                  onDrop={(e) => drop(e, c.index)}
                  onMouseDown={(e) => {
                    onEdge.current = (e.target as HTMLElement).classList.contains("datagrid-edge");
                  }}
                  onClick={() => {
                    if (onEdge.current) return;
                    go({ row: -1, column: c.index });
                    onSort(name);
                  }}
                  title={name}
                >
                  <span>
                    {name} {sort?.column === name && (sort.descending ? "▼" : "▲")}
                  </span>
                  <small>{types[name]}</small>
                  {/* By keys it is Shift with an arrow. */}
                  <span
                    aria-hidden
                    className="datagrid-edge"
                    draggable
                    onDragStart={(e) => {
                      e.preventDefault();
                      e.stopPropagation();
                    }}
                    onMouseDown={headers[c.index]!.getResizeHandler()}
                    onTouchStart={headers[c.index]!.getResizeHandler()}
                  />
                </div>
              );
            })}
          </div>
        </div>
        <div
          role="rowgroup"
          className="datagrid-body"
          style={{ width, height: Math.max(rows.getTotalSize(), keys.length ? 0 : rowHeight) }}
        >
          {keys.length === 0 && (
            <div role="row" className="datagrid-row">
              <div role="gridcell" className="datagrid-none">
                No rows
              </div>
            </div>
          )}
          {rows.getVirtualItems().map((r) => (
            <div
              key={keys[r.index]}
              role="row"
              aria-rowindex={r.index + 2}
              aria-selected={selected.has(keys[r.index]!)}
              className="datagrid-row"
              style={{ width, height: rowHeight, top: r.start }}
            >
              <div
                role="gridcell"
                aria-colindex={1}
                aria-label={`Row ${r.index + 1}`}
                className="datagrid-pick tick"
                style={{ height: rowHeight }}
                onClick={(e) => through(e, r.index)}
              >
                <span className="tick-box" data-picked={selected.has(keys[r.index]!) || undefined} />
              </div>
              {shown.map((c) => {
                const place = { row: r.index, column: c.index };
                const look = cell(r.index, columns[c.index]!);
                return (
                  <div
                    key={columns[c.index]}
                    id={idOf(place)}
                    role={c.index === 0 ? "rowheader" : "gridcell"}
                    aria-colindex={c.index + 2}
                    aria-invalid={look.fault !== undefined || undefined}
                    data-active={(r.index === at.row && c.index === at.column) || undefined}
                    data-edited={look.edited || undefined}
                    data-number={numbers.test(types[columns[c.index]!] ?? "") || undefined}
                    className="datagrid-cell"
                    style={{ width: widths[c.index], height: rowHeight, left: starts[c.index] }}
                    title={look.fault}
                    onClick={() => setWanted(place)}
                    onDoubleClick={(e) => {
                      setWanted(place);
                      onOpen(r.index, columns[c.index]!, e.currentTarget);
                    }}
                  >
                    {drawn(look.value)}
                    {look.value != null && linkOf?.(columns[c.index]!) && (
                      <button
                        type="button"
                        tabIndex={-1}
                        className="cell-link"
                        aria-label={`Open ${linkOf(columns[c.index]!)}`}
                        title={`Open ${linkOf(columns[c.index]!)}`}
                        onClick={(e) => {
                          e.stopPropagation();
                          onFollow?.(r.index, columns[c.index]!);
                        }}
                      >
                        <icons.ArrowRight size={14} aria-hidden className="icon" />
                      </button>
                    )}
                  </div>
                );
              })}
            </div>
          ))}
        </div>
      </div>
      <p className="spoken" id={`${id}-keys`}>
        Enter opens a cell, Space chooses its row; Shift with ← and → makes its column narrower and wider, with Ctrl
        moves it; ↑ from the first row leads to the heads, where Enter sorts. Alt Enter follows a foreign key.
      </p>
    </>
  );
}

function drawn(value: unknown) {
  if (value === null || value === undefined) return <span className="null">NULL</span>;
  const text = textOf(value);
  return text.length > longest ? (
    <>
      {text.slice(0, longest)}
      <span className="hint">… {text.length.toLocaleString("en")} characters</span>
    </>
  ) : (
    text
  );
}
