import { lazy, Suspense } from "react";
import { getRouteApi, Link } from "@tanstack/react-router";
import { useQuery } from "@tanstack/react-query";
import { Tab, TabList, TabPanel, Tabs } from "react-aria-components";
import { hasFunctions, kinds } from "../model/kinds";
import { exportQuery } from "../../metadata/api/queries";
import { canAlter } from "../../../lib/sql/text";
import { keyOf, nameIn, schemaOf } from "../model/tables";
import type { MetadataDocument, Source } from "../../../lib/http/types";
import { chunk } from "../../../lib/chunk";
import type { TableSearch } from "../../../lib/search";
import { useServer } from "../../../lib/session";
import { Failure } from "../../../ui/failure";
import { Loading } from "../../../ui/progress";
import { SourcePicker } from "../../../ui/sources";
import { Functions } from "./functions";
import { Health } from "./sources/health";
import { Suggestions } from "./suggestions";
import { TableView, UntrackedView } from "./table";
import { Tables } from "./tables";
import { icons } from "../../../ui/icons";
import { texts } from "./texts";
import { Button } from "../../../ui/button";
import { Crumb, Title } from "../../../ui/title";

const NewTable = lazy(chunk(() => import("./alter/newtable")));
const FunctionView = lazy(chunk(() => import("./function")));
const NativeQueries = lazy(chunk(() => import("./queries")));
const Sources = lazy(chunk(() => import("./sources/page")));
const Connect = lazy(chunk(() => import("./sources/connect")));
const Found = lazy(chunk(() => import("./sources/found")));

const route = getRouteApi("/data");

/** DataPage has the tables and functions of a source: tracked or not, their relationships, and their rows. */
export function DataPage() {
  const server = useServer();
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const metadata = useQuery(exportQuery(server));
  if (metadata.isPending)
    return (
      <>
        <Title name="Data" />
        <Loading what="the sources" />
      </>
    );
  if (metadata.isLoadingError)
    return (
      <>
        <Title name="Data" />
        <Failure error={metadata.error} retry={() => void metadata.refetch()} />
      </>
    );
  const sources = metadata.data.metadata.sources;
  const source = sources.find((s) => s.name === search.source) ?? sources[0];
  const open = (s: TableSearch) => void navigate({ search: { source: source?.name, ...s } });
  // Another part of the same table is no place to go back to; its rows stay as they were filtered.
  const part = (s: TableSearch) =>
    void navigate({ search: { source: source?.name, ...s }, replace: true, hash: (h) => h ?? "" });
  if (search.view === "connect" || (!source && search.view !== "sources"))
    return (
      <Suspense fallback={<Loading what="the form" />}>
        <Connect
          names={sources.map((s) => s.name)}
          done={(name) => void navigate({ search: { source: name, view: "found" } })}
        />
      </Suspense>
    );
  if (search.view === "found" && source)
    return (
      <Suspense fallback={<Loading what="the tables" />}>
        <Found key={source.name} source={source} />
      </Suspense>
    );
  if (!source || search.view === "sources" || !kinds.includes(source.kind)) {
    return (
      <div className="page">
        <Title name="Data">
          {source && kinds.includes(source.kind) && (
            <Crumb>
              <Link to="/data" search={{ source: source.name }}>
                {source.name}
              </Link>
            </Crumb>
          )}
          <Crumb>
            <strong>{texts.databases}</strong>
          </Crumb>
        </Title>
        <Suspense fallback={<Loading what="the databases" />}>
          <Sources
            sources={sources}
            name={search.source}
            shown={sources.find((s) => s.name === search.source)}
            open={(name) => void navigate({ search: { source: name, view: "sources" } })}
          />
        </Suspense>
      </div>
    );
  }
  const opened = search.table ?? search.function ?? search.view;
  return (
    <div className="page">
      <Title name="Data">
        <Crumb>
          <SourcePicker
            sources={sources}
            value={source.name}
            onChange={(name) => void navigate({ search: { source: name } })}
          />
          <Button look="quiet" small icon={icons.Settings} onPress={() => open({ view: "sources" })}>
            <span className="label">{texts.databases}</span>
          </Button>
        </Crumb>
        <Health source={source} />
      </Title>
      {opened && (
        <Button look="quiet" className="only-narrow" icon={icons.ChevronLeft} onPress={() => open({})}>
          {texts.back}
        </Button>
      )}
      <div className="split" data-opened={opened}>
        <Lists key={source.name} source={source} search={search} open={open} />
        <Opened document={metadata.data.metadata} source={source} search={search} open={open} part={part} />
      </div>
    </div>
  );
}

