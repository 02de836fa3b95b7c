import { useEffect, useMemo, useState, type ReactNode } from "react";
import { useQuery } from "@tanstack/react-query";
import { ToggleButton } from "react-aria-components";
import type { Status } from "../../../lib/http/types";
import { useServer } from "../../../lib/session";
import { Failure } from "../../../ui/failure";
import { Loading } from "../../../ui/progress";
import { SortedGrid, type SortedColumn } from "../../../ui/sorted";
import { count, operations, quantile, round, sum, time, triggers, type TriggerTime } from "../model/status";
import { duration } from "../model/duration";
import { Plots } from "./plots";
import { Problems } from "./problems";
import { Title } from "../../../ui/title";

/** pause is between two looks at the server, in ms; a server that fails is given longer. */
const pause = 5000;
const longPause = 15_000;
/** kept is how many answers are plotted: half an hour. */
const kept = 360;

/**
 * MonitoringPage has how the services are, with plots of the time since it was opened. Nobody is asked while it can't
 * be seen.
 */
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
        <Title name="Monitoring" />
        <ToggleButton className="button" isSelected={paused} onChange={setPaused}>
          Pause
        </ToggleButton>
        <span className="hint">
          {data && `${paused ? "Paused. " : ""}As of ${new Date(data.at).toLocaleTimeString()}`}
        </span>
      </div>
      {found.isLoadingError && <Failure error={found.error} retry={() => void found.refetch()} />}
      {found.isPending && <Loading what="the status" />}
      {data && (
        <>
          <Problems past={past} status={data} />
          <Services status={data} />
          <Plots past={past} />
          <Operations status={data} />
          <Events status={data} />
          <Triggers status={data} />
          <Sources status={data} />
          <Subscriptions status={data} />
        </>
      )}
    </div>
  );
}

function Section(props: { title: string; id?: string; children: ReactNode }) {
  return (
    <section className="panel" id={props.id} aria-label={props.title}>
      <h2>{props.title}</h2>
      {props.children}
    </section>
  );
}

/** number is a column of numbers, null for none, with a unit; those that tell of faults stand out unless they are 0. */
function number<T>(name: string, of: (item: T) => number | null, unit = "", fault = false): SortedColumn<T> {
  return {
    name,
    of,
    show: (item) => {
      const n = of(item);
      const text = n === null ? "" : `${round(n)}${unit}`;
      return fault && n ? <span className="removed">{text}</span> : text;
    },
  };
}

/** mean is that of a histogram, in ms. */
function mean(status: Status, metric: string, labels: Record<string, string>): number | null {
  const n = count(status, metric, labels);
  return n ? (1000 * sum(status, metric, labels)) / n : null;
}

type Instance = Status["instances"][number];

function Services(props: { status: Status }) {
  const { status } = props;
  const columns = useMemo((): SortedColumn<Instance>[] => {
    const newest = status.metadata_version;
    const health = (i: Instance) => (!i.responding ? "does not answer" : i.healthy ? "healthy" : i.error!);
    return [
      { name: "Service", of: (i) => i.service },
      { name: "Instance", of: (i) => i.instance },
      {
        name: "Health",
        of: health,
        show: (i) =>
          i.responding && i.healthy ? (
            <span className="good">healthy</span>
          ) : (
            <strong className="removed">{health(i)}</strong>
          ),
      },
      {
        name: "Metadata version",
        of: (i) => i.metadata_version,
        show: (i) =>
          i.metadata_version < newest ? (
            <strong className="removed">
              {i.metadata_version}, {newest - i.metadata_version} behind
            </strong>
          ) : (
            `${i.metadata_version}`
          ),
      },
      { name: "Program", of: (i) => i.version },
      { name: "Up for", of: (i) => i.uptime_seconds, show: (i) => duration(i.uptime_seconds) },
      number("Requests in progress", (i) => sum({ ...status, instances: [i] }, "engine_bus_requests_in_progress")),
    ];
  }, [status]);
  return (
    <Section title="Services" id="services">
      <SortedGrid label="Instances" items={status.instances} columns={columns} />
    </Section>
  );
}

type Operation = ReturnType<typeof operations>[number];

