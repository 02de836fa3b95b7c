import { lazy, Suspense, useEffect, useMemo, useState } from "react";
import { useQuery } from "@tanstack/react-query";
import { buildClientSchema, getIntrospectionQuery, type IntrospectionQuery } from "graphql";
import { Tab, TabList, TabPanel, Tabs } from "react-aria-components";

import { Group, Panel, Separator } from "react-resizable-panels";
import { ApiError } from "../../../lib/http/client";
import { headersFor, runAsKey, type RunAs } from "../../../lib/http/runas";
import { chunk } from "../../../lib/chunk";
import { useSession } from "../../../lib/session";
import { Button } from "../../../ui/button";
import { Copy } from "../../../ui/copy";
import { Failure } from "../../../ui/failure";
import { Loading } from "../../../ui/progress";
import { RolePicker } from "../../../ui/role";
import { Past, usePast } from "../../../ui/runas";
import { useStored } from "../../../lib/stored";
import { Answer, heardText } from "./answer";
import { Docs, type Looked } from "./docs";
import { Explorer } from "./explorer";
import { withRun } from "../../../lib/history";
import { Keys } from "./keys";
import type * as layout from "../model/format";
import { linked, linkTo } from "../model/link";
import { placeOf, type Place } from "../model/locate";
import { operationsIn, titleOf, type Draft, type Run } from "../model/operation";
import { Request, type Mistake } from "./request";
import { useRunner } from "../api/run";
import { Crumb, Title } from "../../../ui/title";
import { Empty } from "../../../ui/empty";
import { icons } from "../../../ui/icons";
import { firstQuery, hasQueries } from "../model/first";
import { texts } from "./texts";
import { Link } from "@tanstack/react-router";

const Save = lazy(chunk(() => import("./save")));

/** first is what a browser begins with, until the schema is known. */
const first: Draft = { id: "1", query: "query {\n  __typename\n}\n", variables: "" };

