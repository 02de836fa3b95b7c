import { useState } from "react";
import { useNavigate } from "@tanstack/react-router";
import { useQuery } from "@tanstack/react-query";
import { prefixOf } from "../../../../lib/http/prefix";
import { Statements, type ColumnDraft, type KeyDraft } from "../../model/ddl";
import { dialectOf, type Dialect } from "../../../../lib/sql/text";
import { tablesQuery, typesQuery } from "../../api/tables";
import type { Source } from "../../../../lib/http/types";
import { at, put, type Value } from "../../../../lib/json/path";
import { Control } from "../../../../ui/forms/controls";
import { useServer } from "../../../../lib/session";
import { Failure } from "../../../../ui/failure";
import { types } from "./columns";
import { JobForm, type Job } from "./job";
import { nameIn, schemaOf } from "../../model/tables";
import type { ControlProps, Field } from "../../../../ui/forms/types";
import { keyDraft, keyFields, type Altered } from "./keys";
import { Button } from "../../../../ui/button";

/** usual are the schemas that tables are in when nothing else is said. */
const usual: Record<Dialect, string | undefined> = { postgres: "public", mssql: "dbo", sqlite: undefined };

/** NewTable makes a table, and tracks it. */
export default function NewTable(props: { source: Source; close: () => void }) {
  const { source, close } = props;
  const server = useServer();
  const navigate = useNavigate({ from: "/data" });
  const dialect = dialectOf(source.kind)!;
  const known = useQuery({ ...typesQuery(server, source), enabled: dialect === "postgres" });
  const tables = useQuery(tablesQuery(server, source));
  const all = tables.data ?? source.tables.map((t) => t.table);
  const named = (v: Value) =>
    nameIn(source, dialect === "sqlite" ? undefined : (v.schema as string), (v.name as string | undefined) ?? "");
  const job: Job = {
    title: "Create a table",
    initial: { ...(usual[dialect] && { schema: usual[dialect] }), columns: [first(dialect)], track: true },
    fields: (v) => {
      const columns = ((v.columns as ColumnEntry[] | undefined) ?? []).map((c) => c.name).filter(Boolean);
      const of: Altered = { dialect, source, table: named(v), columns, tables: all };
      return [
        ...(dialect === "sqlite"
          ? []
          : [
              {
                path: "schema",
                label: "Schema",
                kind: "text",
                required: true,
                suggestions: [...new Set(all.map((t) => schemaOf(t) ?? ""))],
              } satisfies Field,
            ]),
        { path: "name", label: "Name", kind: "text", required: true },
        {
          path: "columns",
          label: "Columns",
          kind: "custom",
          required: true,
          control: columnsControl(dialect, known.data ?? []),
        },
        { path: "keys", label: "Constraints", kind: "custom", control: keysControl(of) },
        ...(dialect === "postgres" ? [{ path: "comment", label: "Comment", kind: "text" } satisfies Field] : []),
        { path: "track", label: "Track it", kind: "flag" },
      ];
    },
    steps: (v) => {
      const columns = v.columns as ColumnEntry[];
      const primary = columns.filter((c) => c.primary).map((c) => c.name);
      const keys = ((v.keys as KeyEntry[] | undefined) ?? []).map((k) => keyDraft(k.type, k.value));
      return new Statements(dialect).createTable({
        table: named(v),
        columns,
        keys: [...(primary.length > 0 ? [{ type: "primary_key", columns: primary } satisfies KeyDraft] : []), ...keys],
        comment: v.comment as string | undefined,
      });
    },
    then: (v) =>
      v.track
        ? { type: `${prefixOf(source.kind)}_track_table`, args: { source: source.name, table: named(v) } }
        : undefined,
    done: (v) => void navigate({ search: { source: source.name, schema: schemaOf(named(v)), table: named(v).name } }),
  };
  return (
    <>
      {known.error && <Failure error={known.error} retry={() => void known.refetch()} />}
      <JobForm source={source} job={job} close={close} />
    </>
  );
}

/** ColumnEntry is a column of a new table, as its form has it. */
interface ColumnEntry extends ColumnDraft {
  /** It belongs to the primary key. */
  primary?: boolean;
}

/** first is the column that a new table has to begin with. */
function first(dialect: Dialect): ColumnEntry {
  if (dialect === "sqlite") return { name: "id", type: "INTEGER", primary: true };
  return { name: "id", type: "bigint", identity: "by_default", primary: true };
}

