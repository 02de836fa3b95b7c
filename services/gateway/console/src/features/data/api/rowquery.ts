import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { ApiError } from "../../../lib/http/client";
import { keyRule } from "../model/conditions";
import { parseExact } from "../../../lib/json/exact";
import { faultedBy, whereOfFilters } from "../model/filters";
import { asked, asText, withTexts } from "../model/jsontext";
import { rowKeyOf } from "../model/keys";
import { rightsOf } from "../../permissions/model/rights";
import type { RunAs } from "../../../lib/http/runas";
import { describeQuery } from "./tables";
import type { MetadataDocument, Source, Table } from "../../../lib/http/types";
import { useServer } from "../../../lib/session";
import { useDebounced } from "../../../lib/debounced";
import { counted } from "../model/counted";
import type { Row } from "../../../lib/json/rows";
import type { TableInfo } from "../model/tables";
import type { View } from "../model/view";

/** TableRows is the table whose rows are shown. */
export interface TableRows {
  document: MetadataDocument;
  source: Source;
  table: Table;
  info: TableInfo;
}

/**
 * useRowQuery has the rows of a page, as a role sees them, how many there are in all, and what of them can be read and
 * written.
 */
export function useRowQuery(
  { document, source, table, info }: TableRows,
  as: RunAs,
  { filters, order, offset }: View,
  size: number,
) {
  const server = useServer();
  const rights = rightsOf(document, table, info, as.role);
  const columns = rights.select;
  const described = useQuery({ ...describeQuery(server, source, table.table), staleTime: 60_000 });
  const key = rowKeyOf(source.kind, info, described.data, columns);
  // A key that isn't the primary one is only known by the description.
  const undecided = !key && described.isPending && (info.updatable || info.deletable);
  const readable = info.columns.filter((c) => columns.includes(c.name));
  const where = useDebounced(JSON.stringify(whereOfFilters(source.kind, filters, readable)));
  const sorted = order.filter((o) => columns.includes(o.column));
  // The key comes last, so that pages have an order in which each row has its place.
  const tied = (key ?? [])
    .filter((c) => !sorted.some((o) => o.column === c))
    .map((column) => ({ column, descending: false }));
  const order_by = [...sorted, ...tied].map((o) => ({ column: o.column, type: o.descending ? "desc" : "asc" }));
  const args = { source: source.name, table: table.table, where: parseExact(where) as object };
  const select = async (of: string[], part: object, signal: AbortSignal) =>
    withTexts(
      source.kind,
      info.columns,
      await server.rows<Row[]>(
        "select",
        { ...args, ...asText(source.kind), ...part, columns: asked(source.kind, info.columns, of) },
        as,
        signal,
      ),
    );
  const rows = useQuery({
    queryKey: ["rows", source.name, table.table, where, order_by, offset, size, as, columns],
    enabled: columns.length > 0 && !undecided,
    placeholderData: keepPreviousData,
    queryFn: ({ signal }) => select(columns, { order_by, limit: size, offset }, signal),
  });
  const count = useQuery({
    queryKey: ["rows", source.name, table.table, where, as, "count"],
    enabled: columns.length > 0,
    queryFn: ({ signal }) => server.rows<{ count: number }>("count", { ...args, limit: counted + 1 }, as, signal),
  });
  const found = rows.data ?? [];
  return {
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
    /** The names of the rows. */
    keys: found.map((r, i) => (key ? JSON.stringify(keyRule(key, r)) : `${i}`)),
    where: args.where,
    /** The condition that the server refuses, by its number. */
    wrong: rows.error instanceof ApiError ? faultedBy(source.kind, rows.error.path, filters, readable) : undefined,
    /** readPart reads others of the rows that the conditions let through. */
    readPart: (of: string[]) => (from: number, limit: number, signal: AbortSignal) =>
      select(of, { order_by, limit, offset: from }, signal),
  };
}
