import { lazy, Suspense, useMemo, useState } from "react";
import { useQuery } from "@tanstack/react-query";
import { graphql } from "cm6-graphql";
import { json } from "@codemirror/lang-json";
import { buildClientSchema, getIntrospectionQuery, type IntrospectionQuery } from "graphql";
import { Button, Label, Tab, TabList, TabPanel, Tabs, TextArea, TextField } from "react-aria-components";
import { ApiError } from "../../api/client";
import { headersFor, type RunAs } from "../../api/runas";
import { chunk } from "../../chunk";
import { Editor } from "../../editor/editor";
import { project } from "../../project";
import { useSession } from "../../session";
import { Failure } from "../../shell/failure";
import { Loading } from "../../shell/progress";
import { RolePicker } from "../../shell/role";
import { Past, usePast } from "../../shell/runas";
import { useStored } from "../../stored";
import { Docs } from "./docs";
import { bodyOf, operationsIn, snippets, titleOf, type Draft } from "./operation";
import { useRunner, type Result } from "./run";

const Save = lazy(chunk(() => import("./save")));

/** keptOperations bounds the history. */
const keptOperations = 50;

const first: Draft = { id: "1", query: "query {\n  __typename\n}\n", variables: "" };

/** GraphQLPage is the editor for operations. */
export function GraphQLPage() {
  const { session, server } = useSession();
  const [drafts, setDrafts] = useStored<Draft[]>(localStorage, "query-engine-drafts", [first]);
  const [past, setPast] = useStored<Draft[]>(localStorage, "query-engine-history", []);
  const [chosen, setChosen] = useStored(localStorage, "query-engine-draft", "1");
  // Headers may hold secrets: they end with the tab.
  const [as, setAs] = useStored<RunAs>(sessionStorage, "query-engine-run-as", { role: "", headers: "" });
  const { past: before, remember } = usePast();
  const [saving, setSaving] = useState(false);
  const runner = useRunner();
  const [latest, ...earlier] = runner.results;
  const draft = drafts.find((d) => d.id === chosen) ?? drafts[0] ?? first;
  const edit = (change: Partial<Draft>) => setDrafts(drafts.map((d) => (d.id === draft.id ? { ...d, ...change } : d)));

  const headers = headersFor(as);
  const schema = useQuery({
    queryKey: ["schema", headers],
    staleTime: 60_000,
    queryFn: async ({ signal }) => {
      const answer = await server.graphql({ query: getIntrospectionQuery() }, headers, signal);
      const e = answer.errors?.[0];
      if (e) throw new ApiError(e.message, e.extensions?.code ?? "unexpected", e.extensions?.path, 200, e.extensions?.internal);
      return buildClientSchema(answer.data as IntrospectionQuery);
    },
  });
  const language = useMemo(() => graphql(schema.data, { onCompletionInfoRender: (item) => described(item.documentation) }), [schema.data]);
  const jsonLanguage = useMemo(() => json(), []);

  const operations = operationsIn(draft.query);
  const run = (operationName = operations[0]?.name) => {
    if (runner.running) return; // what changes something would be sent twice
    setPast([{ ...draft, id: crypto.randomUUID() }, ...past.filter((p) => p.query !== draft.query || p.variables !== draft.variables)].slice(0, keptOperations));
    remember(as);
    runner.start(draft, as, operationName);
  };
  const add = (d: Partial<Draft> = {}) => {
    const made = { query: "", variables: "", ...d, id: crypto.randomUUID() };
    setDrafts([...drafts, made]);
    setChosen(made.id);
  };
  const close = () => {
    const rest = drafts.filter((d) => d.id !== draft.id);
    setDrafts(rest.length ? rest : [first]);
    setChosen(rest[0]?.id ?? first.id);
  };

  return (
    <div className="graphql">
      <h1>API</h1>
      <div className="row">
        <Tabs selectedKey={draft.id} onSelectionChange={(k) => setChosen(String(k))} className="drafts">
          <TabList aria-label="Operations" items={drafts} dependencies={[drafts]}>{(d) => <Tab>{titleOf(d.query)}</Tab>}</TabList>
          {drafts.map((d) => <TabPanel key={d.id} id={d.id} className="hidden" />)}
        </Tabs>
        <Button className="button" onPress={() => add()}>New tab</Button>
        <Button className="button" onPress={close}>Close tab</Button>
      </div>
      <div className="row">
        {operations.length > 1
          ? operations.map((o) => <Button key={o.name} className="button primary" isPending={runner.running} onPress={() => run(o.name)}>Run {o.name}</Button>)
          : <Button className="button primary" isPending={runner.running} onPress={() => run()} aria-keyshortcuts="Control+Enter">Run <kbd>Ctrl Enter</kbd></Button>}
        <Button className="button" onPress={runner.stop} isDisabled={!runner.running}>Stop</Button>
        {session?.admin && <Button className="button" isPending={runner.running} onPress={() => runner.explain(draft, as, operations[0]?.name)}>Explain</Button>}
        {session?.admin && <Button className="button" onPress={() => setSaving(true)}>Save…</Button>}
        <RolePicker as={as} setAs={setAs} />
        <Past past={before} as={as} setAs={setAs} />
        <span className="hint" role="status">
          {runner.running ? "Running…" : latest?.took !== undefined ? `${Math.round(latest.took)} ms` : ""}
          {(latest?.number ?? 0) > 1 && ` ${latest!.number} results`}
        </span>
      </div>
      <div className="columns">
        <div className="column">
          <div className="grow"><Editor key={draft.id} label="Operation" value={draft.query} onChange={(query) => edit({ query })} extensions={language} run={() => run()} /></div>
          <Tabs className="below">
            <TabList aria-label="Details of the request">
              <Tab id="variables">Variables</Tab>
              <Tab id="headers">Headers</Tab>
              <Tab id="history">History</Tab>
              <Tab id="code">Code</Tab>
            </TabList>
            <TabPanel id="variables"><Editor key={draft.id} label="Variables" value={draft.variables} onChange={(variables) => edit({ variables })} extensions={jsonLanguage} run={() => run()} /></TabPanel>
            <TabPanel id="headers">
              <TextField value={as.headers} onChange={(text) => setAs({ ...as, headers: text })}>
                <Label>One in each line, as in <code>x-engine-user-id: 7</code></Label>
                <TextArea rows={4} spellCheck="false" />
              </TextField>
            </TabPanel>
            <TabPanel id="history">
              {past.length === 0 && <p className="hint">What you run is listed here.</p>}
              <ul>{past.map((p) => <li key={p.id}><Button className="link" onPress={() => add({ query: p.query, variables: p.variables })}>{titleOf(p.query)}</Button></li>)}</ul>
            </TabPanel>
            <TabPanel id="code"><Code draft={draft} as={as} operationName={operations[0]?.name} /></TabPanel>
          </Tabs>
        </div>
        <section className="column" aria-label="Result">
          {runner.error !== undefined && <Failure error={runner.error} />}
          {latest && <pre className={latest.failed ? "result failed" : "result"} tabIndex={0} aria-label="Result of the operation">{latest.text}</pre>}
          {earlier.length > 0 && <Earlier results={earlier} />}
        </section>
        <div className="column side">
          {schema.isPending && <Loading what="the schema" />}
          {schema.isLoadingError && <Failure error={schema.error} retry={() => void schema.refetch()} />}
          {schema.data && <Docs key={as.role} schema={schema.data} />}
        </div>
      </div>
      {saving && <Suspense fallback={<Loading what="the collections" />}><Save draft={draft} as={as} close={() => setSaving(false)} /></Suspense>}
    </div>
  );
}