/** columnsControl is the control of the columns of a new table. */
function columnsControl(dialect: Dialect, known: string[]) {
  return (props: ControlProps) => {
    const columns = (at(props.value, props.field.path) as ColumnEntry[] | undefined) ?? [];
    const replace = (i: number, part: Partial<ColumnEntry>) =>
      props.change(columns.map((c, j) => (i === j ? { ...c, ...part } : c)));
    return (
      <fieldset className="field wide" key={props.field.path}>
        <legend>{props.field.label}</legend>
        <datalist id="types-of-columns">
          {[...types[dialect], ...known].map((t) => (
            <option key={t} value={t} />
          ))}
        </datalist>
        {columns.map((c, i) => (
          <div className="row" key={i} role="group" aria-label={`Column ${i + 1}`}>
            <input
              type="text"
              autoComplete="off"
              aria-label={`Name of column ${i + 1}`}
              placeholder="name"
              value={c.name}
              onChange={(e) => replace(i, { name: e.target.value })}
            />
            <input
              type="text"
              autoComplete="off"
              aria-label={`Type of column ${i + 1}`}
              placeholder="type"
              list="types-of-columns"
              value={c.type}
              onChange={(e) => replace(i, { type: e.target.value })}
            />
            <label className="inline">
              <input
                type="checkbox"
                checked={c.primary ?? false}
                onChange={(e) =>
                  replace(i, { primary: e.target.checked, nullable: e.target.checked ? false : c.nullable })
                }
              />
              primary key
            </label>
            <label className="inline">
              <input
                type="checkbox"
                checked={c.nullable ?? false}
                onChange={(e) => replace(i, { nullable: e.target.checked })}
              />
              NULL
            </label>
            {dialect !== "sqlite" && (
              <label className="inline">
                <input
                  type="checkbox"
                  checked={c.identity !== undefined}
                  onChange={(e) => replace(i, { identity: e.target.checked ? "by_default" : undefined })}
                />
                identity
              </label>
            )}
            <input
              type="text"
              autoComplete="off"
              aria-label={`Default of column ${i + 1}`}
              placeholder="default, in SQL"
              value={c.default ?? ""}
              onChange={(e) => replace(i, { default: e.target.value || undefined })}
            />
            {columns.length > 1 && (
              <Button
                aria-label={`Remove column ${i + 1}`}
                onPress={() => props.change(columns.filter((_, j) => i !== j))}
              >
                Remove
              </Button>
            )}
          </div>
        ))}
        <Button onPress={() => props.change([...columns, { name: "", type: "", nullable: true }])}>Add column</Button>
      </fieldset>
    );
  };
}

/** KeyEntry is a key or check of a new table, as its form has it. */
interface KeyEntry {
  type: KeyDraft["type"];
  value: Value;
}

const kinds: { type: KeyDraft["type"]; name: string }[] = [
  { type: "unique", name: "Unique key" },
  { type: "foreign_key", name: "Foreign key" },
  { type: "check", name: "Check" },
];

/** keysControl is the control of the other keys and the checks of a new table. */
function keysControl(of: Altered) {
  return (props: ControlProps) => (
    <Keys
      key={props.field.path}
      of={of}
      entries={(at(props.value, props.field.path) as KeyEntry[] | undefined) ?? []}
      {...props}
    />
  );
}

function Keys(props: ControlProps & { of: Altered; entries: KeyEntry[] }) {
  const { of, entries, change, field } = props;
  const [next, setNext] = useState(0);
  const [numbers, setNumbers] = useState<number[]>([]);
  const set = (list: KeyEntry[]) => change(list.length > 0 ? list : undefined);
  return (
    <fieldset className="field wide">
      <legend>{field.label}</legend>
      {entries.map((k, i) => (
        <KeyForm
          key={numbers[i]}
          title={`${kinds.find((t) => t.type === k.type)!.name} ${i + 1}`}
          of={of}
          entry={k}
          change={(value) => set(entries.map((o, j) => (i === j ? { ...o, value } : o)))}
          remove={() => {
            set(entries.filter((_, j) => i !== j));
            setNumbers(numbers.filter((_, j) => i !== j));
          }}
        />
      ))}
      <div className="row">
        {kinds.map((t) => (
          <Button
            key={t.type}
            onPress={() => {
              set([...entries, { type: t.type, value: {} }]);
              setNumbers([...numbers, next]);
              setNext(next + 1);
            }}
          >
            {t.name}
          </Button>
        ))}
      </div>
    </fieldset>
  );
}

function KeyForm(props: {
  title: string;
  of: Altered;
  entry: KeyEntry;
  change: (value: Value) => void;
  remove: () => void;
}) {
  const { title, of, entry, change, remove } = props;
  const [problems, setProblems] = useState<Record<string, string | undefined>>({});
  return (
    <div className="rule" role="group" aria-label={title}>
      {keyFields(of, entry.type, entry.value).map((f) => (
        <Control
          key={f.path}
          field={f}
          value={entry.value}
          faultAt={(path) => problems[path]}
          put={(path, part) => change(put(entry.value, path, part))}
          report={(problem) => setProblems({ ...problems, [f.path]: problem })}
        />
      ))}
      <Button aria-label={`Remove ${title}`} onPress={remove}>
        Remove
      </Button>
    </div>
  );
}
