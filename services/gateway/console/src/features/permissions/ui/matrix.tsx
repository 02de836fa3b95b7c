import { useId, useRef, useState, type KeyboardEvent } from "react";
import { defaultRangeExtractor, useVirtualizer, type Range } from "@tanstack/react-virtual";
import type { Grant } from "../model/permissions";
import { target } from "../../../ui/gridkeys";

const rowHeight = 28;
const columnWidth = 108;
const headWidth = 240;

/** scrollBar is room for one below the rows. */
const scrollBar = 20;

/** MatrixRow is an object that roles are allowed to use. */
export interface MatrixRow {
  key: string;
  name: string;
  /** What can be allowed, and how each role comes by it. */
  operations: readonly string[];
  marks: (role: string) => Mark[];
}

/** Mark is how a role comes by one operation. */
export interface Mark {
  grant: Grant;
  /** It has only some rows or columns, or none since what it would inherit differs. */
  but?: "in part" | "in conflict";
}

/** MatrixProps: what is shown, and which cell is open. */
interface MatrixProps {
  label: string;
  /** What the rows are. */
  head: string;
  rows: MatrixRow[];
  roles: string[];
  current?: { key: string; role: string };
  open: (row: MatrixRow, role: string) => void;
}

/** Matrix shows what each role may do with each object. Only what is visible is drawn; the keys are those of a grid. */
export function Matrix(props: MatrixProps) {
  const { label, head, rows: objects, roles, current, open } = props;
  const id = useId();
  const scroll = useRef<HTMLDivElement>(null);
  const [wanted, setWanted] = useState({ row: 0, column: 0 });
  // What is listed may have become less.
  const row = Math.min(wanted.row, objects.length - 1);
  const column = Math.min(wanted.column, roles.length - 1);
  const keep = (index: number) => (range: Range) => {
    const shown = defaultRangeExtractor(range);
    return index < 0 || shown.includes(index) ? shown : [...shown, index];
  };
  const rows = useVirtualizer({
    count: objects.length,
    getScrollElement: () => scroll.current,
    estimateSize: () => rowHeight,
    overscan: 1,
    scrollPaddingStart: rowHeight,
    rangeExtractor: keep(row),
  });
  const columns = useVirtualizer({
    horizontal: true,
    count: roles.length,
    getScrollElement: () => scroll.current,
    estimateSize: () => columnWidth,
    overscan: 1,
    scrollPaddingStart: headWidth,
    rangeExtractor: keep(column),
  });
  const width = headWidth + columns.getTotalSize();
  const go = (to: { row: number; column: number }) => {
    const next = {
      row: Math.max(0, Math.min(to.row, objects.length - 1)),
      column: Math.max(0, Math.min(to.column, roles.length - 1)),
    };
    setWanted(next);
    rows.scrollToIndex(next.row);
    columns.scrollToIndex(next.column);
  };
  const press = (e: KeyboardEvent) => {
    const to = target(e, { row, column }, objects.length - 1, roles.length - 1);
    if (to) go(to);
    else if ((e.key === "Enter" || e.key === " ") && objects[row] && roles[column] !== undefined)
      open(objects[row], roles[column]);
    else return;
    e.preventDefault();
  };
  return (
    <div
      ref={scroll}
      className="matrix"
      style={{ height: `min(44vh, ${rows.getTotalSize() + rowHeight + scrollBar}px)` }}
      role="grid"
      aria-label={label}
      aria-readonly
      aria-rowcount={objects.length + 1}
      aria-colcount={roles.length + 1}
      aria-activedescendant={objects[row] && roles[column] !== undefined ? `${id}-${row}-${column}` : undefined}
      tabIndex={0}
      onKeyDown={press}
    >
      <div role="rowgroup" className="matrix-head" style={{ width, height: rowHeight }}>
        <div role="row" aria-rowindex={1}>
          <div
            role="columnheader"
            aria-colindex={1}
            className="matrix-name"
            style={{ width: headWidth, height: rowHeight }}
          >
            {head}
          </div>
          {columns.getVirtualItems().map((c) => (
            <div
              key={c.key}
              role="columnheader"
              aria-colindex={c.index + 2}
              className="matrix-cell"
              title={roles[c.index]}
              style={{ width: columnWidth, height: rowHeight, left: headWidth + c.start }}
            >
              {roles[c.index]}
            </div>
          ))}
        </div>
      </div>
      <div role="rowgroup" className="matrix-body" style={{ width, height: rows.getTotalSize() }}>
        {rows.getVirtualItems().map((r) => {
          const object = objects[r.index]!;
          return (
            <div
              key={r.key}
              role="row"
              aria-rowindex={r.index + 2}
              className="matrix-row"
              style={{ width, height: rowHeight, top: r.start }}
            >
              <div
                role="rowheader"
                aria-colindex={1}
                className="matrix-name"
                title={object.name}
                style={{ width: headWidth, height: rowHeight }}
              >
                {object.name}
              </div>
              {columns.getVirtualItems().map((c) => {
                const role = roles[c.index]!;
                const marks = object.marks(role);
                return (
                  <div
                    key={c.key}
                    id={`${id}-${r.index}-${c.index}`}
                    role="gridcell"
                    aria-colindex={c.index + 2}
                    aria-label={`${object.name}, ${role}: ${spoken(object.operations, marks)}`}
                    aria-selected={current?.key === object.key && current.role === role}
                    data-active={(r.index === row && c.index === column) || undefined}
                    className="matrix-cell"
                    style={{ width: columnWidth, height: rowHeight, left: headWidth + c.start }}
                    onClick={() => {
                      setWanted({ row: r.index, column: c.index });
                      open(object, role);
                    }}
                  >
                    {object.operations.map((o, i) => (
                      <span
                        key={o}
                        className={classOf(marks[i]!)}
                        data-letter={marks[i]!.grant ? o[0]!.toUpperCase() : marks[i]!.but ? "!" : "·"}
                      />
                    ))}
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
function spoken(operations: readonly string[], marks: Mark[]): string {
  const named = (grant: Grant) =>
    operations
      .flatMap((o, i) =>
        marks[i]!.grant === grant && (grant || marks[i]!.but) ? [marks[i]!.but ? `${o} ${marks[i]!.but}` : o] : [],
      )
      .join(", ");
  const inherited = named("inherited");
  return (
    [named("own"), inherited && `inherited ${inherited}`, named(undefined)].filter(Boolean).join("; ") || "nothing"
  );
}

function classOf({ grant, but }: Mark): string {
  return [grant, but?.replace("in ", "")].filter(Boolean).join(" ");
}
