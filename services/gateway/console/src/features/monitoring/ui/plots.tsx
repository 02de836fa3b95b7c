import { lazy, Suspense, useMemo, useState } from "react";
import type { Status } from "../../../lib/http/types";
import { chunk } from "../../../lib/chunk";
import { Loading } from "../../../ui/progress";
import {
  age,
  called,
  largest,
  quantile,
  rate,
  round,
  sum,
  taken,
  time,
  type TriggerKind,
  type TriggerTime,
} from "../model/status";

const Plot = lazy(chunk(() => import("../../../ui/plot")));

/** Plots draw a list of answers. */
export function Plots(props: { past: Status[] }) {
  const { past } = props;
  const [role, setRole] = useState("");
  const roles = useMemo(
    () =>
      [...new Set(past.flatMap((s) => s.instances.flatMap((i) => i.operations?.map((o) => o.role) ?? [])))]
        .filter(Boolean)
        .sort(),
    [past],
  );
  const plots = useMemo(() => drawn(past, role), [past, role]);
  if (past.length < 2)
    return (
      <p className="hint" role="status">
        The plots begin with the second look at the server, in a few seconds.
      </p>
    );
  return (
    <section className="panel" aria-label="Plots">
      <div className="row">
        <h2>Plots</h2>
        <label className="inline">
          Time of operations of
          <select value={role} onChange={(e) => setRole(e.target.value)}>
            <option value="">all roles</option>
            {roles.map((r) => (
              <option key={r}>{r}</option>
            ))}
          </select>
        </label>
      </div>
      <Suspense fallback={<Loading what="the plots" />}>
        <div className="plots">
          {plots.map((p) => (
            <Plot
              key={p.label}
              label={p.label}
              times={p.times}
              counted={p.counted}
              series={p.series.map(([label, color, values]) => ({ label, color, values }))}
            />
          ))}
        </div>
      </Suspense>
    </section>
  );
}

type Line = [label: string, color: string, values: (number | null)[]];

/** drawn are the plots of a list of answers; times of operations are those of a role, or of all. */
function drawn(past: Status[], role: string): { label: string; times: number[]; counted?: boolean; series: Line[] }[] {
  // Of the first answer there is nothing to take a difference from.
  const between = <T,>(of: (before: Status, after: Status) => T) =>
    past.map((s, i) => (i === 0 ? null : of(past[i - 1]!, s)));
  const rates = (name: string, labels?: Record<string, string>) => between((a, b) => round(rate(a, b, name, labels)));
  const backlog = (of: "pending" | "in_flight") => past.map((s) => s.backlogs.reduce((n, b) => n + b[of], 0));
  const sums = (name: string) => past.map((s) => sum(s, name));
  const latencies = between((a, b) => taken(a, b, role));
  const within = (part: number) =>
    latencies.map((buckets, i) => (buckets ? round(quantile(buckets, past[i]!.operation_bounds, part)) : null));
  const ofTriggers = (of: TriggerTime, ...kinds: TriggerKind[]): Line[] => {
    const found = between((a, b) => called(a, b, of, ...kinds));
    const parts = (part: number) => found.map((t) => (t ? round(quantile(t.buckets, t.bounds, part)) : null));
    return [
      ["50 %", "--accent", parts(0.5)],
      ["95 %", "--good", parts(0.95)],
      ["99 %", "--bad", parts(0.99)],
    ];
  };
  const scheduled = (labels?: Record<string, string>) =>
    between((a, b) =>
      round(
        rate(a, b, "engine_cron_events_invocation_total", labels) +
          rate(a, b, "engine_oneoff_events_invocation_total", labels),
      ),
    );
  const times = past.map(time);
  return [
    {
      label: "Operations per second",
      times,
      series: [
        ["all", "--accent", rates("engine_graphql_requests_total")],
        ["failed", "--bad", rates("engine_graphql_requests_total", { response_status: "failed" })],
      ],
    },
    {
      label: "Time of operations in ms",
      times,
      series: [
        ["50 %", "--accent", within(0.5)],
        ["95 %", "--good", within(0.95)],
        ["99 %", "--bad", within(0.99)],
      ],
    },
    {
      label: "Subscriptions",
      times,
      counted: true,
      series: [
        ["subscribers", "--accent", sums("engine_active_subscriptions")],
        ["cohorts", "--text", sums("engine_active_subscription_cohorts")],
        ["statements", "--good", sums("engine_active_subscription_pollers")],
      ],
    },
    {
      label: "Connections",
      times,
      counted: true,
      series: [
        ["HTTP", "--accent", sums("engine_http_connections")],
        ["WebSockets", "--good", sums("engine_websocket_connections")],
        ["sources", "--text", sums("engine_postgres_connections")],
      ],
    },
    {
      label: "Events to deliver",
      times,
      counted: true,
      series: [
        ["pending", "--accent", backlog("pending")],
        ["in flight", "--good", backlog("in_flight")],
      ],
    },
    {
      label: "Lag of events in s",
      times,
      series: [
        ["oldest event", "--accent", past.map((s) => round(age(s)))],
        ["logs", "--good", past.map((s) => round(largest(s, "engine_events_log_lag_seconds")))],
      ],
    },
    {
      label: "Calls of event triggers per second",
      times,
      series: [
        ["all", "--accent", rates("engine_event_invocations_total")],
        ["failed", "--bad", rates("engine_event_invocations_total", { status: "failed" })],
      ],
    },
    { label: "From event to delivery in ms", times, series: ofTriggers("delivery", "event") },
    { label: "Time of webhooks in ms", times, series: ofTriggers("webhook", "event") },
    {
      label: "Calls for scheduled events per second",
      times,
      series: [
        ["all", "--accent", scheduled()],
        ["failed", "--bad", scheduled({ status: "failed" })],
      ],
    },
    { label: "From due time to delivery in ms", times, series: ofTriggers("delivery", "cron", "one_off") },
    { label: "Time of webhooks of scheduled events in ms", times, series: ofTriggers("webhook", "cron", "one_off") },
  ];
}
