import type { ReactNode } from "react";
import { Link } from "@tanstack/react-router";
import { useQuery } from "@tanstack/react-query";
import { describeQuery } from "../api/tables";
import type { ColumnDefinition, Definition, Name, Source } from "../../../lib/http/types";
import { useServer } from "../../../lib/session";
import { Failure } from "../../../ui/failure";
import { Grid } from "../../../ui/grid";
import { Loading } from "../../../ui/progress";
import { display, nameIn, schemaOf, type TableInfo } from "../model/tables";
import { useTools } from "./alter/tools";

/** types are the types of constraints in words. */
const types: Record<string, string> = {
  primary_key: "primary key",
  unique: "unique",
  foreign_key: "foreign key",
  check: "check",
  exclusion: "exclusion",
};

/** Structure is a table as its database defines it: columns, constraints, what refers to it, indexes and triggers. */
export default function Structure(props: { source: Source; info: TableInfo }) {
  const { source, info } = props;
  const found = useQuery(describeQuery(useServer(), source, info.name));
  const tools = useTools(source, found.data);
  if (found.isPending) return <Loading what="how the table is defined" />;
  if (found.isLoadingError) return <Failure error={found.error} retry={() => void found.refetch()} />;
  const { columns, constraints, referenced_by: references, indexes, triggers, missing } = found.data;
  const change = tools ? ["change"] : [];
  const link = (table: Name) => <TableLink source={source} table={table} />;
  return (
    <div className="page">
      {tools?.table}
      {missing && <p className="hint">{missing}.</p>}
      <h3>Columns</h3>
      <Grid
        label="Columns"
        wrap
        columns={["column", "type", "nullable", "default", "key", "comment", ...change]}
        rows={columns.map((c) => [
          c.name,
          c.type,
          c.nullable ? "yes" : "no",
          breakable(otherwise(c, info)),
          keysOf(c.name, constraints),
          c.description ?? "",
          ...(tools ? [tools.column(c)] : []),
        ])}
      />
      {tools?.columns}
      <h3>Constraints</h3>
      <Listed
        label="Constraints"
        none="The table has none."
        columns={["constraint", "type", "columns", "refers to", "definition", ...change]}
        rows={constraints.map((k) => [
          k.name,
          types[k.type] ?? k.type,
          k.columns?.join(", ") ?? "",
          k.foreign_table ? (
            <>
              {link(k.foreign_table)} ({k.foreign_columns?.join(", ")})
            </>
          ) : (
            ""
          ),
          breakable(k.definition ?? ""),
          ...(tools ? [tools.key(k)] : []),
        ])}
      />
      {tools?.keys}
      <h3>Foreign keys to this table</h3>
      <Listed
        label="Foreign keys to this table"
        none="No table refers to this one."
        columns={["constraint", "table", "columns there", "columns here"]}
        rows={references.map((r) => [
          breakable(r.name),
          breakable(link(r.table)),
          r.columns.join(", "),
          r.foreign_columns.join(", "),
        ])}
      />
      <h3>Indexes</h3>
      <Listed
        label="Indexes"
        none="The table has none."
        columns={["index", "method", "columns", "with", "unique", "where", "definition", ...change]}
        rows={indexes.map((i) => [
          i.invalid ? (
            <>
              {i.name} <span className="removed">invalid: no query uses it</span>
            </>
          ) : (
            i.name
          ),
          i.method ?? "",
          i.columns.join(", "),
          i.include?.join(", ") ?? "",
          i.unique ? "yes" : "no",
          breakable(i.where ?? ""),
          breakable(i.definition ?? ""),
          ...(tools ? [tools.index(i)] : []),
        ])}
      />
      {tools?.indexes}
      <h3>Triggers</h3>
      <Listed
        label="Triggers"
        none="The table has none."
        columns={["trigger", "state", "definition"]}
        rows={triggers.map((t) => [t.name, t.disabled ? "disabled" : "enabled", breakable(t.definition ?? "")])}
      />
      {tools?.dialog}
    </div>
  );
}

function Listed(props: { label: string; none: string; columns: string[]; rows: unknown[][] }) {
  const { none, ...grid } = props;
  return grid.rows.length > 0 ? <Grid wrap {...grid} /> : <p className="hint">{none}</p>;
}

/** breakable is what ends a line wherever there is no more space: SQL and long names may have no blank. */
function breakable(content: ReactNode) {
  return content && <span className="breakable">{content}</span>;
}

/** TableLink leads to the page of a table. */
function TableLink(props: { source: Source; table: Name }) {
  const { source, table } = props;
  const name = nameIn(source, schemaOf(table), table.name);
  return (
    <Link to="/data" search={{ source: source.name, schema: schemaOf(name), table: name.name }}>
      {display(name)}
    </Link>
  );
}

/** otherwise is where the value of a column comes from that is given none. */
function otherwise(column: ColumnDefinition, info: TableInfo): string {
  if (column.identity) return `identity, ${column.identity === "always" ? "always" : "unless one is given"}`;
  if (column.generated) return `generated: ${column.generated}`;
  if (column.default) return column.default;
  // Where the expression isn't known, it is known that there is one.
  const known = info.columns.find((c) => c.name === column.name);
  if (known?.value_generated) return known.insertable || !info.insertable ? "a default" : "generated";
  return "";
}

/** keysOf says which keys a column belongs to. */
function keysOf(column: string, constraints: Definition[]): string {
  const own = constraints.filter((k) => k.columns?.includes(column));
  return [
    ...own.filter((k) => k.type === "primary_key").map(() => "primary key"),
    ...own
      .filter((k) => k.type === "foreign_key")
      .map((k) => `references ${display(k.foreign_table!)}.${k.foreign_columns?.[k.columns!.indexOf(column)]}`),
    ...own
      .filter((k) => k.type === "unique")
      .map((k) =>
        k.columns!.length > 1 ? `unique with ${k.columns!.filter((c) => c !== column).join(", ")}` : "unique",
      ),
  ].join(", ");
}
