import { useMemo, useState } from "react";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { PostgreSQL, sql, SQLite } from "@codemirror/lang-sql";
import { Button, Checkbox } from "react-aria-components";
import { prefixOf } from "../../api/client";
import { exportQuery } from "../../api/queries";
import { Editor } from "../../editor/editor";
import { useServer } from "../../session";
import { Failure } from "../../shell/failure";
import { Grid } from "../../shell/grid";
import { Loading } from "../../shell/progress";
import { SourcePicker } from "../../shell/sources";

/** SQLResult is the answer of run_sql. */
interface SQLResult {
  result_type: "TuplesOk" | "CommandOk";
  result: string[][] | null;
}

/** SQLPage runs statements in a source; it only reads until that is switched off. */
export function SQLPage() {
  const server = useServer();
  const client = useQueryClient();
  const metadata = useQuery(exportQuery(server));
  const [chosen, setChosen] = useState<string>();
  const [text, setText] = useState("");
  const [readOnly, setReadOnly] = useState(true);
  const [cascade, setCascade] = useState(false);
  const sources = metadata.data?.metadata.sources ?? [];
  const source = sources.find((s) => s.name === chosen) ?? sources[0];
  const language = useMemo(() => sql({ dialect: source?.kind === "sqlite" ? SQLite : PostgreSQL }), [source?.kind]);
  const run = useMutation({
    mutationFn: () => server.query<SQLResult>(`${prefixOf(source!.kind)}_run_sql`, { source: source!.name, sql: text, read_only: readOnly, cascade: cascade && !readOnly }),
    onSettled: () => !readOnly && client.invalidateQueries(),
  });
  if (metadata.isPending) return <><h1>SQL</h1><Loading what="the sources" /></>;
  if (metadata.error) return <><h1>SQL</h1><Failure error={metadata.error} retry={() => void metadata.refetch()} /></>;
  if (!source) return <><h1>SQL</h1><p>There is no source.</p></>;
  const rows = run.data?.result;
  return (
    <div className="page">
      <h1>SQL</h1>
      <div className="short-editor"><Editor label="Statements" value={text} onChange={setText} extensions={language} run={() => text.trim() && run.mutate()} /></div>
      <div className="row">
        <SourcePicker sources={sources} value={source.name} onChange={setChosen} />
        <Checkbox isSelected={readOnly} onChange={setReadOnly}>Only read</Checkbox>
        <Checkbox isSelected={cascade} onChange={setCascade} isDisabled={readOnly}>Drop metadata that depends on what is dropped</Checkbox>
        <Button className="button primary" isDisabled={!text.trim() || run.isPending} onPress={() => run.mutate()}>Run <kbd>Ctrl Enter</kbd></Button>
        <span className="hint" role="status">{run.isPending ? "Running…" : run.data && (rows ? `${rows.length - 1} rows` : "Done")}</span>
      </div>
      {run.error && <Failure error={run.error} />}
      {rows?.[0] && !run.error && <Grid label="Result" columns={rows[0]} rows={rows.slice(1)} />}
    </div>
  );
}