function Operations(props: { status: Status }) {
  const { status } = props;
  const list = useMemo(() => operations(status), [status]);
  const columns = useMemo((): SortedColumn<Operation>[] => {
    const within = (part: number) => (o: Operation) => quantile(o.buckets, status.operation_bounds, part);
    return [
      { name: "Operation", of: (o) => o.operation_name || (o.role ? "(without a name)" : "(others)") },
      { name: "Role", of: (o) => o.role || "(all)" },
      { name: "Type", of: (o) => o.operation_type },
      { name: "Count", of: (o) => o.count },
      number("Failed", (o) => o.errors, "", true),
      number("Mean", (o) => (1000 * o.seconds) / Math.max(1, o.count), " ms"),
      number("p50", within(0.5), " ms"),
      number("p95", within(0.95), " ms"),
      number("p99", within(0.99), " ms"),
    ];
  }, [status.operation_bounds]);
  return (
    <Section title="Operations by role" id="operations">
      <p className="hint">
        Those that were run most often since the executors were started. Times are of those that failed, too.
      </p>
      <SortedGrid label="Operations" items={list} columns={columns} />
    </Section>
  );
}

type Source = Status["sources"][number];

function Sources(props: { status: Status }) {
  const { status } = props;
  const columns = useMemo((): SortedColumn<Source>[] => {
    const of = (metric: string) => (s: Source) => sum(status, metric, { source_name: s.name });
    const health = (s: Source) =>
      s.inconsistent ||
      (s.unreachable && "can't be reached") ||
      ((s.health as { status: string } | null)?.status ?? "not checked");
    return [
      { name: "Source", of: (s) => s.name },
      { name: "Kind", of: (s) => s.kind },
      {
        name: "Health",
        of: health,
        show: (s) => <span className={{ OK: "good", "not checked": "hint" }[health(s)] ?? "removed"}>{health(s)}</span>,
      },
      number("Connections", of("engine_postgres_connections")),
      number("Failed to connect", of("engine_postgres_connection_error_total"), "", true),
      number(
        "Mean wait for a connection",
        (s) => mean(status, "engine_postgres_pool_wait_time", { source_name: s.name }),
        " ms",
      ),
      number("Events taken", of("engine_events_fetched_total")),
      number("Lag of the log", of("engine_events_log_lag_seconds"), " s"),
    ];
  }, [status]);
  return (
    <Section title="Sources">
      <SortedGrid label="Sources" items={status.sources} columns={columns} />
    </Section>
  );
}

/** eventKinds are the kinds of backlogs. */
const eventKinds: Record<string, string> = { event: "event trigger", cron: "cron triggers", one_off: "one-off events" };

type Backlog = Status["backlogs"][number];

function Events(props: { status: Status }) {
  const { status } = props;
  const broken = status.sources.filter((s) => s.backlog_error);
  const columns = useMemo((): SortedColumn<Backlog>[] => {
    const age = (b: Backlog) => Math.max(0, time(status) - new Date(b.oldest).getTime() / 1000);
    return [
      { name: "Of", of: (b) => (eventKinds[b.kind] ?? b.kind) + (b.paused ? ", paused" : "") },
      { name: "Source", of: (b) => b.source ?? "" },
      { name: "Trigger", of: (b) => b.trigger ?? "" },
      { name: "Pending", of: (b) => b.pending },
      { name: "In flight", of: (b) => b.in_flight },
      { name: "The oldest waits for", of: age, show: (b) => duration(age(b)) },
    ];
  }, [status]);
  return (
    <Section title="Events to deliver" id="backlogs">
      {status.backlog_error && <p className="removed">Scheduled events: {status.backlog_error}</p>}
      {broken.map((s) => (
        <p key={s.name} className="removed">
          {s.name}: {s.backlog_error}
        </p>
      ))}
      {status.backlogs.length === 0 ? (
        broken.length === 0 && !status.backlog_error && <p className="good">Nothing waits.</p>
      ) : (
        <SortedGrid label="Events to deliver" items={status.backlogs} columns={columns} />
      )}
    </Section>
  );
}

type Trigger = ReturnType<typeof triggers>[number];

