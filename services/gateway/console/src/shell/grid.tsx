import { Cell, Column, Row, Table, TableBody, TableHeader, type SortDescriptor } from "react-aria-components";

/** Grid shows rows of a database. Values are text; what isn't a string is JSON. */
export function Grid(props: { label: string; columns: string[]; rows: unknown[][]; sort?: SortDescriptor; onSort?: (s: SortDescriptor) => void }) {
  const { label, columns, rows, sort, onSort } = props;
  return (
    <div className="scroll" tabIndex={0} role="group" aria-label={`${label}, scrolling`}>
      <Table aria-label={label} sortDescriptor={sort} onSortChange={onSort}>
        <TableHeader>
          {columns.map((c, i) => (
            <Column key={i} id={onSort ? c : `${i}`} isRowHeader={i === 0} allowsSorting={onSort !== undefined}>
              {c} {sort?.column === c && onSort && (sort.direction === "ascending" ? "▲" : "▼")}
            </Column>
          ))}
        </TableHeader>
        <TableBody renderEmptyState={() => "No rows"}>
          {rows.map((row, i) => <Row key={i} id={i}>{row.map((v, j) => <Cell key={j}>{shown(v)}</Cell>)}</Row>)}
        </TableBody>
      </Table>
    </div>
  );
}

function shown(value: unknown) {
  if (value === null || value === undefined) return <span className="null">NULL</span>;
  return typeof value === "string" ? value : JSON.stringify(value);
}
