import { useEffect, useMemo, useRef, useState } from "react";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { sql } from "@codemirror/lang-sql";
import { Checkbox, Input, Label, Tab, TabList, TabPanel, Tabs, TextField } from "react-aria-components";

import { ApiError, type Migration } from "../../../lib/http/client";
import { exportQuery } from "../../metadata/api/queries";
import { canRehearse } from "../../../lib/sql/text";
import type { Source } from "../../../lib/http/types";
import { chunk } from "../../../lib/chunk";
import { Editor } from "../../../ui/editor";
import { project } from "../../../lib/http/project";
import { useServer } from "../../../lib/session";
import { Button } from "../../../ui/button";
import { Changes } from "../../../ui/confirm";
import { Failure } from "../../../ui/failure";
import { History } from "../../../ui/history";
import { Loading } from "../../../ui/progress";
import { SourcePicker } from "../../../ui/sources";
import { useStored } from "../../../lib/stored";
import { NoSource } from "../../../ui/empty";
import { usePastStatements } from "../model/history";
import { columnsOf } from "../model/complete";
import { completed, namesQuery } from "../api/names";
import { canExplain, explain, type Plan } from "../model/plan";
import { PlanTree } from "./plantree";
import { countOf, Results } from "./results";
import { runStatements, spent, type Choices, type Outcome } from "../api/run";
import { chosenText, dialectOf, oneStatement } from "../../../lib/sql/statements";
import { Crumb, Title } from "../../../ui/title";
import { icons } from "../../../ui/icons";
import { createdBy } from "../model/created";
import { Offered } from "./offered";
import { texts } from "./texts";

/** Wanted is what is done with statements: they run, are tried, or are explained. */
interface Wanted {
  how: "run" | "trial" | "plan" | "measured";
  text: string;
  cascade?: boolean;
}

/** Came is what came of it. */
type Came = { outcome: Outcome } | { plan: Plan; of: string; took: number };

/**
 * SQLPage runs statements in a source; it only reads until that is switched off, and shows what a change would do
 * before.
 */
export function SQLPage() {
  const server = useServer();
  const metadata = useQuery(exportQuery(server));
  const [chosen, setChosen] = useStored<string>(sessionStorage, "query-engine-sql-source", "");
  const [text, setText] = useStored(sessionStorage, "query-engine-sql-text", "");
  if (metadata.isPending)
    return (
      <>
        <Title name="SQL" />
        <Loading what="the sources" />
      </>
    );
  if (metadata.isLoadingError)
    return (
      <>
        <Title name="SQL" />
        <Failure error={metadata.error} retry={() => void metadata.refetch()} />
      </>
    );
  const sources = metadata.data.metadata.sources ?? [];
  const source = sources.find((s) => s.name === chosen) ?? sources[0];
  return (
    <div className="page">
      <Title name="SQL">
        {source && (
          <Crumb>
            <SourcePicker sources={sources} value={source.name} onChange={setChosen} />
          </Crumb>
        )}
      </Title>
      {source ? (
        <Statements key={source.name} source={source} choose={setChosen} text={text} setText={setText} />
      ) : (
        <NoSource what="Statements run in a source." />
      )}
    </div>
  );
}

