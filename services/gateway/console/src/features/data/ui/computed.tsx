import { useQuery } from "@tanstack/react-query";
import { prefixOf } from "../../../lib/http/prefix";
import { functionsQuery, signature } from "../api/functions";
import { display, keyOf } from "../model/tables";
import type { Name, Source, Table } from "../../../lib/http/types";
import type { Field } from "../../../ui/forms/types";
import { ObjectList } from "../../../ui/forms/list";
import { useServer } from "../../../lib/session";
import { Failure } from "../../../ui/failure";
import { hasFunctions } from "../model/kinds";

/** ComputedFields are the fields of a table that functions compute from a row. */
export default function ComputedFields(props: { source: Source; table: Table }) {
  const { source, table } = props;
  const server = useServer();
  const found = useQuery({ ...functionsQuery(server, source), enabled: hasFunctions(source.kind) });
  const prefix = prefixOf(source.kind);
  const target = { source: source.name, table: table.table };
  const suitable = (found.data ?? []).filter(
    (f) => f.volatility !== "VOLATILE" && f.arguments.some((a) => a.table && keyOf(a.table) === keyOf(table.table)),
  );
  const named = (value: unknown) => suitable.find((f) => value !== undefined && keyOf(f.name) === keyOf(value as Name));
  const argument = (path: string, label: string, of: unknown, hint: string): Field => ({
    path,
    label,
    kind: "choice",
    options: [
      { value: "", label: "not named" },
      ...(named(of)?.arguments ?? []).flatMap((a) => (a.name ? [{ value: a.name, label: `${a.name} ${a.type}` }] : [])),
    ],
    hint,
  });
  const ofRows = (of: unknown): Field[] => [
    {
      path: "definition.function",
      label: "Function",
      kind: "object",
      required: true,
      options: [
        { value: "", label: "choose one" },
        ...suitable.map((f) => ({ value: JSON.stringify(f.name), label: signature(f) })),
      ],
      hint: `Those that take a row of ${display(table.table)} and aren't VOLATILE.`,
    },
    argument("definition.table_argument", "Argument that gets the row", of, "The first one, unless it is named."),
    argument("definition.session_argument", "Argument that gets the session variables", of, "One of type json."),
  ];
  return (
    <>
      {found.isLoadingError && <Failure error={found.error} retry={() => void found.refetch()} />}
      <ObjectList
        label="Computed fields"
        none="None: a computed field is made of a function that takes a row."
        items={(table.computed_fields ?? []).map((f) => ({
          id: f.name,
          about: (
            <span className="hint">
              {display(f.definition.function)} {f.comment}
            </span>
          ),
          drop: { type: `${prefix}_drop_computed_field`, args: { ...target, name: f.name, cascade: true } },
        }))}
        add={[
          {
            title: "Add a computed field",
            initial: { ...target },
            fields: (v) => {
              const of = (v.definition as { function?: unknown } | undefined)?.function;
              return [
                { path: "name", label: "Name", kind: "text", required: true },
                ...(hasFunctions(source.kind) ? ofRows(of) : ofColumns(source)),
                { path: "comment", label: "Comment", kind: "text" },
              ];
            },
            request: (args) => ({ type: `${prefix}_add_computed_field`, args }),
          },
        ]}
      />
    </>
  );
}

/** ofColumns are the fields for a table function that is given columns of the row. */
function ofColumns(source: Source): Field[] {
  return [
    { path: "definition.function.dataset", label: "Dataset of the function", kind: "text", required: true },
    { path: "definition.function.name", label: "Table function", kind: "text", required: true },
    {
      path: "definition.argument_mapping",
      label: "Arguments that get columns",
      kind: "json",
      hint: 'Columns by arguments, as in {"who": "id"}. The client gives the others.',
    },
    {
      path: "definition.return_table",
      label: "Table of its rows",
      kind: "object",
      options: [
        { value: "", label: "none: rows as the function declares them" },
        ...source.tables.map((t) => ({ value: JSON.stringify(t.table), label: display(t.table) })),
      ],
      hint: "Roles see of the rows what they may see of the table.",
    },
  ];
}
