import { useQuery, useQueryClient } from "@tanstack/react-query";
import { keyRule, whereOf } from "../model/conditions";
import { conditionsOf, linksOf, targetOf } from "../model/related";
import type { RunAs } from "../../../lib/http/runas";
import { infoQuery } from "../api/tables";
import type { Source, Table } from "../../../lib/http/types";
import { useServer } from "../../../lib/session";
import { Ask } from "../../../ui/ask";
import { Failure } from "../../../ui/failure";
import { Grid } from "../../../ui/grid";
import { Loading } from "../../../ui/progress";
import type { Row } from "../../../lib/json/rows";
import { display, type TableInfo } from "../model/tables";
import { counted } from "../model/counted";

/** listedRows bounds how many of the rows are shown. */
const listedRows = 50;

/** DeleteRows deletes rows by their keys, after it has shown them and what refers to them. */
export function DeleteRows(props: {
  source: Source;
  table: Table;
  info: TableInfo;
  as: RunAs;
  columns: string[];
  rows: Row[];
  rowKey: string[];
  close: (then?: () => void) => void;
  done: (said: string) => void;
}) {
  const { source, table, info, as, columns, rows, rowKey: key, close, done } = props;
  const server = useServer();
  const client = useQueryClient();
  const links = linksOf(table).filter((l) => l.array && l.using.foreign_key_constraint_on);
  const referring = useQuery({
    queryKey: ["rows", source.name, info.name, "referring", rows.map((r) => key.map((c) => r[c])), as],
    enabled: links.length > 0,
    queryFn: async ({ signal }) => {
      const found: { table: string; count: string }[] = [];
      for (const link of links) {
        const target = await targetOf(source, info, link, (name) => client.fetchQuery(infoQuery(server, source, name)));
        const related = rows.map((r) => conditionsOf(target, r)).filter((c) => c !== undefined);
        if (related.length === 0) continue;
        const where = { $or: related.map(whereOf) };
        const { count } = await server.rows<{ count: number }>(
          "count",
          { source: source.name, table: target.table, where, limit: counted + 1 },
          { role: "", headers: "" },
          signal,
        );
        if (count > 0)
          found.push({
            table: display(target.table),
            count: count > counted ? `More than ${counted.toLocaleString("en")}` : `${count}`,
          });
      }
      return found;
    },
  });
  const remove = async () => {
    const { affected_rows } = await server.rows<{ affected_rows: number }>(
      "delete",
      { source: source.name, table: info.name, where: { $or: rows.map((r) => keyRule(key, r)) } },
      as,
    );
    return affected_rows === rows.length
      ? `${affected_rows} deleted`
      : `${affected_rows} of ${rows.length} deleted: the others are gone, or ${as.role} may not delete them`;
  };
  return (
    <Ask danger title="Delete" request={remove} close={close} done={(said) => done(String(said))}>
      <p>
        {rows.length === 1 ? "This row is" : `These ${rows.length} rows are`} deleted from {display(info.name)}. There
        is no way back.
      </p>
      {referring.isLoading && <Loading what="what refers to them" />}
      {referring.isLoadingError && <Failure error={referring.error} retry={() => void referring.refetch()} />}
      {referring.data?.map((r) => (
        <p key={r.table} className="removed">
          {r.count} of {r.table} refer to {rows.length === 1 ? "it" : "them"}: as the foreign key says, the database
          refuses, or deletes or changes these, too.
        </p>
      ))}
      <Grid
        label="Rows to delete"
        columns={columns}
        rows={rows.slice(0, listedRows).map((r) => columns.map((c) => r[c]))}
      />
      {rows.length > listedRows && <p className="hint">and {rows.length - listedRows} more</p>}
    </Ask>
  );
}
