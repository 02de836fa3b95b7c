import { useQuery } from "@tanstack/react-query";
import { ApiError } from "../../../lib/http/client";
import { fieldName } from "../../data/model/names";
import { parentsOf } from "../model/permissions";
import { variableIn, type RunAs } from "../../../lib/http/runas";
import { effectiveOf, roleSchemaQuery, variablesIn, type RoleSchema } from "../api/roleschema";
import { display, type TableInfo } from "../../data/model/tables";
import type { MetadataDocument, Source, Table } from "../../../lib/http/types";
import { useServer } from "../../../lib/session";
import { Failure } from "../../../ui/failure";
import { Grid } from "../../../ui/grid";
import { counted } from "../../data/model/counted";
import { Loading } from "../../../ui/progress";
import { RunAsPicker } from "../../../ui/runas";
import type { Row } from "../../../lib/json/rows";
import { useStored } from "../../../lib/stored";
import { ExplainedRow } from "./explained";

/** shownRows bounds how many rows are read. */
const shownRows = 20;

const admin: RunAs = { role: "", headers: "" };

interface SeesProps {
  document: MetadataDocument;
  source: Source;
  table: Table;
  info: TableInfo;
  /** The role, when it can't be chosen. */
  role?: string;
}

/** Sees shows a table as a role with session variables sees it: rows, columns and fields, and root fields. */
export default function Sees(props: SeesProps) {
  const { document, table, role: fixed } = props;
  // Session variables may be secrets: they end with the tab.
  const [stored, setAs] = useStored<RunAs>(sessionStorage, "query-engine-rows-as", admin);
  const as = fixed === undefined ? stored : { ...stored, role: fixed };
  const used = variablesIn(effectiveOf(table, "select", as.role, parentsOf(document))).filter(
    (v) => v !== "x-engine-role",
  );
  const missing = used.filter((v) => !variableIn(as.headers, v));
  return (
    <div className="page">
      <div className="fields">
        <RunAsPicker
          as={as}
          setAs={(a) => setAs({ role: fixed === undefined ? a.role : stored.role, headers: a.headers })}
          fixed={fixed !== undefined}
          used={used}
        />
      </div>
      {!as.role && <p className="hint">Choose a role: admin sees everything.</p>}
      {as.role && <SeenRows {...props} as={as} missing={missing} />}
      {as.role && <ExplainedRow source={props.source} table={table} info={props.info} as={as} />}
      {as.role && <SeenSchema {...props} as={as} />}
    </div>
  );
}

/** SeenRows are the first rows that the role sees, or why it sees none. */
function SeenRows(props: SeesProps & { as: RunAs; missing: string[] }) {
  const { document, source, table, as, missing } = props;
  const server = useServer();
  const permissions = effectiveOf(table, "select", as.role, parentsOf(document));
  const columns = permissions.some((p) => p.columns === "*" || (Array.isArray(p.columns) && p.columns.length > 0));
  const refused = as.role !== "admin" && !columns;
  const args = { source: source.name, table: table.table };
  const key = ["rows", source.name, table.table, "seen"];
  const rows = useQuery({
    queryKey: [...key, as],
    enabled: !refused,
    queryFn: ({ signal }) => server.rows<Row[]>("select", { ...args, columns: ["*"], limit: shownRows }, as, signal),
  });
  const count = useQuery({
    queryKey: [...key, "count", as],
    enabled: !refused,
    queryFn: ({ signal }) => server.rows<{ count: number }>("count", { ...args, limit: counted + 1 }, as, signal),
  });
  const all = useQuery({
    queryKey: [...key, "count"],
    queryFn: ({ signal }) => server.rows<{ count: number }>("count", { ...args, limit: counted + 1 }, admin, signal),
  });
  // Without aggregations a role may read rows and not count them.
  const counting =
    all.error ?? (count.error instanceof ApiError && count.error.code === "permission-denied" ? null : count.error);
  const found = rows.data ?? [];
  const names = found[0] ? Object.keys(found[0]) : [];
  const rule = permissions.map((p) => JSON.stringify(p.filter ?? {})).join(" or ");
  const limits = permissions.flatMap((p) => (typeof p.limit === "number" ? [p.limit] : []));
  return (
    <section className="form" aria-label="Rows that the role sees">
      <h3>Rows</h3>
      {refused && (
        <p className="removed">
          {permissions.length === 0
            ? `${as.role} sees no row of ${display(table.table)}: neither it nor a role that it inherits from may select from it.`
            : `${as.role} sees no value of ${display(table.table)}: no column is allowed.`}
        </p>
      )}
      {!refused && missing.length > 0 && (
        <p className="removed">
          The rule needs {missing.join(", ")}, which {missing.length === 1 ? "has" : "have"} no value here.
        </p>
      )}
      {rows.isPending && !refused && <Loading what="the rows" />}
      {counting && !rows.error && (
        <Failure
          error={counting}
          retry={() => {
            void all.refetch();
            if (count.error) void count.refetch();
          }}
        />
      )}
      {rows.error && <Failure error={rows.error} retry={() => void rows.refetch()} />}
      {rows.data && !refused && !rows.error && (
        <>
          <p role="status">{sentence(as.role, found.length, count.data?.count, all.data?.count)}</p>
          {found.length === 0 && (all.data?.count ?? 0) > 0 && (
            <p className="removed">
              No row meets <code>{rule}</code>.
            </p>
          )}
          {limits.length > 0 && <p className="hint">One query returns at most {Math.max(...limits)}.</p>}
          {found.length > 0 && (
            <Grid label="Rows that the role sees" columns={names} rows={found.map((r) => names.map((c) => r[c]))} />
          )}
        </>
      )}
    </section>
  );
}