function Statements(props: {
  source: Source;
  choose: (name: string) => void;
  text: string;
  setText: (text: string) => void;
}) {
  const { source, choose, text, setText } = props;
  const { kind } = source;
  const server = useServer();
  const client = useQueryClient();
  const [selected, setSelected] = useState({ from: 0, to: 0 });
  const [readOnly, setReadOnly] = useStored(sessionStorage, "query-engine-sql-read-only", true);
  const [alone, setAlone] = useState(false);
  const [migration, setMigration] = useState<Migration>({ mode: "schema", name: "" });
  const [cascade, setCascade] = useState(false);
  const [tab, setTab] = useState("result");
  const [problem, setProblem] = useState<unknown>();
  const [past, setPast, remember] = usePastStatements();
  const stop = useRef<AbortController>(undefined);
  useEffect(() => () => stop.current?.abort(), []);
  const names = useQuery(namesQuery(server, source));
  const dialect = dialectOf(kind);
  const language = useMemo(
    () => [sql({ dialect, upperCaseKeywords: true, ...completed(names.data, kind) }), columnsOf(dialect, names.data)],
    [dialect, names.data, kind],
  );
  const run = useMutation({
    mutationFn: async (w: Wanted): Promise<Came> => {
      const { signal } = (stop.current = new AbortController());
      if (w.how === "plan" || w.how === "measured") {
        const began = performance.now();
        const plan = await explain(server, source, w.text, w.how === "measured", readOnly, signal);
        return { plan, of: w.text, took: performance.now() - began };
      }
      const choices: Choices = { readOnly, cascade: w.cascade ?? false, alone };
      return {
        outcome: await runStatements(server, source, w.text, choices, w.how === "trial", project && migration, signal),
      };
    },
    onMutate: (w) => {
      setTab("result");
      remember(source.name, w.text);
    },
    onSettled: (_, __, w) => !readOnly && w.how === "run" && client.invalidateQueries(),
  });
  const whole = chosenText(text, selected);
  const part = whole !== text;
  const can = canExplain(kind);
  const blank = whole.trim() === "";
  const idle = !run.isPending && !blank;
  const start = (how: "run" | "trial", drop = cascade) => idle && run.mutate({ how, text: whole, cascade: drop });
  const startPlan = (how: "plan" | "measured") => {
    const one = oneStatement(dialect, text, selected);
    setProblem(one ? undefined : new Error("Select one statement, or put the cursor into it."));
    if (one && idle) run.mutate({ how, text: one });
  };
  const format = async () => {
    try {
      const { formatted } = await chunk(() => import("../model/format"))();
      setText(
        part
          ? text.slice(0, selected.from) + formatted(kind, whole) + text.slice(selected.to)
          : formatted(kind, text) + "\n",
      );
      setProblem(undefined);
    } catch (e) {
      setProblem(e);
    }
  };
  const outcome = run.data && "outcome" in run.data ? run.data.outcome : undefined;
  const plan = run.data && "plan" in run.data ? run.data : undefined;
  const tried = outcome?.tried;
  const cancelled = run.error instanceof DOMException && run.error.name === "AbortError";
  const blocked = run.error instanceof ApiError && run.error.code === "dependency-error" && !cascade;
  return (
    <>
      <div className="toolbar" role="group" aria-label={texts.tools}>
        <Button
          look="primary"
          icon={icons.Play}
          isPending={run.isPending}
          isDisabled={blank}
          onPress={() => start("run")}
        >
          {part ? "Run the selection" : "Run"} <kbd>Ctrl Enter</kbd>
        </Button>
        <Checkbox isSelected={readOnly} onChange={setReadOnly}>
          Read-only
        </Checkbox>
        {run.isPending && (
          <Button icon={icons.Square} onPress={() => stop.current?.abort()}>
            Cancel
          </Button>
        )}
        {canRehearse(kind) && (
          <Button
            look="quiet"
            icon={icons.FlaskConical}
            isPending={run.isPending}
            isDisabled={blank || readOnly}
            onPress={() => start("trial")}
          >
            Dry run
          </Button>
        )}
        {can.plan && (
          <Button
            look="quiet"
            icon={icons.ScanSearch}
            isPending={run.isPending}
            isDisabled={blank}
            onPress={() => startPlan("plan")}
          >
            Explain
          </Button>
        )}
        {can.measured && (
          <Button
            look="quiet"
            icon={icons.Activity}
            isPending={run.isPending}
            isDisabled={blank}
            onPress={() => startPlan("measured")}
          >
            Explain analyze
          </Button>
        )}
        <Button look="quiet" icon={icons.AlignLeft} isDisabled={blank} onPress={() => void format()}>
          Format
        </Button>
        <span className="hint" role="status">
          {run.isPending
            ? "Running…"
            : outcome
              ? told(outcome)
              : plan
                ? `Explained in ${spent(plan.took)}`
                : cancelled
                  ? "Cancelled"
                  : ""}
        </span>
      </div>
      <div className="short-editor">
        <Editor
          label="Statements"
          value={text}
          onChange={setText}
          onCursor={(_, { from, to }) => setSelected({ from, to })}
          extensions={language}
          run={() => start("run")}
        />
      </div>
      {!readOnly && (
        <div className="row">
          <Checkbox isSelected={cascade} onChange={setCascade}>
            Cascade metadata
          </Checkbox>
          {kind !== "bigquery" && (
            <Checkbox isSelected={alone} onChange={setAlone}>
              Run outside a transaction
            </Checkbox>
          )}
        </div>
      )}
      <p className="hint">
        {rules(kind, readOnly, alone)}
        {names.error && ` Names of tables can't be completed: ${names.error.message}`}
      </p>
      {project && !readOnly && (
        <div className="row">
          <label className="inline">
            Write a migration
            <select
              value={migration.mode}
              onChange={(e) => setMigration({ ...migration, mode: e.target.value as Migration["mode"] })}
            >
              <option value="schema">when the schema changes</option>
              <option value="always">always</option>
              <option value="never">never</option>
            </select>
          </label>
          {migration.mode !== "never" && (
            <TextField
              className="inline"
              value={migration.name}
              onChange={(name) => setMigration({ ...migration, name })}
            >
              <Label>Name of the migration</Label>
              <Input placeholder="its first words" />
            </TextField>
          )}
        </div>
      )}
      {problem !== undefined && <Failure error={problem} />}
      <Tabs selectedKey={tab} onSelectionChange={(key) => setTab(String(key))}>
        <TabList aria-label="SQL">
          <Tab id="result">Result</Tab>
          <Tab id="history">History</Tab>
        </TabList>
        <TabPanel id="result" className="page">
          {!run.data && !run.error && <p className="hint">What the statements return is shown here.</p>}
          {run.error && !cancelled && <Failure error={run.error} />}
          {cancelled && (
            <p>
              {readOnly ? "Cancellation requested." : "Cancellation requested. Uncommitted changes are rolled back."}
            </p>
          )}
          {blocked && canRehearse(kind) && (
            <div className="row">
              <Button
                onPress={() => {
                  setCascade(true);
                  start("trial", true);
                }}
              >
                See what would be dropped
              </Button>
            </div>
          )}
          {tried && (
            <section className="panel" aria-label="What would change">
              <h2>What would change of the metadata</h2>
              <Changes changes={tried.changes} />
              {tried.refused && (
                <p className="removed">
                  It would be refused: {tried.refused.error} (<code>{tried.refused.code}</code>)
                </p>
              )}
            </section>
          )}
          {outcome && !tried && !readOnly && run.variables && (
            <Offered source={source} created={createdBy(run.variables.text)} />
          )}
          {outcome && <Results key={run.submittedAt} results={outcome.results} />}
          {plan && <PlanTree plan={plan.plan} sql={plan.of} />}
        </TabPanel>
        <TabPanel id="history" className="page">
          <History
            past={past}
            setPast={setPast}
            open={(p) => {
              choose(p.source);
              setText(p.text);
              setTab("result");
            }}
            title={(p) => p.text.replace(/\s+/g, " ").trim().slice(0, 80)}
            text={(p) => `${p.text} ${p.source}`}
            more={(p) => <span className="hint">in {p.source}</span>}
          />
          <p className="hint">It ends with the tab, but for what is kept, which the browser has until it is removed.</p>
        </TabPanel>
      </Tabs>
    </>
  );
}

/** told is what came of statements, in a few words. */
function told({ results, tried, took }: Outcome): string {
  const [only] = results;
  const what =
    results.length === 1 && only!.columns
      ? countOf(only!.row_count ?? only!.rows?.length ?? 0)
      : results.length > 1
        ? `${results.length} statements`
        : "Done";
  return `${what} in ${spent(took)}${tried ? ", and rolled back" : ""}`;
}

/** rules is what holds for several statements. */
function rules(kind: string, readOnly: boolean, alone: boolean): string {
  if (kind === "bigquery")
    return readOnly
      ? "Sources of this kind can't be kept from writing: statements run once that is taken off."
      : "Statements run one by one, and what is done stays done.";
  if (readOnly) return "Statements run in one transaction, which can't write.";
  return alone
    ? "Statements run one by one, and what is done stays done: for those that no transaction can have."
    : "Statements run in one transaction: all of them are done, or none.";
}
