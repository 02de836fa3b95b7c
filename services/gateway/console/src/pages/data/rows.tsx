import { useState } from "react";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { Button, type SortDescriptor } from "react-aria-components";
import { display, type TableInfo } from "../../api/tables";
import type { Name, Source } from "../../api/types";
import { useServer } from "../../session";
import { Failure } from "../../shell/failure";
import { Grid } from "../../shell/grid";
import { Loading } from "../../shell/progress";

/** pageSize is how many rows are shown at once. */
const pageSize = 50;

const operators = ["=", "<>", "<", "<=", ">", ">=", "like", "is null"] as const;
const operatorNames: Record<(typeof operators)[number], string> = { "=": "$eq", "<>": "$ne", "<": "$lt", "<=": "$lte", ">": "$gt", ">=": "$gte", like: "$ilike", "is null": "_is_null" };

interface Filter {
  column: string;
  operator: (typeof operators)[number];
  value: string;
}

/** Rows shows the columns of a table and its rows, filtered, sorted, and by pages. */
export function Rows(props: { source: Source; table: Name }) {
  const { source, table } = props;
  const server = useServer();
  const [filter, setFilter] = useState<Filter>({ column: "", operator: "=", value: "" });
  const [sort, setSort] = useState<SortDescriptor>();
  const [offset, setOffset] = useState(0);
  const info = useQuery({
    queryKey: ["metadata", "table", source.name, table],
    queryFn: ({ signal }) => server.ofSource<TableInfo, "get_table_info">(source.kind, "get_table_info", { source: source.name, table }, signal),
  });
  const columns = info.data?.columns.map((c) => c.name) ?? [];
  const where = filter.column ? { [filter.column]: { [operatorNames[filter.operator]]: filter.operator === "is null" ? true : filter.value } } : {};
  const order = sort
    ? [{ column: String(sort.column), type: sort.direction === "descending" ? "desc" : "asc" }]
    : (info.data?.primary_key ?? []).map((column) => ({ column, type: "asc" }));
  const args = { source: source.name, table, where };
  const rows = useQuery({
    queryKey: ["rows", source.name, table, where, order, offset],
    enabled: info.data !== undefined,
    placeholderData: keepPreviousData,
    queryFn: ({ signal }) => server.query<Record<string, unknown>[]>("select", { ...args, columns, order_by: order, limit: pageSize, offset }, signal),
  });
  const count = useQuery({
    queryKey: ["rows", source.name, table, where, "count"],
    enabled: info.data !== undefined,
    queryFn: ({ signal }) => server.query<{ count: number }>("count", args, signal),
  });
  if (info.isPending) return <Loading what="the table" />;
  if (info.error) return <Failure error={info.error} retry={() => void info.refetch()} />;
  const change = (f: Partial<Filter>) => {
    setFilter({ ...filter, ...f });
    setOffset(0);
  };
  const last = offset + (rows.data?.length ?? 0);
  return (
    <>
      <h2>{display(table)}</h2>
      {info.data.description && <p className="description">{info.data.description}</p>}
      <details>
        <summary>Columns and keys</summary>
        <Grid
          label="Columns"
          columns={["column", "type", "nullable", "key", "comment"]}
          rows={info.data.columns.map((c) => [c.name, c.type, c.nullable ? "yes" : "no", keyText(info.data, c.name), c.description ?? ""])}
        />
      </details>
      <div className="fields">
        <label>Column<select value={filter.column} onChange={(e) => change({ column: e.target.value })}><option value="">no filter</option>{columns.map((c) => <option key={c}>{c}</option>)}</select></label>
        <label>Operator<select value={filter.operator} onChange={(e) => change({ operator: e.target.value as Filter["operator"] })}>{operators.map((o) => <option key={o}>{o}</option>)}</select></label>
        <label>Value<input value={filter.value} disabled={filter.operator === "is null"} onChange={(e) => change({ value: e.target.value })} /></label>
        <Button className="button" isDisabled={offset === 0} onPress={() => setOffset(Math.max(0, offset - pageSize))}>Previous</Button>
        <Button className="button" isDisabled={count.data === undefined || last >= count.data.count} onPress={() => setOffset(offset + pageSize)}>Next</Button>
        <span className="hint" role="status">{count.data && rows.data && `${rows.data.length ? offset + 1 : 0} to ${last} of ${count.data.count}`}</span>
        <Button className="button" isDisabled={!rows.data} onPress={() => void navigator.clipboard?.writeText(JSON.stringify(rows.data, null, 2))}>Copy as JSON</Button>
      </div>
      {rows.error && <Failure error={rows.error} retry={() => void rows.refetch()} />}
      {rows.data && !rows.error && <Grid label="Rows" columns={columns} rows={rows.data.map((r) => columns.map((c) => r[c]))} sort={sort} onSort={(s) => { setSort(s); setOffset(0); }} />}
    </>
  );
}

function keyText(info: TableInfo, column: string): string {
  const parts = info.primary_key?.includes(column) ? ["primary key"] : [];
  for (const k of Object.values(info.foreign_keys ?? {})) {
    const to = k.column_mapping[column];
    if (to) parts.push(`references ${display(k.foreign_table)}.${to}`);
  }
  return parts.join(", ");
}
