import type { ReactNode } from "react";
import { useNavigate } from "@tanstack/react-router";
import { useQuery } from "@tanstack/react-query";
import { Statements, type KeyDraft } from "../../model/ddl";
import { dialectOf } from "../../../../lib/sql/text";
import { tablesQuery, typesQuery } from "../../api/tables";
import type { ColumnDefinition, Definition, Index, Source, TableDescription } from "../../../../lib/http/types";
import { FormScope, useConfirmLeave, useStillHere } from "../../../../lib/unsaved";
import { useServer } from "../../../../lib/session";
import { Failure } from "../../../../ui/failure";
import { addColumn, changeColumn } from "./columns";
import { JobForm, type Job } from "./job";
import { addIndex, addKey, type Altered } from "./keys";
import { schemaOf } from "../../model/tables";
import { RunScript, type Script } from "./script";
import { Button } from "../../../../ui/button";

/** Tools are the controls that change a table, by where they are on its page. */
export interface Tools {
  table: ReactNode;
  columns: ReactNode;
  keys: ReactNode;
  indexes: ReactNode;
  column: (c: ColumnDefinition) => ReactNode;
  key: (k: Definition) => ReactNode;
  index: (i: Index) => ReactNode;
  dialog: ReactNode;
}

type Place = "table" | "columns" | "keys" | "indexes";

/** useTools are the tools for a table, undefined when the console makes no statements for it. */
export function useTools(source: Source, described: TableDescription | undefined): Tools | undefined {
  const server = useServer();
  const navigate = useNavigate({ from: "/data" });
  const dialect = dialectOf(source.kind);
  const known = useQuery({ ...typesQuery(server, source), enabled: dialect === "postgres" });
  const tables = useQuery(tablesQuery(server, source));
  const { value: open, set: setOpen, close, edits } = useConfirmLeave<{ at: Place; job: Job } | undefined>(undefined);
  const { value: script, set: setScript, close: closeScript } = useConfirmLeave<Script | undefined>(undefined);
  const still = useStillHere();
  if (!dialect || !described || (described.kind !== "table" && described.kind !== "partitioned_table"))
    return undefined;
  const { name: table, columns } = described;
  const make = new Statements(dialect);
  const of: Altered = {
    dialect,
    source,
    table,
    columns: columns.map((c) => c.name),
    tables: tables.data ?? source.tables.map((t) => t.table),
  };
  const at = (place: Place, jobs: Job[], more?: ReactNode) => (
    <>
      {(jobs.length > 0 || more) && (
        <div className="row">
          {jobs.map((job) => (
            <Button
              key={job.title}
              aria-expanded={open?.job.title === job.title}
              onPress={() => setOpen(open?.job.title === job.title ? undefined : { at: place, job })}
            >
              {job.title}
            </Button>
          ))}
          {more}
        </div>
      )}
      {open?.at === place && (
        <FormScope value={edits}>
          <JobForm key={open.job.title} source={source} job={open.job} close={() => close()} />
        </FormScope>
      )}
    </>
  );
  const drop = (label: string, title: string, steps: Script["steps"], done?: () => void) => (
    <Button look="danger" small aria-label={label} onPress={() => setScript({ title, steps, done })}>
      Drop…
    </Button>
  );
  const rename: Job = {
    title: "Rename the table",
    initial: { name: table.name },
    fields: () => [{ path: "name", label: "Name", kind: "text", required: true }],
    steps: (v) => (v.name === table.name ? [] : make.renameTable(table, v.name as string)),
    done: (v) => {
      if (still()) void navigate({ search: { source: source.name, schema: schemaOf(table), table: v.name as string } });
    },
  };
  const comment: Job = {
    title: "Comment on the table",
    initial: described.description ? { comment: described.description } : {},
    fields: () => [{ path: "comment", label: "Comment", kind: "long" }],
    steps: (v) => make.commentTable(table, v.comment as string | undefined, described.description),
  };
  const types: KeyDraft["type"][] = described.constraints.some((k) => k.type === "primary_key")
    ? ["foreign_key", "unique", "check"]
    : ["primary_key", "foreign_key", "unique", "check"];
  return {
    table: at(
      "table",
      [rename, ...(dialect === "postgres" ? [comment] : [])],
      <Button
        look="danger"
        onPress={() =>
          setScript({
            title: "Drop the table",
            steps: make.dropTable(table),
            done: () => {
              edits.reset();
              if (still()) void navigate({ search: { source: source.name } });
            },
          })
        }
      >
        Drop the table…
      </Button>,
    ),
    columns: (
      <>
        {known.error && <Failure error={known.error} retry={() => void known.refetch()} />}
        {at("columns", [addColumn(dialect, table, known.data ?? [])])}
      </>
    ),
    keys:
      dialect === "sqlite" ? (
        <p className="hint">SQLite has no statement that adds or drops the constraints of a table that there is.</p>
      ) : (
        at(
          "keys",
          types.map((t) => addKey(of, t)),
        )
      ),
    indexes: at("indexes", [addIndex(of)]),
    column: (c) => (
      <span className="tools">
        <Button
          small
          aria-label={`Change the column ${c.name}`}
          onPress={() => setOpen({ at: "columns", job: changeColumn(dialect, table, c, known.data ?? []) })}
        >
          Change
        </Button>
        {drop(`Drop the column ${c.name}`, "Drop the column", make.dropColumn(table, c.name))}
      </span>
    ),
    key: (k) =>
      dialect === "sqlite" ? "" : drop(`Drop the constraint ${k.name}`, "Drop the constraint", make.dropKey(table, k)),
    // Those of keys go with their constraints.
    index: (i) =>
      described.constraints.some((k) => k.name === i.name) || i.name.startsWith("sqlite_")
        ? ""
        : drop(`Drop the index ${i.name}`, "Drop the index", make.dropIndex(table, i)),
    dialog: script && <RunScript key={script.title} {...script} source={source} close={closeScript} />,
  };
}
