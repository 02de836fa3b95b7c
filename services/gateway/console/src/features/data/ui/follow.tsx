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

/** Follow leads from a row to those that it is related to. */
export function Follow(props: { source: Source; table: Table; info: TableInfo; row: Row | undefined }) {
  const { source, table, info, row } = props;
  const server = useServer();
  const client = useQueryClient();
  const navigate = useNavigate({ from: "/data" });
  const go = useMutation({
    mutationFn: async (link: Link) => {
      const target = await targetOf(source, info, link, (name) => client.fetchQuery(infoQuery(server, source, name)));
      const conditions = conditionsOf(target, row!);
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
  return (
    <>
      {linksOf(table).map((l) => (
        <Button key={l.name} className="button" isPending={go.isPending} isDisabled={!row} onPress={() => go.mutate(l)}>
          {l.name} →
        </Button>
      ))}
      {go.error && <Failure error={go.error} />}
    </>
  );
}