/** sentence says how many rows a role sees. Without its count, which needs aggregations, it is those that were read. */
function sentence(role: string, read: number, seen: number | undefined, all: number | undefined): string {
  const many = (n: number) => (n > counted ? `more than ${counted.toLocaleString("en")}` : n);
  const number = seen !== undefined ? many(seen) : read < shownRows ? read : `at least ${read}`;
  const of = all === undefined ? "" : ` of ${many(all)}`;
  return `${role} sees ${number}${of} rows${read === shownRows ? `; these are ${read} of them` : ""}.`;
}

/**
 * SeenSchema are the fields and root fields of the table that the schema of the role has, out of those that there are.
 */
function SeenSchema(props: SeesProps & { as: RunAs }) {
  const { document, source, table, info, as } = props;
  const server = useServer();
  const seen = useQuery(roleSchemaQuery(server, source, table, as));
  const all = useQuery(roleSchemaQuery(server, source, table, admin));
  const error = seen.error ?? all.error;
  if (error)
    return (
      <Failure
        error={error}
        retry={() => {
          void seen.refetch();
          void all.refetch();
        }}
      />
    );
  if (!seen.data || !all.data) return <Loading what="the schema" />;
  const parents = parentsOf(document);
  const preset = (operation: "insert" | "update", column: string) => {
    const set = effectiveOf(table, operation, as.role, parents)[0]?.set as Record<string, unknown> | undefined;
    return set && column in set
      ? `always ${typeof set[column] === "string" ? set[column] : JSON.stringify(set[column])}`
      : undefined;
  };
  const columns = new Map(info.columns.map((c) => [fieldName(table, c.name, all.data.convention), c.name]));
  const fields = [...new Set([...columns.keys(), ...(all.data.fields?.keys() ?? [])])];
  const mark = (has: boolean | undefined) => (has ? "yes" : "no");
  return (
    <section className="form" aria-label="Schema that the role sees">
      <h3>Columns and fields</h3>
      {!seen.data.fields && (
        <p className="removed">
          The schema of {as.role} has no type for rows of {display(table.table)}.
        </p>
      )}
      <Grid
        label="Fields that the role sees"
        columns={["field", "type", "select", "insert", "update"]}
        rows={fields.map((f) => {
          const column = columns.get(f);
          const written = (operation: "insert" | "update") =>
            (column !== undefined ? preset(operation, column) : undefined) ?? mark(seen.data[operation].has(f));
          return [
            f,
            all.data.fields?.get(f) ?? "",
            mark(seen.data.fields?.has(f)),
            written("insert"),
            column === undefined ? "no" : written("update"),
          ];
        })}
      />
      <h3>Root fields</h3>
      {seen.data.roots.length === 0 && (
        <p className="removed">
          None:{" "}
          {seen.data.fields
            ? `${as.role} reaches the rows by relationships of other tables alone.`
            : `${as.role} can't reach the table.`}
        </p>
      )}
      <Grid
        label="Root fields that the role sees"
        columns={["operation", "field", as.role]}
        rows={rootsOf(seen.data, all.data)}
      />
    </section>
  );
}

/** rootsOf lists root fields: those that the role has, and those that admin has and it hasn't. */
function rootsOf(seen: RoleSchema, all: RoleSchema): unknown[][] {
  const key = (r: RoleSchema["roots"][number]) => `${r.operation} ${r.name}`;
  const has = new Set(seen.roots.map(key));
  const more = seen.roots.filter((r) => !all.roots.some((a) => key(a) === key(r)));
  return [...all.roots, ...more].map((r) => [r.operation, r.name, has.has(key(r)) ? "yes" : "no"]);
}
