import { Link } from "@tanstack/react-router";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { buildClientSchema, getIntrospectionQuery, type IntrospectionQuery } from "graphql";
import { prefixOf } from "../../../../lib/http/prefix";
import type { Source } from "../../../../lib/http/types";
import { useServer } from "../../../../lib/session";
import { Button } from "../../../../ui/button";
import { Failure } from "../../../../ui/failure";
import { icons } from "../../../../ui/icons";
import { Pre } from "../../../../ui/pre";
import { Loading } from "../../../../ui/progress";
import { Title } from "../../../../ui/title";
import { firstQuery } from "../../../graphql/model/first";
import { linkTo } from "../../../graphql/model/link";
import { relationshipFor, tablesQuery, type Suggestion } from "../../api/tables";
import { schemaOf } from "../../model/tables";
import { texts } from "./texts";

/** Found is what comes after a database was connected: all of it is tracked at once, and a first query shows its rows. */
export default function Found(props: { source: Source }) {
  const { source } = props;
  const server = useServer();
  const client = useQueryClient();
  const tables = useQuery(tablesQuery(server, source));
  const prefix = prefixOf(source.kind);
  const suggested = useQuery({
    queryKey: ["metadata", "suggestions", source.name, "all"],
    enabled: tables.isSuccess,
    queryFn: ({ signal }) =>
      server.ofSource<{ relationships: Suggestion[] }, "suggest_relationships">(
        source.kind,
        "suggest_relationships",
        { source: source.name, tables: tables.data!, omit_tracked: true },
        signal,
      ),
  });
  const relationships = suggested.data?.relationships ?? [];
  const track = useMutation({
    mutationFn: async () => {
      await server.change({
        type: `${prefix}_track_tables`,
        args: { tables: tables.data!.map((table) => ({ source: source.name, table })) },
      });
      if (relationships.length > 0)
        await server.change({
          type: "bulk_keep_going",
          args: relationships.map((s) => relationshipFor(prefix, source.name, s)),
        });
    },
    onSettled: () => client.invalidateQueries(),
  });
  const failure = tables.error ?? suggested.error ?? track.error;
  const tracked = source.tables.length > 0;
  return (
    <>
      <Title name="Data" />
      <div className="welcome">
        {tables.isPending || (!tracked && suggested.isPending && !suggested.error) ? (
          <Loading what={texts.looking} />
        ) : tracked && !track.isPending ? (
          <First source={source} />
        ) : (
          <>
            <h2>
              {tables.data?.length === 0
                ? texts.foundNone
                : texts.found(tables.data?.length ?? 0, relationships.length)}
            </h2>
            <p className="hint">{texts.foundAbout}</p>
            <div className="row">
              {tables.data?.length === 0 ? (
                <Link className="button primary" to="/data" search={{ source: source.name, view: "new" }}>
                  {texts.createTable}
                </Link>
              ) : (
                <Button look="primary" isPending={track.isPending} onPress={() => track.mutate()}>
                  {texts.trackAll}
                </Button>
              )}
              <Link className="button" to="/data" search={{ source: source.name }}>
                {texts.choose}
              </Link>
            </div>
          </>
        )}
        {failure && (
          <Failure error={failure} retry={() => void (tables.error ? tables.refetch() : suggested.refetch())} />
        )}
      </div>
    </>
  );
}

/** First is a first query over the tables, with its answer, and where to go from there. */
function First(props: { source: Source }) {
  const { source } = props;
  const server = useServer();
  const first = useQuery({
    queryKey: ["metadata", "first query", source.name],
    queryFn: async ({ signal }) => {
      const answer = await server.graphql({ query: getIntrospectionQuery() }, {}, signal);
      const query = firstQuery(buildClientSchema(answer.data as IntrospectionQuery));
      const { data } = await server.graphql({ query }, {}, signal);
      return { query, answer: JSON.stringify({ data }, null, 2) };
    },
  });
  const [table] = source.tables;
  return (
    <>
      <h2>{texts.works}</h2>
      <p className="hint">{texts.worksAbout}</p>
      {first.isPending && <Loading what={texts.looking} />}
      {first.error && <Failure error={first.error} retry={() => void first.refetch()} />}
      {first.data && (
        <div className="halves">
          <Pre className="block" label={texts.queryLabel}>
            {first.data.query}
          </Pre>
          <Pre className="block" label={texts.resultLabel}>
            {first.data.answer}
          </Pre>
        </div>
      )}
      <div className="row">
        {first.data && (
          <Link
            className="button primary"
            to="/api"
            hash={new URL(linkTo({ id: "", query: first.data.query, variables: "" })).hash.slice(1)}
          >
            {texts.openQuery}
          </Link>
        )}
        {table && (
          <Link
            className="button"
            to="/data"
            search={{ source: source.name, schema: schemaOf(table.table), table: table.table.name }}
          >
            <icons.Table size={16} aria-hidden className="icon" /> {texts.browse}
          </Link>
        )}
        {table && (
          <Link
            className="button"
            to="/data"
            search={{
              source: source.name,
              schema: schemaOf(table.table),
              table: table.table.name,
              tab: "permissions",
            }}
          >
            <icons.ShieldCheck size={16} aria-hidden className="icon" /> {texts.whoMaySee}
          </Link>
        )}
      </div>
    </>
  );
}