/** Lists are what the source has, by kinds of objects. */
function Lists(props: { source: Source; search: TableSearch; open: (s: TableSearch) => void }) {
  const { source, search, open } = props;
  const named = (name: string | undefined) => (name === undefined ? undefined : nameIn(source, search.schema, name));
  return (
    <section className="panel" aria-label="What the source has">
      <div className="row">
        {canAlter(source.kind) && (
          <Button small icon={icons.Plus} aria-pressed={search.view === "new"} onPress={() => open({ view: "new" })}>
            {texts.createTable}
          </Button>
        )}
        <Button look="quiet" small aria-pressed={search.view === "queries"} onPress={() => open({ view: "queries" })}>
          {texts.nativeQueries}
        </Button>
      </div>
      <Tabs defaultSelectedKey={search.function === undefined ? "tables" : "functions"}>
        <TabList aria-label="Kinds of objects">
          <Tab id="tables">Tables</Tab>
          {hasFunctions(source.kind) && <Tab id="functions">Functions</Tab>}
          <Tab id="suggestions">{texts.suggestions}</Tab>
        </TabList>
        <TabPanel id="tables" className="page">
          <Tables
            source={source}
            current={named(search.table)}
            open={(t) => open({ schema: schemaOf(t), table: t.name })}
          />
        </TabPanel>
        {hasFunctions(source.kind) && (
          <TabPanel id="functions" className="page">
            <Functions
              source={source}
              current={named(search.function)}
              open={(f) => open({ schema: schemaOf(f), function: f.name })}
            />
          </TabPanel>
        )}
        <TabPanel id="suggestions">
          <Suggestions source={source} />
        </TabPanel>
      </Tabs>
    </section>
  );
}

/** Opened is what the address names. */
function Opened(props: {
  document: MetadataDocument;
  source: Source;
  search: TableSearch;
  open: (s: TableSearch) => void;
  part: (s: TableSearch) => void;
}) {
  const { document, source, search, open, part } = props;
  if (search.function !== undefined) {
    const name = nameIn(source, search.schema, search.function);
    return (
      <section className="panel" aria-label="Function">
        <Suspense fallback={<Loading what="the function" />}>
          <FunctionView key={keyOf(name)} document={document} source={source} name={name} />
        </Suspense>
      </section>
    );
  }
  if (search.view === "queries") {
    return (
      <section className="panel" aria-label="Native queries">
        <Suspense fallback={<Loading what="the queries" />}>
          <NativeQueries key={source.name} source={source} />
        </Suspense>
      </section>
    );
  }
  if (search.view === "new" && canAlter(source.kind)) {
    return (
      <section className="panel" aria-label="New table">
        <Suspense fallback={<Loading what="the form" />}>
          <NewTable key={source.name} source={source} close={() => open({})} />
        </Suspense>
      </section>
    );
  }
  const tracked = source.tables.find((t) => t.table.name === search.table && schemaOf(t.table) === search.schema);
  return (
    <section className="panel" aria-label="Table">
      {tracked && (
        <TableView
          key={keyOf(tracked.table)}
          document={document}
          source={source}
          table={tracked}
          tab={search.tab}
          role={search.role}
          open={(s) => part({ schema: schemaOf(tracked.table), table: tracked.table.name, ...s })}
        />
      )}
      {!tracked && search.table !== undefined && (
        <UntrackedView key={search.table} source={source} table={nameIn(source, search.schema, search.table)} />
      )}
      {!tracked && search.table === undefined && (
        <p className="hint">Open a table to see its rows and how it is defined.</p>
      )}
    </section>
  );
}