/** GraphQLPage is the editor for operations. */
export function GraphQLPage() {
  const { session, server } = useSession();
  const [drafts, setDrafts] = useStored<Draft[]>(localStorage, "query-engine-drafts", [first]);
  const [past, setPast] = useStored<Run[]>(localStorage, "query-engine-history", []);
  const [chosen, setChosen] = useStored(localStorage, "query-engine-draft", "1");
  const [side, setSide] = useStored(localStorage, "query-engine-side", "explorer");
  const [widths, setWidths] = useStored<Record<string, number> | undefined>(
    localStorage,
    "query-engine-widths",
    undefined,
  );
  // Headers may hold secrets: they end with the tab.
  const [as, setAs] = useStored<RunAs>(sessionStorage, runAsKey, { role: "", headers: "" });
  const { past: before, remember } = usePast();
  const [dialog, setDialog] = useState<"save" | "keys">();
  const [wanted, setWanted] = useState<string>();
  const [place, setPlace] = useState<Place>();
  const [looked, setLooked] = useState<Looked>();
  const [problem, setProblem] = useState<unknown>();
  const runner = useRunner();
  const [latest] = runner.results;
  const draft = drafts.find((d) => d.id === chosen) ?? drafts[0] ?? first;
  const edit = (change: Partial<Draft>) =>
    setDrafts((list) => list.map((d) => (d.id === draft.id ? { ...d, ...change } : d)));

  const headers = headersFor(as);
  const schema = useQuery({
    queryKey: ["schema", headers],
    staleTime: 60_000,
    queryFn: async ({ signal }) => {
      const answer = await server.graphql({ query: getIntrospectionQuery() }, headers, signal);
      const e = answer.errors?.[0];
      if (e)
        throw new ApiError(
          e.message,
          e.extensions?.code ?? "unexpected",
          e.extensions?.path,
          200,
          e.extensions?.internal,
        );
      return buildClientSchema(answer.data as IntrospectionQuery);
    },
  });

  // An untouched operation becomes a query over the tables that there are.
  useEffect(() => {
    if (!schema.data) return;
    const query = firstQuery(schema.data);
    setDrafts((list) => list.map((d) => (d.id === first.id && d.query === first.query ? { ...d, query } : d)));
  }, [schema.data, setDrafts]);

  const operations = useMemo(() => operationsIn(draft.query), [draft.query]);
  const operation = operations.find((o) => o.name === wanted) ?? operations[0];
  const look = (at: number) => {
    const found = operations.find((o) => o.from <= at && at <= o.to);
    if (found?.name !== undefined) setWanted(found.name);
  };
  const mistakes = useMemo(() => {
    const query = latest?.query ?? "";
    return {
      query,
      list: (latest?.errors ?? []).flatMap((e): Mistake[] => {
        const p = placeOf(query, operation?.name, e);
        return p ? [{ ...p, message: e.message }] : [];
      }),
    };
  }, [latest?.query, latest?.errors, operation?.name]);

  const run = () => {
    if (runner.running) return; // what changes something would be sent twice
    setPast(withRun<Run>(past, draft, (a, b) => a.query === b.query && a.variables === b.variables));
    remember(as);
    runner.start(draft, as, operation?.name);
  };
  const format = async (how: (f: typeof layout) => Promise<Partial<Draft>>) => {
    try {
      edit(await how(await chunk(() => import("../model/format"))()));
      setProblem(undefined);
    } catch (e) {
      setProblem(e);
    }
  };
  const prettify = () =>
    void format(async (f) => ({
      query: await f.prettified(draft.query),
      variables: f.prettifiedVariables(draft.variables),
    }));
  const merge = () => void format(async (f) => ({ query: await f.prettified(f.merged(draft.query, schema.data)) }));
  const add = (d: Partial<Draft> = {}) => {
    const made = { query: "", variables: "", ...d, id: crypto.randomUUID() };
    setDrafts((list) => [...list, made]);
    setChosen(made.id);
  };
  const close = () => {
    const rest = drafts.filter((d) => d.id !== draft.id);
    setDrafts(rest.length ? rest : [first]);
    setChosen(rest[0]?.id ?? first.id);
  };
  // An operation in the address gets a tab, and isn't run before the user runs it.
  useEffect(() => {
    const take = () => {
      const found = linked(location.hash);
      if (!found) return;
      history.replaceState(history.state, "", location.pathname);
      const made = { ...found, id: crypto.randomUUID() };
      setDrafts((list) => [...list, made]);
      setChosen(made.id);
    };
    take();
    addEventListener("hashchange", take);
    return () => removeEventListener("hashchange", take);
  }, [setDrafts, setChosen]);

  return (
    <div className="graphql">
      <Title name="API">
        <Crumb>
          <RolePicker compact as={as} setAs={setAs} />
        </Crumb>
      </Title>
      <div className="drafts-bar">
        <Tabs selectedKey={draft.id} onSelectionChange={(k) => setChosen(String(k))} className="drafts">
          <TabList aria-label="Operations" items={drafts} dependencies={[drafts]}>
            {(d) => <Tab>{titleOf(d.query)}</Tab>}
          </TabList>
          {drafts.map((d) => (
            <TabPanel key={d.id} id={d.id} className="hidden" />
          ))}
        </Tabs>
        <Button look="quiet" small icon={icons.Plus} label={texts.newTab} onPress={() => add()} />
        <Button look="quiet" small icon={icons.X} label={texts.closeTab} onPress={close} />
      </div>
      <div className="toolbar" role="group" aria-label={texts.tools}>
        <Button
          look="primary"
          icon={icons.Play}
          isPending={runner.running}
          onPress={run}
          aria-keyshortcuts="Control+Enter"
        >
          {texts.run} <kbd>Ctrl Enter</kbd>
        </Button>
        {operations.length > 1 && (
          <select
            aria-label={texts.operation}
            value={operation?.name ?? ""}
            onChange={(e) => setWanted(e.target.value)}
          >
            {operations.map((o) => (
              <option key={o.from} value={o.name ?? ""}>
                {o.name ?? o.kind}
              </option>
            ))}
          </select>
        )}
        <Button
          look="quiet"
          icon={icons.Square}
          label={texts.stop}
          onPress={runner.stop}
          isDisabled={!runner.running}
        />
        <span className="divider" />
        {session?.admin && (
          <Button
            look="quiet"
            icon={icons.ScanSearch}
            isPending={runner.running}
            isDisabled={operation?.kind === "mutation"}
            onPress={() => runner.explain(draft, as, operation?.name)}
          >
            {texts.explain}
          </Button>
        )}
        <Button look="quiet" icon={icons.AlignLeft} onPress={prettify} aria-keyshortcuts="Control+Shift+P">
          {texts.prettify}
        </Button>
        <Button
          look="quiet"
          icon={icons.Merge}
          label={texts.inlineFragments}
          onPress={merge}
          aria-keyshortcuts="Control+Shift+M"
        />
        {session?.admin && (
          <Button look="quiet" icon={icons.Save} onPress={() => setDialog("save")}>
            {texts.save}
          </Button>
        )}
        <Copy look="quiet" icon={icons.Link} texts={{ [texts.copyLink]: () => linkTo(draft) }} />
        <Button look="quiet" icon={icons.Keyboard} label={texts.shortcuts} onPress={() => setDialog("keys")} />
        <span className="hint" role="status">
          {runner.running ? `${texts.running} ${heardText(latest)}` : heardText(latest)}
        </span>
        <div className="push row">
          <Past past={before} as={as} setAs={setAs} />
        </div>
      </div>
      {schema.data && session?.admin && !as.role && !hasQueries(schema.data) && (
        <Empty
          action={
            <Link className="button primary" to="/data" search={{ view: "connect" }}>
              {texts.connect}
            </Link>
          }
        >
          {texts.nothingYet}
        </Empty>
      )}
      {problem !== undefined && <Failure error={problem} />}
      <Group className="columns" defaultLayout={widths} onLayoutChanged={setWidths}>
        <Panel id="request" className="pane" defaultSize="38%" minSize="15%">
          <Request
            draft={draft}
            edit={edit}
            operation={operation}
            schema={schema.data}
            as={as}
            setAs={setAs}
            past={past}
            setPast={setPast}
            open={(r) => add({ query: r.query, variables: r.variables })}
            onCursor={look}
            chosen={place}
            mistakes={mistakes}
            run={run}
            prettify={prettify}
            merge={merge}
            document={(type, field) => {
              setLooked({ type, field });
              setSide("docs");
            }}
          />
        </Panel>
        <Separator className="separator" aria-label="Width of the operation" />
        <Panel id="result" className="pane" defaultSize="36%" minSize="15%">
          <Answer
            runner={runner}
            placeOf={(e) => (latest?.query === draft.query ? placeOf(draft.query, operation?.name, e) : undefined)}
            go={(p) => setPlace({ ...p })}
          />
        </Panel>
        <Separator className="separator" aria-label="Width of the result" />
        <Panel id="side" className="pane" defaultSize="26%" minSize="12%">
          <div className="column side">
            <Tabs selectedKey={side} onSelectionChange={(k) => setSide(String(k))}>
              <TabList aria-label="Schema">
                <Tab id="explorer">Explorer</Tab>
                <Tab id="docs">Documentation</Tab>
              </TabList>
              <TabPanel id="explorer">
                {schema.data && (
                  <Explorer
                    schema={schema.data}
                    query={draft.query}
                    operationName={operation?.name}
                    change={(query, name) => {
                      edit({ query });
                      if (name) setWanted(name);
                    }}
                  />
                )}
              </TabPanel>
              <TabPanel id="docs">
                {schema.data && <Docs key={as.role} schema={schema.data} looked={looked} />}
              </TabPanel>
            </Tabs>
            {schema.isPending && <Loading what="the schema" />}
            {schema.isLoadingError && <Failure error={schema.error} retry={() => void schema.refetch()} />}
          </div>
        </Panel>
      </Group>
      {dialog === "save" && (
        <Suspense fallback={<Loading what="the collections" />}>
          <Save draft={draft} as={as} close={() => setDialog(undefined)} />
        </Suspense>
      )}
      {dialog === "keys" && <Keys close={() => setDialog(undefined)} />}
    </div>
  );
}
