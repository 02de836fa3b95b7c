import { isValidElement } from "react";
import {
  Cell,
  Column,
  Row,
  Table,
  TableBody,
  TableHeader,
  type Selection,
  type SortDescriptor,
} from "react-aria-components";
import { textOf } from "../lib/json/exact";

interface GridProps {
  label: string;
  columns: string[];
  rows: unknown[][];
  sort?: SortDescriptor;
  onSort?: (s: SortDescriptor) => void;
  /** The names of the rows, by which they are selected; without them, rows can't be. */
  keys?: string[];
  selected?: Selection;
  onSelect?: (s: Selection) => void;
  /** Long texts take several lines. */
  wrap?: boolean;
  /** Heads and names take several lines, so that many columns fit. */
  fits?: boolean;
}

/** Grid shows rows of a database. Values are text; what is neither a string nor an element is JSON. */
export function Grid(props: GridProps) {
  const { label, columns, rows, sort, onSort, keys, selected, onSelect, wrap, fits } = props;
  return (
    <div
      className={wrap ? "scroll wrap" : fits ? "scroll fits" : "scroll"}
      tabIndex={0}
      role="group"
      aria-label={`${label}, scrolling`}
    >
      {/* The columns of a table can't change. */}
      <Table
        key={JSON.stringify(columns)}
        aria-label={label}
        sortDescriptor={sort}
        onSortChange={onSort}
        selectionMode={keys ? "multiple" : "none"}
        selectionBehavior="toggle"
        selectedKeys={selected}
        onSelectionChange={onSelect}
      >
        <TableHeader>
          {columns.map((c, i) => (
            <Column key={i} id={onSort ? c : `${i}`} isRowHeader={i === 0} allowsSorting={onSort !== undefined}>
              {c} {sort?.column === c && onSort && (sort.direction === "ascending" ? "▲" : "▼")}
            </Column>
          ))}
        </TableHeader>
        <TableBody renderEmptyState={() => "No rows"}>
          {rows.map((row, i) => (
            <Row key={keys?.[i] ?? i} id={keys?.[i] ?? i}>
              {row.map((v, j) => (
                <Cell key={j}>{shown(v)}</Cell>
              ))}
            </Row>
          ))}
        </TableBody>
      </Table>
    </div>
  );
}

/** longest is how much of a value is shown: a page of large ones would not be drawn in time. Copies have all of it. */
const longest = 2000;

function shown(value: unknown) {
  if (value === null || value === undefined) return <span className="null">NULL</span>;
  if (isValidElement(value)) return value;
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
