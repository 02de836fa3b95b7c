import { useId, useRef, useState, type KeyboardEvent } from "react";
import { defaultRangeExtractor, useVirtualizer, type Range } from "@tanstack/react-virtual";
import { grantOf, operations, type Grant, type Parents } from "../../api/permissions";
import { display, keyOf } from "../../api/tables";
import type { Table } from "../../api/types";

const rowHeight = 28;
const columnWidth = 108;
const headWidth = 240;

/** page is how many rows the keys for pages go by. */
const page = 12;

/** MatrixProps: what is shown, and which cell is open. */
interface MatrixProps {
  tables: Table[];
  roles: string[];
  parents: Parents;
  current?: { table: string; role: string };
  open: (table: Table, role: string) => void;
}

/** Matrix shows what each role may do with each table. Only what is visible is drawn; the keys are those of a grid. */
export function Matrix(props: MatrixProps) {
  const { tables, roles, parents, current, open } = props;
  const id = useId();
  const scroll = useRef<HTMLDivElement>(null);
  const [wanted, setWanted] = useState({ row: 0, column: 0 });
  // What is listed may have become less.
  const row = Math.min(wanted.row, tables.length - 1);
  const column = Math.min(wanted.column, roles.length - 1);
  const keep = (index: number) => (range: Range) => {
    const shown = defaultRangeExtractor(range);
    return index < 0 || shown.includes(index) ? shown : [...shown, index];
  };
  const rows = useVirtualizer({ count: tables.length, getScrollElement: () => scroll.current, estimateSize: () => rowHeight, overscan: 1, scrollPaddingStart: rowHeight, rangeExtractor: keep(row) });
  const columns = useVirtualizer({ horizontal: true, count: roles.length, getScrollElement: () => scroll.current, estimateSize: () => columnWidth, overscan: 1, scrollPaddingStart: headWidth, rangeExtractor: keep(column) });
  const width = headWidth + columns.getTotalSize();
  const go = (to: { row: number; column: number }) => {
    const next = { row: Math.max(0, Math.min(to.row, tables.length - 1)), column: Math.max(0, Math.min(to.column, roles.length - 1)) };
    setWanted(next);
    rows.scrollToIndex(next.row);
    columns.scrollToIndex(next.column);
  };
  const press = (e: KeyboardEvent) => {
    const to = target(e, row, column, tables.length - 1, roles.length - 1);
    if (to) go(to);
    else if ((e.key === "Enter" || e.key === " ") && tables[row] && roles[column] !== undefined) open(tables[row], roles[column]);
    else return;
    e.preventDefault();
  };
  return (
    <div
      ref={scroll}
      className="matrix"
      role="grid"
      aria-label="Tables and roles"
      aria-readonly
      aria-rowcount={tables.length + 1}
      aria-colcount={roles.length + 1}
      aria-activedescendant={tables[row] && roles[column] !== undefined ? `${id}-${row}-${column}` : undefined}
      tabIndex={0}
      onKeyDown={press}
    >
      <div role="rowgroup" className="matrix-head" style={{ width, height: rowHeight }}>
        <div role="row" aria-rowindex={1}>
          <div role="columnheader" aria-colindex={1} className="matrix-name" style={{ width: headWidth, height: rowHeight }}>Table</div>
          {columns.getVirtualItems().map((c) => (
            <div key={c.key} role="columnheader" aria-colindex={c.index + 2} className="matrix-cell" title={roles[c.index]} style={{ width: columnWidth, height: rowHeight, left: headWidth + c.start }}>{roles[c.index]}</div>
          ))}
        </div>
      </div>
      <div role="rowgroup" className="matrix-body" style={{ width, height: rows.getTotalSize() }}>
        {rows.getVirtualItems().map((r) => {
          const table = tables[r.index]!;
          const key = keyOf(table.table);
          return (
            <div key={r.key} role="row" aria-rowindex={r.index + 2} className="matrix-row" style={{ width, height: rowHeight, top: r.start }}>
              <div role="rowheader" aria-colindex={1} className="matrix-name" title={display(table.table)} style={{ width: headWidth, height: rowHeight }}>{display(table.table)}</div>
              {columns.getVirtualItems().map((c) => {
                const role = roles[c.index]!;
                const grants = operations.map((o) => grantOf(table, o, role, parents));
                return (
                  <div
                    key={c.key}
                    id={`${id}-${r.index}-${c.index}`}
                    role="gridcell"
                    aria-colindex={c.index + 2}
                    aria-label={`${display(table.table)}, ${role}: ${spoken(grants)}`}
                    aria-selected={current?.table === key && current.role === role}
                    data-active={(r.index === row && c.index === column) || undefined}
                    className="matrix-cell"
                    style={{ width: columnWidth, height: rowHeight, left: headWidth + c.start }}
                    onClick={() => { setWanted({ row: r.index, column: c.index }); open(table, role); }}
                  >
                    {operations.map((o, i) => <span key={o} className={grants[i]} data-letter={grants[i] ? o[0]!.toUpperCase() : "·"} />)}
                  </div>
                );
              })}
            </div>
          );
        })}
      </div>
    </div>
  );
}

/** spoken is what a cell says. */
function spoken(grants: Grant[]): string {
  const named = (kind: Grant) => operations.filter((_, i) => grants[i] === kind).join(", ");
  const inherited = named("inherited");
  return [named("own"), inherited && `inherited ${inherited}`].filter(Boolean).join("; ") || "nothing";
}

/** target is the cell that a key leads to. */
function target(e: KeyboardEvent, row: number, column: number, lastRow: number, lastColumn: number): { row: number; column: number } | undefined {
  const whole = e.ctrlKey || e.metaKey;
  switch (e.key) {
    case "ArrowUp": return { row: row - 1, column };
    case "ArrowDown": return { row: row + 1, column };
    case "ArrowLeft": return { row, column: column - 1 };
    case "ArrowRight": return { row, column: column + 1 };
    case "PageUp": return { row: row - page, column };
    case "PageDown": return { row: row + page, column };
    case "Home": return { row: whole ? 0 : row, column: 0 };
    case "End": return { row: whole ? lastRow : row, column: lastColumn };
    default: return undefined;
  }
}
