import { useNavigate } from "@tanstack/react-router";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { conditionsOf, linksOf, targetOf, type Link } from "../model/related";
import { infoQuery } from "../api/tables";
import type { Source, Table } from "../../../lib/http/types";
import { useServer } from "../../../lib/session";
import { Button } from "../../../ui/button";
import { Failure } from "../../../ui/failure";
import type { Row } from "../../../lib/json/rows";
import { display, keyOf, schemaOf, type TableInfo } from "../model/tables";
import { fragmentOf } from "../model/view";

/** useFollow leads along a relationship to the rows that a row is related to. */
export function useFollow(source: Source, info: TableInfo) {
  const server = useServer();
  const client = useQueryClient();
  const navigate = useNavigate({ from: "/data" });
  return useMutation({
    mutationFn: async ({ link, row }: { link: Link; row: Row }) => {
      const target = await targetOf(source, info, link, (name) => client.fetchQuery(infoQuery(server, source, name)));
      const conditions = conditionsOf(target, row);
      if (!conditions)
        throw new Error(`The row has no ${link.name}: ${Object.keys(target.mapping).join(", ")} is NULL.`);
      if (!source.tables.some((t) => keyOf(t.table) === keyOf(target.table)))
        throw new Error(`${display(target.table)} isn't tracked.`);
      const list = conditions.map((c) => ({ column: c.column, operator: "=", value: c.value ?? undefined }));
      await navigate({
        search: { source: source.name, schema: schemaOf(target.table), table: target.table.name },
        hash: fragmentOf({ filters: { any: false, list } }),
        hashScrollIntoView: false,
      });
    },
  });
}

/** linkAt is the relationship that the foreign key of one column is of, undefined where there is none. */
export function linkAt(table: Table, column: string): Link | undefined {
  return linksOf(table).find(({ using: { foreign_key_constraint_on: key } }) =>
    Array.isArray(key) ? key.length === 1 && key[0] === column : key === column,
  );
}

/** Follow leads from a row to those that it is related to. */
export function Follow(props: { source: Source; table: Table; info: TableInfo; row: Row }) {
  const { source, table, info, row } = props;
  const go = useFollow(source, info);
  return (
    <>
      {linksOf(table).map((l) => (
        <Button key={l.name} small isPending={go.isPending} onPress={() => go.mutate({ link: l, row })}>
          {l.name} →
        </Button>
      ))}
      {go.error && <Failure error={go.error} />}
    </>
  );
}
