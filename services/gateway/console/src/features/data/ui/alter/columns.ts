import { Statements, type ColumnDraft } from "../../model/ddl";
import { problemOfPart, type Dialect } from "../../../../lib/sql/text";
import type { ColumnDefinition, Name } from "../../../../lib/http/types";
import type { Field } from "../../../../ui/forms/types";
import type { Job } from "./job";

/** types are those that columns of a dialect are usually of. */
export const types: Record<Dialect, string[]> = {
  postgres: [
    "bigint",
    "boolean",
    "bytea",
    "date",
    "double precision",
    "inet",
    "integer",
    "interval",
    "jsonb",
    "numeric",
    "numeric(12,2)",
    "smallint",
    "text",
    "text[]",
    "time",
    "timestamptz",
    "timestamp",
    "uuid",
    "varchar(100)",
  ],
  sqlite: ["INTEGER", "TEXT", "REAL", "NUMERIC", "BLOB", "BOOLEAN", "DATE", "TIMESTAMP", "UUID", "JSON"],
  mssql: [
    "bigint",
    "bit",
    "date",
    "datetime2",
    "datetimeoffset",
    "decimal(12, 2)",
    "float",
    "int",
    "nvarchar(100)",
    "nvarchar(max)",
    "smallint",
    "time",
    "uniqueidentifier",
    "varbinary(max)",
  ],
};

const identities = [
  { value: "", label: "no" },
  { value: "by_default", label: "unless a value is given" },
  { value: "always", label: "always" },
];

/** columnFields are the fields of a column; was is what it is now. */
function columnFields(dialect: Dialect, known: string[], was?: ColumnDefinition): Field[] {
  const check = (text: string) => problemOfPart(dialect, text);
  const name: Field = { path: "name", label: "Name", kind: "text", required: true };
  if (was && dialect === "sqlite") return [name];
  const list: Field[] = [
    name,
    { path: "type", label: "Type", kind: "text", required: true, check, suggestions: [...types[dialect], ...known] },
    { path: "nullable", label: "May be NULL", kind: "flag" },
  ];
  if (was?.generated === undefined && !(was && dialect === "mssql")) {
    list.push({
      path: "default",
      label: "Default",
      kind: "text",
      check,
      hint: "An expression in SQL, as in 'new' or now().",
    });
  }
  if (dialect === "postgres" && !was?.generated)
    list.push({ path: "identity", label: "Counted up", kind: "choice", options: identities });
  if (dialect === "mssql" && !was)
    list.push({ path: "identity", label: "Counted up", kind: "choice", options: identities.slice(0, 2) });
  if (dialect === "postgres") list.push({ path: "comment", label: "Comment", kind: "text" });
  if (dialect === "postgres" && was) {
    list.push({
      path: "using",
      label: "Values of the new type",
      kind: "text",
      check,
      hint: "An expression of the old ones, where the database doesn't know how they become the new ones.",
    });
  }
  return list;
}

/** addColumn adds a column to a table. known are types besides the usual ones. */
export function addColumn(dialect: Dialect, table: Name, known: string[]): Job {
  return {
    title: "Add a column",
    initial: { nullable: true },
    fields: () => columnFields(dialect, known),
    steps: (v) => new Statements(dialect).addColumn(table, v as unknown as ColumnDraft),
  };
}

/** changeColumn changes a column. */
export function changeColumn(dialect: Dialect, table: Name, was: ColumnDefinition, known: string[]): Job {
  const { name, type, nullable, identity, default: value, description: comment } = was;
  return {
    title: `Change the column ${name}`,
    initial: {
      name,
      type,
      ...(nullable && { nullable }),
      ...(value && { default: value }),
      ...(identity && { identity }),
      ...(comment && { comment }),
    },
    fields: () => columnFields(dialect, known, was),
    steps: (v) =>
      new Statements(dialect).changeColumn(table, was, v as unknown as ColumnDraft, v.using as string | undefined),
  };
}
