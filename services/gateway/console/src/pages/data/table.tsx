import { useQuery } from "@tanstack/react-query";
import { display, infoQuery, type TableInfo } from "../../api/tables";
import type { MetadataDocument, Source, Table } from "../../api/types";
import { useServer } from "../../session";
import { Failure } from "../../shell/failure";
import { Grid } from "../../shell/grid";
import { Loading } from "../../shell/progress";
import { Rows } from "./rows";

/** TableView shows a tracked table: its columns and keys, and its rows. */
export function TableView(props: { document: MetadataDocument; source: Source; table: Table }) {
  const { document, source, table } = props;
  const server = useServer();
  const info = useQuery(infoQuery(server, source, table.table));
  if (info.isPending) return <Loading what="the table" />;
  if (info.error) return <Failure error={info.error} retry={() => void info.refetch()} />;
  return (
    <>
      <h2>{display(table.table)}</h2>
      {info.data.description && <p className="description">{info.data.description}</p>}
      <details>
        <summary>Columns and keys</summary>
        <Grid
          label="Columns"
          columns={["column", "type", "nullable", "key", "comment"]}
          rows={info.data.columns.map((c) => [c.name, c.type, c.nullable ? "yes" : "no", keyText(info.data, c.name), c.description ?? ""])}
        />
      </details>
      <Rows document={document} source={source} table={table} info={info.data} />
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
