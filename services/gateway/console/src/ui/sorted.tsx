import { useMemo, useState } from "react";
import type { SortDescriptor } from "react-aria-components";
import { Grid } from "./grid";

/**
 * SortedColumn is what a column has of an item: the value that it is sorted by, null for none, and how that is shown.
 */
export interface SortedColumn<T> {
  name: string;
  of: (item: T) => string | number | null;
  show?: (item: T) => unknown;
}

/**
 * SortedGrid shows items that the page has all of, sorted by the head of a column; until then they are in the order in
 * which they come.
 */
export function SortedGrid<T>(props: { label: string; items: T[]; columns: SortedColumn<T>[] }) {
  const { label, items, columns } = props;
  const [sort, setSort] = useState<SortDescriptor>();
  const sorted = useMemo(() => {
    const of = columns.find((c) => c.name === sort?.column)?.of;
    return of && sort ? items.toSorted((a, b) => compare(of(a), of(b), sort.direction === "descending")) : items;
  }, [items, columns, sort]);
  return (
    <Grid
      label={label}
      fits
      columns={columns.map((c) => c.name)}
      sort={sort}
      onSort={setSort}
      rows={sorted.map((item) => columns.map((c) => (c.show ? c.show(item) : `${c.of(item) ?? ""}`)))}
    />
  );
}

/** compare puts what isn't there last, whichever the direction. */
function compare(a: string | number | null, b: string | number | null, descending: boolean): number {
  if (a === null || b === null) return a === b ? 0 : a === null ? 1 : -1;
  const order = typeof a === "number" && typeof b === "number" ? a - b : String(a).localeCompare(String(b));
  return descending ? -order : order;
}
