import { useMemo, useState } from "react";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { MSSQL, PostgreSQL, sql, SQLite, StandardSQL, type SQLDialect } from "@codemirror/lang-sql";
import { Button, Checkbox, Input, Label, TextField } from "react-aria-components";
import { ApiError, prefixOf, type DryRun, type Migration } from "../../api/client";
import { exportQuery } from "../../api/queries";
import { canRehearse } from "../../api/sqltext";
import { Editor } from "../../editor/editor";
import { project } from "../../project";
import { useServer } from "../../session";
import { Changes } from "../../shell/confirm";
import { Failure } from "../../shell/failure";
import { Grid } from "../../shell/grid";
import { Loading } from "../../shell/progress";
import { SourcePicker } from "../../shell/sources";

/** SQLResult is the answer of run_sql. */
interface SQLResult {
  result_type: "TuplesOk" | "CommandOk";
  result: string[][] | null;
}

/** Run is how statements are run: as a trial, and with what depends on them dropped. */
interface Run {
  trial: boolean;
  drop: boolean;
}

/** dialects are those of the editor by kinds of sources; the others have that of PostgreSQL. */
const dialects: Record<string, SQLDialect> = { sqlite: SQLite, mssql: MSSQL, bigquery: StandardSQL };

/** SQLPage runs statements in a source; it only reads until that is switched off, and shows what a change would do before. */
export function SQLPage() {
  const server = useServer();
  const client = useQueryClient();
  const metadata = useQuery(exportQuery(server));
  const [chosen, setChosen] = useState<string>();
  const [text, setText] = useState("");
  const [readOnly, setReadOnly] = useState(true);
  const [migration, setMigration] = useState<Migration>({ mode: "schema", name: "" });
  const [cascade, setCascade] = useState(false);
  const sources = metadata.data?.metadata.sources ?? [];
  const source = sources.find((s) => s.name === chosen) ?? sources[0];
  const language = useMemo(() => sql({ dialect: dialects[source?.kind ?? ""] ?? PostgreSQL }), [source?.kind]);
  const run = useMutation({
    mutationFn: async ({ trial, drop }: Run): Promise<SQLResult & { tried?: DryRun }> => {
      const args = { source: source!.name, sql: text, read_only: readOnly, cascade: drop && !readOnly };
      const type = `${prefixOf(source!.kind)}_run_sql`;
      if (!trial) return project && !readOnly ? server.migrate<SQLResult>(type, args, migration) : server.query<SQLResult>(type, args);
      const tried = await server.query<DryRun & { answer: SQLResult }>(type, { ...args, dry_run: true });
      return { ...tried.answer, tried };
    },
    onSettled: (_, __, { trial }) => !readOnly && !trial && client.invalidateQueries(),
  });
  if (metadata.isPending) return <><h1>SQL</h1><Loading what="the sources" /></>;
  if (metadata.isLoadingError) return <><h1>SQL</h1><Failure error={metadata.error} retry={() => void metadata.refetch()} /></>;
  if (!source) return <><h1>SQL</h1><p>There is no source.</p></>;
  const rows = run.data?.result;
  const tried = run.data?.tried;
  const blocked = run.error instanceof ApiError && run.error.code === "dependency-error" && !cascade;
  return (
    <div className="page">
      <h1>SQL</h1>
      <div className="short-editor"><Editor label="Statements" value={text} onChange={setText} extensions={language} run={() => text.trim() && !run.isPending && run.mutate({ trial: false, drop: cascade })} /></div>
      <div className="row">
        <SourcePicker sources={sources} value={source.name} onChange={setChosen} />
        <Checkbox isSelected={readOnly} onChange={setReadOnly}>Only read</Checkbox>
        <Checkbox isSelected={cascade} onChange={setCascade} isDisabled={readOnly}>Drop metadata that depends on what is dropped</Checkbox>
        <Button className="button primary" isDisabled={!text.trim() || run.isPending} onPress={() => run.mutate({ trial: false, drop: cascade })}>Run <kbd>Ctrl Enter</kbd></Button>
        {canRehearse(source.kind) && <Button className="button" isDisabled={!text.trim() || readOnly || run.isPending} onPress={() => run.mutate({ trial: true, drop: cascade })}>Dry run</Button>}
        <span className="hint" role="status">{run.isPending ? "Running…" : run.data && `${rows ? rows.length === 2 ? "1 row" : `${rows.length - 1} rows` : "Done"}${tried ? ", and rolled back" : ""}`}</span>
      </div>
      {project && !readOnly && (
        <div className="row">
          <label className="inline">Write a migration
            <select value={migration.mode} onChange={(e) => setMigration({ ...migration, mode: e.target.value as Migration["mode"] })}>
              <option value="schema">when the schema changes</option>
              <option value="always">always</option>
              <option value="never">never</option>
            </select>
          </label>
          {migration.mode !== "never" && <TextField className="inline" value={migration.name} onChange={(name) => setMigration({ ...migration, name })}><Label>Name of the migration</Label><Input placeholder="its first words" /></TextField>}
        </div>
      )}
      {run.error && <Failure error={run.error} />}
      {blocked && canRehearse(source.kind) && <div className="row"><Button className="button" onPress={() => { setCascade(true); run.mutate({ trial: true, drop: true }); }}>See what would be dropped</Button></div>}
      {tried && (
        <section className="panel" aria-label="What would change">
          <h2>What would change of the metadata</h2>
          <Changes changes={tried.changes} />
          {tried.refused && <p className="removed">It would be refused: {tried.refused.error} (<code>{tried.refused.code}</code>)</p>}
        </section>
      )}
      {rows?.[0] && !run.error && <div className="panel"><Grid label="Result" columns={rows[0]} rows={rows.slice(1)} /></div>}
    </div>
  );
}
