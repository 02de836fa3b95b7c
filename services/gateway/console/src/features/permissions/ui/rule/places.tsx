import { useQueries, useQuery } from "@tanstack/react-query";
import { targetOf, type Link } from "../../../data/model/related";
import { display, infoQuery, keyOf, schemaOf } from "../../../data/api/tables";
import type { Name, Source } from "../../../../lib/http/types";
import { useServer } from "../../../../lib/session";
import { Failure } from "../../../../ui/failure";
import { RuleEditor, type RuleProps } from "./editor";
import { below, isRule } from "../../model/rule";
import { Root } from "./scope";
import { Raw, Why } from "./why";

/** Related edits a rule about the rows that a relationship leads to. */
export function Related(props: RuleProps & { link: Link }) {
  const { place: { source, table }, link } = props;
  const server = useServer();
  const info = useQuery(infoQuery(server, source, table));
  const [target] = useQueries({
    queries: [{
      queryKey: ["metadata", "target", source.name, table, link],
      enabled: info.data !== undefined,
      queryFn: () => targetOf(source, info.data!, link, (t) => server.ofSource(source.kind, "get_table_info", { source: source.name, table: t })),
    }],
  });
  if (target.isLoadingError) return <Failure error={target.error} />;
  return target.data ? <RuleEditor {...props} place={{ source, table: target.data.table, nested: true }} /> : <span className="hint">…</span>;
}

/** Exists edits a rule about rows of any table of the source. */
export function Exists(props: RuleProps) {
  const { label, rule, change, place: { source }, wrong, depth } = props;
  const said = rule._table as Name | string | undefined;
  const named = typeof said === "string" ? { name: said } : said;
  const chosen = source.tables.find((t) => t.table.name === named?.name && (schemaOf(named) === undefined || schemaOf(named) === schemaOf(t.table)));
  const where = rule._where;
  return (
    <>
      <label className="inline">Table
        <select aria-label={`${label}: table`} value={chosen ? keyOf(chosen.table) : ""} onChange={(e) => change({ ...rule, _table: source.tables.find((t) => keyOf(t.table) === e.target.value)?.table, _where: {} })}>
          <option value="">{named && !chosen ? `${display(named)}, which isn't tracked` : "choose one"}</option>
          {source.tables.map((t) => <option key={keyOf(t.table)} value={keyOf(t.table)}>{display(t.table)}</option>)}
        </select>
      </label>
      <Why wrong={below(wrong, "_table")} />
      {isRule(where) && chosen
        ? <RuleEditor label={label} place={{ source, table: chosen.table, nested: true }} wrong={below(wrong, "_where")} depth={depth} rule={where} change={(r) => change({ ...rule, _where: r })} />
        : where !== undefined && !(isRule(where) && Object.keys(where).length === 0) && <Raw part={where} />}
    </>
  );
}

/** InOtherSource edits conditions on columns of a table of another source. They are looked up there by themselves: $ is that table. */
export function InOtherSource(props: RuleProps & { source: Source; table: Name }) {
  const { source, table, ...rule } = props;
  const place = { source, table, columnsOnly: true };
  return (
    <Root value={place}>
      <RuleEditor {...rule} place={place} />
    </Root>
  );
}
