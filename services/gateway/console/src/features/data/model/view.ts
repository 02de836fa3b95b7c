import { useEffect, useRef, useState } from "react";
import { useLocation, useNavigate } from "@tanstack/react-router";
import { operatorNames, type Filter, type Filters, type Order } from "./filters";
import { packed, unpacked } from "../../../lib/fragment";
import { useDebounced } from "../../../lib/debounced";

/** View is which rows of a table are shown, and how: what a link to them has. */
export interface View {
  filters: Filters;
  order: Order[];
  offset: number;
  /** How many rows a page has, and the columns in their order; undefined for what the browser keeps. */
  size?: number;
  columns?: string[];
}

const marker = "rows=";

/** bounds of what a link can ask for. */
const mostFilters = 50;
const mostColumns = 2000;

/** usual is the view of a fragment without one. */
const usual: View = { filters: { any: false, list: [] }, order: [], offset: 0 };

/**
 * fragmentOf is a view as a fragment, without what is as usual. Values of rows may be in it: browsers don't send it.
 */
export function fragmentOf(view: Partial<View>): string {
  const { filters, order = [], offset = 0, size, columns } = view;
  const some = {
    ...(filters?.list.length && { filters }),
    ...(order.length && { order }),
    ...(offset && { offset }),
    ...(size && { size }),
    ...(columns && { columns }),
  };
  return Object.keys(some).length > 0 ? marker + packed(some) : "";
}

/** viewOf is the view of a fragment; what isn't one is left out. */
export function viewOf(fragment: string): View {
  const found = (fragment.startsWith(marker) ? unpacked(fragment.slice(marker.length)) : undefined) as
    Partial<View> | null | undefined;
  if (!found || typeof found !== "object") return usual;
  const isText = (v: unknown) => typeof v === "string";
  const list = (v: unknown): unknown[] => (Array.isArray(v) ? v : []);
  const whole = (v: unknown) => (Number.isSafeInteger(v) && (v as number) >= 0 ? (v as number) : 0);
  const filters = (list(found.filters?.list) as Filter[]).filter(
    (f) => isText(f?.column) && operatorNames.includes(f.operator) && (f.value === undefined || isText(f.value)),
  );
  return {
    filters: { any: found.filters?.any === true, list: filters.slice(0, mostFilters) },
    order: (list(found.order) as Order[])
      .filter((o) => isText(o?.column))
      .map((o) => ({ column: o.column, descending: o.descending === true }))
      .slice(0, mostFilters),
    offset: whole(found.offset),
    size: whole(found.size) || undefined,
    columns: Array.isArray(found.columns) ? found.columns.filter(isText).slice(0, mostColumns) : undefined,
  };
}

/**
 * useView is the view of the page's address. What is changed is there as soon as it settles, so that Back of the
 * browser leads to the view before.
 */
export function useView(): [View, (part: Partial<View>) => void] {
  const fragment = useLocation({ select: (l) => l.hash });
  const navigate = useNavigate({ from: "/data" });
  const [view, setView] = useState(() => viewOf(fragment));
  const known = useRef(fragment);
  if (known.current !== fragment) {
    known.current = fragment;
    setView(viewOf(fragment));
  }
  const wanted = fragmentOf(view);
  const settled = useDebounced(wanted);
  useEffect(() => {
    if (settled === known.current || settled !== wanted) return;
    // An address that says the same in other words isn't a place to go back to.
    const replace = fragmentOf(viewOf(known.current)) === settled;
    known.current = settled;
    void navigate({ search: (s) => s, hash: settled, replace, hashScrollIntoView: false, resetScroll: false });
  }, [settled, wanted, navigate]);
  return [view, (part) => setView((v) => ({ ...v, ...part }))];
}