/** Earlier lists the results of a subscription before the latest. One that is opened stays, however many follow. */
function Earlier(props: { results: Result[] }) {
  const [listed, setListed] = useState(false);
  const [open, setOpen] = useState<Result>();
  return (
    <div className="earlier">
      <div className="row">
        <Button className="button" aria-expanded={listed} onPress={() => setListed(!listed)}>Earlier results</Button>
        {listed && <ul className="row" aria-label="Earlier results">{props.results.map((r) => <li key={r.number}><Button className="link" aria-pressed={r === open} onPress={() => setOpen(r)}>{r.number}</Button></li>)}</ul>}
      </div>
      {listed && open && <pre className={open.failed ? "failed" : undefined} tabIndex={0} aria-label={`Result ${open.number}`}>{open.text}</pre>}
    </div>
  );
}

/** address is where the server itself answers operations. */
function address(): string {
  return project ? `${project.endpoint.replace(/\/$/, "")}/v1/graphql` : new URL("/v1/graphql", location.href).href;
}

function Code(props: { draft: Draft; as: RunAs; operationName: string | undefined }) {
  const { session } = useSession();
  const [language, setLanguage] = useState("curl");
  let made: Record<string, string>;
  try {
    made = snippets(address(), bodyOf(props.draft, props.operationName), props.as, project ? { kind: "secret", value: "" } : session!.credentials);
  } catch (e) {
    return <Failure error={e} />;
  }
  return (
    <>
      <div className="row">
        {Object.keys(made).map((l) => <Button key={l} className="button" aria-pressed={l === language} onPress={() => setLanguage(l)}>{l}</Button>)}
        <Button className="button" onPress={() => void navigator.clipboard?.writeText(made[language]!)}>Copy</Button>
      </div>
      <pre tabIndex={0} aria-label="Code">{made[language]}</pre>
    </>
  );
}

/** described shows a comment as the text that it is. */
function described(text: string | null | undefined): Node | null {
  if (!text) return null;
  const p = document.createElement("p");
  p.textContent = text;
  return p;
}
