import { lazy, Suspense, useEffect, useMemo, useState, type ReactNode } from "react";
import { useQuery } from "@tanstack/react-query";
import { ToggleButton } from "react-aria-components";
import type { Status } from "../../api/types";
import { useServer } from "../../session";
import { Failure } from "../../shell/failure";
import { Grid } from "../../shell/grid";
import { Loading } from "../../shell/progress";
import { count, operations, quantile, rate, sum, taken, time } from "./figures";

const Plot = lazy(() => import("../../shell/plot"));

/** pause is between two looks at the server, in ms; a server that fails is given longer. */
const pause = 5000;
const longPause = 15_000;
/** kept is how many answers are plotted: half an hour. */
const kept = 360;

/** MonitoringPage has how the services are, with plots of the time since it was opened. Nobody is asked while it can't be seen. */
export function MonitoringPage() {
  const server = useServer();
  const [paused, setPaused] = useState(false);
  const [past, setPast] = useState<Status[]>([]);
  const found = useQuery({
    queryKey: ["status"],
    queryFn: ({ signal }) => server.metadata<Status, "get_status">("get_status", {}, signal),
    refetchInterval: (query) => (paused ? false : query.state.status === "error" ? longPause : pause),
    refetchOnWindowFocus: () => !paused,
    staleTime: 0,
    meta: { quiet: true },
  });
  const { data } = found;
  useEffect(() => {
    if (data) setPast((list) => (list.at(-1)?.at === data.at ? list : [...list, data].slice(-kept)));
  }, [data]);
  return (
    <div className="page">
      <div className="row">
        <h1>Monitoring</h1>
        <ToggleButton className="button" isSelected={paused} onChange={setPaused}>Pause</ToggleButton>
        <span className="hint">{data && `${paused ? "Paused. " : ""}As of ${new Date(data.at).toLocaleTimeString()}`}</span>
      </div>
      {found.error && <Failure error={found.error} retry={() => void found.refetch()} />}
      {found.isPending && <Loading what="the status" />}
      {data && (
        <>
          <Services status={data} />
          <Plots past={past} />
          <Operations status={data} />
          <Events status={data} />
          <Sources status={data} />
          <Subscriptions status={data} />
        </>
      )}
    </div>
  );
}

function Section(props: { title: string; children: ReactNode }) {
  return (
    <section className="panel" aria-label={props.title}>
      <h2>{props.title}</h2>
      {props.children}
    </section>
  );
}

function Services(props: { status: Status }) {
  const { instances, metadata_version: newest } = props.status;
  return (
    <Section title="Services">
      <Grid
        label="Instances"
        columns={["Service", "Instance", "Health", "Metadata version", "Program", "Up for", "Requests in progress"]}
        rows={instances.map((i) => [
          i.service,
          i.instance,
          !i.responding ? <strong className="removed">does not answer</strong> : i.healthy ? <span className="good">healthy</span> : <span className="removed">{i.error}</span>,
          i.metadata_version < newest ? <strong className="removed">{i.metadata_version}, {newest - i.metadata_version} behind</strong> : `${i.metadata_version}`,
          i.version,
          duration(i.uptime_seconds),
          `${sum({ ...props.status, instances: [i] }, "engine_bus_requests_in_progress")}`,
        ])}
      />
    </Section>
  );
}

function duration(seconds: number): string {
  if (seconds < 120) return `${Math.round(seconds)} s`;
  if (seconds < 7200) return `${Math.round(seconds / 60)} min`;
  return seconds < 172_800 ? `${Math.round(seconds / 3600)} h` : `${Math.round(seconds / 86_400)} days`;
}

function Plots(props: { past: Status[] }) {
  const { past } = props;
  const plots = useMemo(() => drawn(past), [past]);
  if (past.length < 2) return <p className="hint" role="status">The plots begin with the second look at the server, in a few seconds.</p>;
  return (
    <Suspense fallback={<Loading what="the plots" />}>
      <div className="plots">
        {plots.map((p) => (
          <Plot key={p.label} label={p.label} times={p.times} series={p.series.map(([label, color, values]) => ({ label, color, values }))} />
        ))}
      </div>
    </Suspense>
  );
}

type Line = [label: string, color: string, values: (number | null)[]];

/** drawn are the plots of a list of answers. */
function drawn(past: Status[]): { label: string; times: number[]; series: Line[] }[] {
  // Of the first answer there is nothing to take a difference from.
  const between = <T,>(of: (before: Status, after: Status) => T) => past.map((s, i) => (i === 0 ? null : of(past[i - 1]!, s)));
  const rates = (name: string, labels?: Record<string, string>) => between((a, b) => round(rate(a, b, name, labels)));
  const backlog = (of: "pending" | "in_flight") => past.map((s) => s.backlogs.reduce((n, b) => n + b[of], 0));
  const sums = (name: string) => past.map((s) => sum(s, name));
  const latencies = between(taken);
  const within = (part: number) => latencies.map((buckets, i) => (buckets ? round(quantile(buckets, past[i]!.operation_bounds, part)) : null));
  const times = past.map(time);
  return [
    { label: "Operations per second", times, series: [["all", "--accent", rates("engine_graphql_requests_total")], ["failed", "--bad", rates("engine_graphql_requests_total", { response_status: "failed" })]] },
    { label: "Time of operations in ms", times, series: [["half within", "--accent", within(0.5)], ["95 % within", "--good", within(0.95)], ["99 % within", "--bad", within(0.99)]] },
    { label: "Subscriptions", times, series: [["subscribers", "--accent", sums("engine_active_subscriptions")], ["statements", "--good", sums("engine_active_subscription_pollers")]] },
    { label: "Connections", times, series: [["HTTP", "--accent", sums("engine_http_connections")], ["WebSockets", "--good", sums("engine_websocket_connections")], ["sources", "--text", sums("engine_postgres_connections")]] },
    { label: "Events to deliver", times, series: [["pending", "--accent", backlog("pending")], ["in flight", "--good", backlog("in_flight")]] },
    { label: "Calls of event triggers per second", times, series: [["all", "--accent", rates("engine_event_invocations_total")], ["failed", "--bad", rates("engine_event_invocations_total", { status: "failed" })]] },
  ];
}

