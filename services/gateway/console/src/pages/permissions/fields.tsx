import type { Operation } from "../../api/permissions";
import type { TableInfo } from "../../api/tables";
import type { Source, Table } from "../../api/types";
import type { Field, Value } from "../../forms/fields";
import { Names } from "./names";
import { RuleField } from "./rule";

/** startOf is what a permission has before anything is said: no column, and for rules those that every row meets. */
export function startOf(operation: Operation): Value {
  switch (operation) {
    case "select": return { columns: [], filter: {} };
    case "insert": return { columns: [], check: {} };
    case "update": return { columns: [], filter: {}, check: {} };
    case "delete": return { filter: {} };
  }
}

/** rootFields are those that a select permission can be narrowed to. */
const queryRootFields = ["select", "select_by_pk", "select_aggregate"];
const subscriptionRootFields = [...queryRootFields, "select_stream"];

/** fieldsOf are the fields of the form for a permission. */
export function fieldsOf(operation: Operation, source: Source, table: Table, info: TableInfo): Field[] {
  const columns: Field = {
    path: "permission.columns",
    label: "Columns",
    kind: "custom",
    control: (props) => <Names {...props} names={info.columns.map((c) => ({ name: c.name, about: c.type }))} all="*" allText="All, and those that come later" />,
  };
  const names = (path: string, label: string, list: string[], hint?: string): Field => ({
    path,
    label,
    kind: "custom",
    hint,
    control: (props) => <Names {...props} names={list.map((name) => ({ name }))} all={undefined} allText="All" />,
  });
  const rule = (path: string, label: string, hint: string): Field => ({
    path,
    label,
    kind: "custom",
    required: true,
    hint,
    control: (props) => <RuleField {...props} source={source} table={table.table} />,
  });
  const comment: Field = { path: "comment", label: "Comment", kind: "text" };
  const filter = rule("permission.filter", "Rows", "The rule that a row meets; {} is every row.");
  const check = (hint: string): Field => rule("permission.check", "Check of what is written", hint);
  const written: Field[] = [
    { path: "permission.set", label: "Presets", kind: "json", hint: 'Columns with values or session variables, as in {"author_id": "X-Engine-User-Id"}.' },
    { path: "permission.backend_only", label: "Only for trusted backends", kind: "flag" },
  ];
  const validate: Field = { path: "permission.validate_input", label: "Webhook that validates what is written", kind: "json", hint: 'As in {"type": "http", "definition": {"url": "https://…"}}.' };
  switch (operation) {
    case "select": {
      const computed = (table.computed_fields ?? []).map((f) => f.name);
      return [
        columns,
        ...(computed.length > 0 ? [{ path: "permission.computed_fields", label: "Computed fields", kind: "list", hint: `Of: ${computed.join(", ")}.` } satisfies Field] : []),
        filter,
        { path: "permission.limit", label: "Most rows of one query", kind: "number" },
        { path: "permission.allow_aggregations", label: "Aggregations", kind: "flag" },
        names("permission.query_root_fields", "Root fields of queries", queryRootFields, "With none, the table is reached by relationships alone."),
        names("permission.subscription_root_fields", "Root fields of subscriptions", subscriptionRootFields),
        comment,
      ];
    }
    case "insert":
      return [columns, check("The rule that a new row meets, else nothing is written."), ...written, validate, comment];
    case "update":
      return [columns, filter, { ...check("The rule that a row meets after the change, else nothing is written."), required: false }, ...written, validate, comment];
    case "delete":
      return [filter, written[1]!, validate, comment];
  }
}
