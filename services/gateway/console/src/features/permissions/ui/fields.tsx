import type { Operation } from "../model/permissions";
import type { TableInfo } from "../../data/model/tables";
import type { Source, Table } from "../../../lib/http/types";
import { at, type Value } from "../../../lib/json/path";
import { Names } from "../../../ui/forms/names";
import { Presets } from "./presets";
import type { Field } from "../../../ui/forms/types";
import { RuleField } from "./rule/field";
import { texts } from "./texts";

/** startOf is what a permission has before anything is said: no column, and for rules those that every row meets. */
export function startOf(operation: Operation): Value {
  switch (operation) {
    case "select":
      return { columns: [], filter: {} };
    case "insert":
      return { columns: [], check: {} };
    case "update":
      return { columns: [], filter: {}, check: {} };
    case "delete":
      return { filter: {} };
  }
}

/** rootFields are those that a select permission can be narrowed to. */
const queryRootFields = [
  { name: "select" },
  { name: "select_by_pk", about: "needs the primary key" },
  { name: "select_aggregate", about: "needs aggregations" },
];
const subscriptionRootFields = [...queryRootFields, { name: "select_stream" }];

/** fieldsOf are the fields of the form for a permission as it has been edited so far. */
export function fieldsOf(operation: Operation, source: Source, table: Table, info: TableInfo, value: Value): Field[] {
  const columns: Field = {
    path: "permission.columns",
    label: "Columns",
    kind: "custom",
    control: (props) => (
      <Names
        {...props}
        names={info.columns.map((c) => ({ name: c.name, about: c.type }))}
        all="*"
        allText="All columns (including future ones)"
      />
    ),
  };
  const names = (
    path: string,
    label: string,
    list: { name: string; about?: string }[],
    hint?: string,
    allText?: string,
  ): Field => ({
    path,
    label,
    kind: "custom",
    hint,
    control: (props) => <Names {...props} names={list} allText={allText} />,
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
    {
      path: "permission.set",
      label: "Presets",
      kind: "custom",
      hint: "What columns get, whatever the client says; it can't give them a value.",
      control: (props) => <Presets {...props} columns={info.columns} />,
    },
    {
      path: "permission.backend_only",
      label: "Only for trusted backends",
      kind: "flag",
      hint: "Requests with the admin secret and x-engine-use-backend-only-permissions.",
    },
  ];
  if (Array.isArray(at(value, "permission")))
    return [{ path: "permission", label: texts.rules, kind: "json", required: true, hint: texts.rulesHint }, comment];
  const validation = at(value, "permission.validate_input") === undefined ? [webhook] : [webhook, ...webhookFields];
  switch (operation) {
    case "select": {
      const computed = (table.computed_fields ?? []).map((f) => ({ name: f.name }));
      const listed = at(value, "permission.computed_fields") as string[] | undefined;
      return [
        columns,
        ...(computed.length > 0 || listed?.length
          ? [
              names(
                "permission.computed_fields",
                "Computed fields",
                computed,
                "Those that return rows follow the permissions of their table.",
              ),
            ]
          : []),
        filter,
        { path: "permission.limit", label: "Row limit", kind: "number" },
        { path: "permission.allow_aggregations", label: "Aggregations", kind: "flag" },
        names(
          "permission.query_root_fields",
          "Root fields of queries",
          queryRootFields,
          "With none, the table is reached by relationships alone.",
          "All",
        ),
        names(
          "permission.subscription_root_fields",
          "Root fields of subscriptions",
          subscriptionRootFields,
          undefined,
          "All",
        ),
        comment,
      ];
    }
    case "insert":
      return [
        columns,
        check("The rule that a new row meets, else nothing is written."),
        ...written,
        ...validation,
        comment,
      ];
    case "update":
      return [
        columns,
        filter,
        { ...check("The rule that a row meets after the change, else nothing is written."), required: false },
        ...written,
        ...validation,
        comment,
      ];
    case "delete":
      return [filter, written[1]!, ...validation, comment];
  }
}

/** webhook switches the webhook on and off that is asked before anything is written. */
const webhook: Field = {
  path: "permission.validate_input",
  label: "Ask a webhook before anything is written",
  kind: "custom",
  control: ({ field, value, fault, change }) => (
    <div className="field">
      <label className="inline">
        <input
          type="checkbox"
          checked={at(value, field.path) !== undefined}
          onChange={(e) => change(e.target.checked ? { type: "http" } : undefined)}
        />{" "}
        {field.label}
      </label>
      {
        fault && !fault.startsWith("definition.") && (
          <span className="removed">{fault}</span>
        ) /* else it is shown below */
      }
    </div>
  ),
};

const webhookFields: Field[] = [
  {
    path: "permission.validate_input.definition.url",
    label: "Address of the webhook",
    kind: "text",
    required: true,
    hint: "It may have variables of the environment, as in {{CHECKS}}/articles.",
  },
  {
    path: "permission.validate_input.definition.timeout",
    label: "Seconds until it has failed",
    kind: "number",
    hint: "10 by default.",
  },
  {
    path: "permission.validate_input.definition.forward_client_headers",
    label: "Forward client headers",
    kind: "flag",
  },
  { path: "permission.validate_input.definition.headers", label: "Headers of the webhook", kind: "headers" },
];