function round(value: number | null): number | null {
  return value === null ? null : Number(value.toPrecision(3));
}

function Operations(props: { status: Status }) {
  const { status } = props;
  const list = useMemo(() => operations(status), [status]);
  const ms = (value: number | null) => (value === null ? "" : `${round(value)} ms`);
  return (
    <Section title="Operations by role">
      <p className="hint">Those that were run most often since the executors were started. Times are of those that failed, too.</p>
      <Grid
        label="Operations"
        columns={["Operation", "Role", "Type", "Count", "Failed", "Mean", "Half within", "95 % within", "99 % within"]}
        rows={list.map((o) => [
          o.operation_name || (o.role ? "(without a name)" : "(others)"),
          o.role || "(all)",
          o.operation_type,
          `${o.count}`,
          o.errors > 0 ? <span className="removed">{o.errors}</span> : "0",
          ms(1000 * o.seconds / Math.max(1, o.count)),
          ...[0.5, 0.95, 0.99].map((part) => ms(quantile(o.buckets, status.operation_bounds, part))),
        ])}
      />
    </Section>
  );
}

function Sources(props: { status: Status }) {
  const { status } = props;
  return (
    <Section title="Sources">
      <Grid
        label="Sources"
        columns={["Source", "Kind", "Health", "Connections", "Failed to connect", "Mean wait for a connection", "Events taken", "Lag of the log"]}
        rows={status.sources.map((s) => {
          const of = { source_name: s.name };
          const waits = count(status, "engine_postgres_pool_wait_time", of);
          const failed = sum(status, "engine_postgres_connection_error_total", of);
          const health = s.health as { status: string } | null;
          return [
            s.name,
            s.kind,
            s.inconsistent ? <span className="removed">{s.inconsistent}</span> : health === null ? "not checked" : health.status === "OK" ? <span className="good">OK</span> : <span className="removed">{health.status}</span>,
            `${sum(status, "engine_postgres_connections", of)}`,
            failed > 0 ? <span className="removed">{failed}</span> : "0",
            waits ? `${round(1000 * sum(status, "engine_postgres_pool_wait_time", of) / waits)} ms` : "",
            `${sum(status, "engine_events_fetched_total", of)}`,
            `${round(sum(status, "engine_events_log_lag_seconds", of))} s`,
          ];
        })}
      />
    </Section>
  );
}

/** eventKinds are the kinds of backlogs. */
const eventKinds: Record<string, string> = { event: "event trigger", cron: "cron triggers", one_off: "one-off events" };

function Events(props: { status: Status }) {
  const { status } = props;
  const broken = status.sources.filter((s) => s.backlog_error);
  return (
    <Section title="Events to deliver">
      {broken.map((s) => <p key={s.name} className="removed">{s.name}: {s.backlog_error}</p>)}
      {status.backlogs.length === 0 && <p className="good">Nothing waits.</p>}
      {status.backlogs.length > 0 && (
        <Grid
          label="Events to deliver"
          columns={["Of", "Source", "Trigger", "Pending", "In flight", "The oldest waits for"]}
          rows={status.backlogs.map((b) => [
            eventKinds[b.kind] ?? b.kind, b.source ?? "", b.trigger ?? "", `${b.pending}`, `${b.in_flight}`,
            duration(Math.max(0, time(status) - new Date(b.oldest).getTime() / 1000)),
          ])}
        />
      )}
    </Section>
  );
}

/** subscriptionKinds are the values of the label of metrics. */
const subscriptionKinds = ["live-query", "streaming", "remote"];

function Subscriptions(props: { status: Status }) {
  const { status } = props;
  return (
    <Section title="Subscriptions">
      <Grid
        label="Subscriptions"
        columns={["Kind", "Subscribers", "Statements", "Statements that fail", "Mean time of a run"]}
        rows={subscriptionKinds.map((kind) => {
          const of = { subscription_kind: kind };
          const runs = count(status, "engine_subscription_total_time_seconds", of);
          const failing = sum(status, "engine_active_subscription_pollers_in_error_state", of);
          return [
            kind,
            `${sum(status, "engine_active_subscriptions", of)}`,
            `${sum(status, "engine_active_subscription_pollers", of)}`,
            failing > 0 ? <span className="removed">{failing}</span> : "0",
            runs ? `${round(1000 * sum(status, "engine_subscription_total_time_seconds", of) / runs)} ms` : "",
          ];
        })}
      />
    </Section>
  );
}