/** columnsOf are those of triggers, with what tells them apart. */
const columnsOf = (...named: SortedColumn<Trigger>[]): SortedColumn<Trigger>[] => [
  ...named,
  { name: "Calls", of: (t) => t.calls },
  number("Failed", (t) => t.failed, "", true),
  ...(
    [
      ["Delivery", "delivery"],
      ["Wait for a worker", "queue"],
      ["Webhook", "webhook"],
    ] as [string, TriggerTime][]
  ).flatMap(([name, of]) =>
    [
      ["half within", 0.5],
      ["95 %", 0.95],
      ["99 %", 0.99],
    ].map(([label, part]) =>
      number<Trigger>(`${name}, ${label}`, (t) => quantile(t[of].buckets, t[of].bounds, part as number), " ms"),
    ),
  ),
];

const eventColumns = columnsOf(
  { name: "Trigger", of: (t) => t.trigger || "(all)" },
  { name: "Source", of: (t) => t.source },
);
const cleanUpColumns: SortedColumn<Trigger>[] = [
  { name: "Trigger", of: (t) => t.trigger || "(all)" },
  { name: "Source", of: (t) => t.source },
  { name: "Clean-ups", of: (t) => t.cleanups!.count },
  number("Failed", (t) => t.cleanups!.failed, "", true),
  { name: "Events removed", of: (t) => t.cleanups!.events, show: (t) => t.cleanups!.events.toLocaleString("en") },
  {
    name: "Calls removed",
    of: (t) => t.cleanups!.invocations,
    show: (t) => t.cleanups!.invocations.toLocaleString("en"),
  },
];

const scheduledColumns = columnsOf({
  name: "Trigger",
  of: (t) => (t.kind === "one_off" ? "(one-off events)" : t.trigger || "(all cron triggers)"),
});

function Triggers(props: { status: Status }) {
  const { status } = props;
  const all = useMemo(() => triggers(status, "event"), [status]);
  const changed = all.filter((t) => t.calls > 0);
  const cleaned = all.filter((t) => t.cleanups);
  const scheduled = useMemo(() => triggers(status, "cron", "one_off"), [status]);
  return (
    <>
      <Section title="Event triggers">
        <p className="hint">
          Those that were called most often since the services were started. Delivery is from an event, or its retry, to
          the answer of the webhook.
        </p>
        {changed.length === 0 ? (
          <p className="hint">No calls</p>
        ) : (
          <SortedGrid label="Event triggers" items={changed} columns={eventColumns} />
        )}
      </Section>
      {cleaned.length > 0 && (
        <Section title="Clean-ups of events">
          <p className="hint">
            What the clean-ups that triggers have planned have removed since the services were started. One that failed
            has removed a part, or nothing.
          </p>
          <SortedGrid label="Clean-ups of events" items={cleaned} columns={cleanUpColumns} />
        </Section>
      )}
      <Section title="Cron triggers and one-off events">
        <p className="hint">Delivery is from the time at which an event, or its retry, is due.</p>
        {scheduled.length === 0 ? (
          <p className="hint">No calls</p>
        ) : (
          <SortedGrid label="Cron triggers and one-off events" items={scheduled} columns={scheduledColumns} />
        )}
      </Section>
    </>
  );
}

/** subscriptionKinds are the values of the label of metrics. */
const subscriptionKinds = ["live-query", "streaming", "remote"];

function Subscriptions(props: { status: Status }) {
  const { status } = props;
  const columns = useMemo((): SortedColumn<string>[] => {
    const of = (metric: string) => (kind: string) => sum(status, metric, { subscription_kind: kind });
    return [
      { name: "Kind", of: (kind) => kind },
      number("Subscribers", of("engine_active_subscriptions")),
      number("Cohorts", of("engine_active_subscription_cohorts")),
      number("Statements", of("engine_active_subscription_pollers")),
      number("Statements that fail", of("engine_active_subscription_pollers_in_error_state"), "", true),
      number(
        "Mean time of a run",
        (kind) => mean(status, "engine_subscription_total_time_seconds", { subscription_kind: kind }),
        " ms",
      ),
    ];
  }, [status]);
  return (
    <Section title="Subscriptions">
      <p className="hint">
        Subscribers whose results are the same are a cohort; one statement is run for many cohorts.
      </p>
      <SortedGrid label="Subscriptions" items={subscriptionKinds} columns={columns} />
    </Section>
  );
}
