import { actions, Statements, type IndexDraft, type KeyDraft } from "../../model/ddl";
import { problemOfPart, type Dialect } from "../../../../lib/sql/text";
import { display } from "../../model/tables";
import type { Name, Source } from "../../../../lib/http/types";
import type { Value } from "../../../../lib/json/path";
import type { Job } from "./job";
import type { Field } from "../../../../ui/forms/types";
import { pick } from "./pick";

const nameField: Field = {
  path: "name",
  label: "Name",
  kind: "text",
  hint: "One that follows from the table and its columns, when it is empty.",
};

/** Altered is a table that keys and indexes are added to, with what they may refer to. */
export interface Altered {
  dialect: Dialect;
  source: Source;
  table: Name;
  columns: string[];
  tables: Name[];
}

/** keyOf is the constraint of a form: columns here with those there are a mapping. */
export function keyDraft(type: KeyDraft["type"], v: Value): KeyDraft {
  const { mapping = {}, ...rest } = v as { mapping?: Record<string, string> };
  return type === "foreign_key"
    ? { ...rest, type, columns: Object.keys(mapping), target_columns: Object.values(mapping) }
    : { ...rest, type };
}

/** keyFields are the fields of a constraint of a type. */
export function keyFields(of: Altered, type: KeyDraft["type"], v: Value): Field[] {
  const action = (path: string, label: string): Field => ({
    path,
    label,
    kind: "choice",
    options: [
      { value: "", label: "no action" },
      ...actions
        .filter((a) => a !== "NO ACTION" && (of.dialect !== "mssql" || a !== "RESTRICT"))
        .map((a) => ({ value: a, label: a.toLowerCase() })),
    ],
  });
  switch (type) {
    case "check":
      return [
        nameField,
        {
          path: "expression",
          label: "Condition",
          kind: "text",
          required: true,
          check: (text) => problemOfPart(of.dialect, text),
          hint: "In SQL, as in price > 0.",
        },
      ];
    case "foreign_key":
      return [
        nameField,
        {
          path: "target",
          label: "To the table",
          kind: "object",
          required: true,
          options: [
            { value: "", label: "choose one" },
            ...of.tables.map((t) => ({ value: JSON.stringify(t), label: display(t) })),
          ],
        },
        {
          path: "mapping",
          label: "Columns",
          kind: "mapping",
          required: true,
          left: of.columns,
          right: v.target ? { source: of.source, table: v.target as Name } : undefined,
        },
        action("on_update", "When the key there changes"),
        action("on_delete", "When the row there is deleted"),
      ];
    default:
      return [
        nameField,
        { path: "columns", label: "Columns", kind: "custom", required: true, control: pick(of.columns) },
      ];
  }
}

/** keyTitles are what adding a constraint is called. */
const keyTitles: Record<KeyDraft["type"], string> = {
  primary_key: "Add a primary key",
  foreign_key: "Add a foreign key",
  unique: "Add a unique key",
  check: "Add a check",
};

/** addKey adds a constraint of a type. */
export function addKey(of: Altered, type: KeyDraft["type"]): Job {
  return {
    title: keyTitles[type],
    initial: {},
    fields: (v) => keyFields(of, type, v),
    steps: (v) => new Statements(of.dialect).addKey(of.table, keyDraft(type, v)),
  };
}

const methods = ["btree", "hash", "gin", "gist", "spgist", "brin"];

/** addIndex adds an index. */
export function addIndex(of: Altered): Job {
  const check = (text: string) => problemOfPart(of.dialect, text);
  const fields: Field[] = [
    nameField,
    { path: "columns", label: "Columns", kind: "custom", control: pick(of.columns) },
    ...(of.dialect === "mssql"
      ? []
      : [
          {
            path: "expression",
            label: "Expression",
            kind: "text",
            check,
            hint: "In SQL, as in lower(name); it comes after the columns.",
          } satisfies Field,
        ]),
    ...(of.dialect === "postgres"
      ? [
          {
            path: "method",
            label: "Method",
            kind: "choice",
            options: [{ value: "", label: "that of the database" }, ...methods.map((m) => ({ value: m, label: m }))],
          } satisfies Field,
        ]
      : []),
    { path: "unique", label: "No two rows have the same", kind: "flag" },
    ...(of.dialect === "sqlite"
      ? []
      : [
          {
            path: "include",
            label: "Columns that are stored with it",
            kind: "custom",
            control: pick(of.columns),
          } satisfies Field,
        ]),
    { path: "where", label: "Only rows with", kind: "text", check, hint: "A condition in SQL." },
  ];
  return {
    title: "Add an index",
    initial: {},
    fields: () => fields,
    steps: (v) => new Statements(of.dialect).addIndex(of.table, v as unknown as IndexDraft),
  };
}
