import type { CleanUps, Instance, Operation, Status, Times, TriggerCalls } from "../../../lib/http/types";

/** sum adds the samples of a metric up, over all services, those with the labels given. */
export function sum(status: Status, name: string, labels: Record<string, string> = {}): number {
  return added(status.instances, name, labels, (s) => s.value);
}

/** count is how many values the histograms of a metric have observed. */
export function count(status: Status, name: string, labels: Record<string, string> = {}): number {
  return added(status.instances, name, labels, (s) => s.count ?? 0);
}

function added(
  instances: Instance[],
  name: string,
  labels: Record<string, string>,
  of: (s: Instance["metrics"][number]) => number,
): number {
  let total = 0;
  for (const i of instances) {
    for (const s of i.metrics) {
      if (s.name === name && Object.entries(labels).every(([k, v]) => s.labels?.[k] === v)) total += of(s);
    }
  }
  return total;
}

/** rate is how much a counter has grown per second between two answers, by the processes that are in both. */
export function rate(before: Status, after: Status, name: string, labels: Record<string, string> = {}): number {
  let grown = 0;
  for (const [a, b] of pairs(before, after)) {
    grown += Math.max(0, added([b], name, labels, (s) => s.value) - added([a], name, labels, (s) => s.value));
  }
  return grown / Math.max(0.001, time(after) - time(before));
}

/** time is when an answer was made, in s since 1970. */
export function time(status: Status): number {
  return new Date(status.at).getTime() / 1000;
}

/** pairs are the reports of the same run of a service, earlier and later. */
function pairs(before: Status, after: Status): [Instance, Instance][] {
  const key = (i: Instance) => `${i.service} ${i.instance} ${i.started_at}`;
  const earlier = new Map(before.instances.map((i) => [key(i), i]));
  return after.instances.flatMap((i): [Instance, Instance][] => {
    const a = earlier.get(key(i));
    return a ? [[a, i]] : [];
  });
}

/** operations are those of all executors, the most frequent first. */
export function operations(status: Status): Operation[] {
  const found = new Map<string, Operation>();
  for (const o of status.instances.flatMap((i) => i.operations ?? [])) {
    const key = JSON.stringify([o.role, o.operation_name, o.operation_type]);
    const to = found.get(key);
    found.set(
      key,
      to
        ? {
            ...to,
            count: to.count + o.count,
            errors: to.errors + o.errors,
            seconds: to.seconds + o.seconds,
            buckets: to.buckets.map((n, i) => n + (o.buckets[i] ?? 0)),
          }
        : o,
    );
  }
  return [...found.values()].sort((a, b) => b.count - a.count);
}

/** failing are operations by how often they were run and have failed between two answers. */
export function failing(
  before: Status,
  after: Status,
): (Pick<Operation, "role" | "operation_name" | "operation_type"> & { count: number; errors: number })[] {
  const key = (o: Operation) => JSON.stringify([o.role, o.operation_name, o.operation_type]);
  const found = new Map<string, ReturnType<typeof failing>[number]>();
  for (const [a, b] of pairs(before, after)) {
    const earlier = new Map(a.operations?.map((o) => [key(o), o]));
    for (const o of b.operations ?? []) {
      const old = earlier.get(key(o));
      const { role, operation_name, operation_type } = o;
      const to = found.get(key(o)) ?? { role, operation_name, operation_type, count: 0, errors: 0 };
      found.set(key(o), {
        ...to,
        count: to.count + Math.max(0, o.count - (old?.count ?? 0)),
        errors: to.errors + Math.max(0, o.errors - (old?.errors ?? 0)),
      });
    }
  }
  return [...found.values()];
}

/** taken are how many operations took how long between two answers, those of a role or of all. */
export function taken(before: Status, after: Status, role = ""): number[] {
  const all = after.operation_bounds.concat(Infinity).map(() => 0);
  for (const [a, b] of pairs(before, after)) {
    const earlier = new Map(
      a.operations?.map((o) => [JSON.stringify([o.role, o.operation_name, o.operation_type]), o]),
    );
    for (const o of b.operations ?? []) {
      if (role && o.role !== role) continue;
      const old = earlier.get(JSON.stringify([o.role, o.operation_name, o.operation_type]));
      o.buckets.forEach((n, i) => {
        all[i]! += Math.max(0, n - (old?.buckets[i] ?? 0));
      });
    }
  }
  return all;
}

/** TriggerTime is one of the times that are measured for triggers. */
export type TriggerTime = "delivery" | "queue" | "webhook";

/** TriggerKind is what calls a webhook. */
export type TriggerKind = "event" | "cron" | "one_off";

/** kindOf is that of a trigger; services of an older version tell of event triggers alone. */
const kindOf = (t: TriggerCalls) => (t.kind || "event") as TriggerKind;

const keyOf = (t: TriggerCalls) => JSON.stringify([kindOf(t), t.source, t.trigger]);

const noTimes: Times = { count: 0, seconds: 0, bounds: [], buckets: [] };

function plus(a: Times, b: Times): Times {
  const longer = b.buckets.length > a.buckets.length ? b : a;
  return {
    count: a.count + b.count,
    seconds: a.seconds + b.seconds,
    bounds: longer.bounds,
    buckets: longer.buckets.map((_, i) => (a.buckets[i] ?? 0) + (b.buckets[i] ?? 0)),
  };
}

function cleaned(a: CleanUps | undefined, b: CleanUps | undefined): CleanUps | undefined {
  if (!a || !b) return a ?? b;
  return {
    count: a.count + b.count,
    failed: a.failed + b.failed,
    events: a.events + b.events,
    invocations: a.invocations + b.invocations,
  };
}

/** triggers are those of some kinds that all instances have called, the most frequent first. */
export function triggers(status: Status, ...kinds: TriggerKind[]): TriggerCalls[] {
  const found = new Map<string, TriggerCalls>();
  for (const t of status.instances.flatMap((i) => i.triggers ?? [])) {
    if (!kinds.includes(kindOf(t))) continue;
    const key = keyOf(t);
    const to = found.get(key);
    found.set(
      key,
      to
        ? {
            ...to,
            calls: to.calls + t.calls,
            failed: to.failed + t.failed,
            delivery: plus(to.delivery, t.delivery),
            queue: plus(to.queue, t.queue),
            webhook: plus(to.webhook, t.webhook),
            cleanups: cleaned(to.cleanups, t.cleanups),
          }
        : t,
    );
  }
  return [...found.values()].sort((a, b) => b.calls - a.calls);
}

/** called are the times of triggers of some kinds between two answers. */
export function called(before: Status, after: Status, of: TriggerTime, ...kinds: TriggerKind[]): Times {
  let all = noTimes;
  for (const [a, b] of pairs(before, after)) {
    const earlier = new Map(a.triggers?.map((t) => [keyOf(t), t[of]]));
    for (const t of b.triggers ?? []) {
      if (!kinds.includes(kindOf(t))) continue;
      const old = earlier.get(keyOf(t));
      all = plus(
        all,
        old ? { ...t[of], buckets: t[of].buckets.map((n, i) => Math.max(0, n - (old.buckets[i] ?? 0))) } : t[of],
      );
    }
  }
  return all;
}

/** age is how long the oldest event waits, in s. */
export function age(status: Status): number {
  return Math.max(0, ...status.backlogs.map((b) => time(status) - new Date(b.oldest).getTime() / 1000));
}

/** largest is the largest sample of a metric. */
export function largest(status: Status, name: string): number {
  return Math.max(0, ...status.instances.flatMap((i) => i.metrics.filter((s) => s.name === name).map((s) => s.value)));
}

/** quantile is the time, in ms, within which that part of what was measured ended; null for none. */
export function quantile(buckets: number[], bounds: number[], part: number): number | null {
  const total = buckets.reduce((a, b) => a + b, 0);
  if (total === 0) return null;
  let passed = 0;
  for (const [i, n] of buckets.entries()) {
    const low = i === 0 ? 0 : bounds[i - 1]!;
    const high = bounds[i];
    if (passed + n >= part * total && n > 0) {
      // Within a bucket, times are taken to be spread evenly; of the last one only the lower bound is known.
      return 1000 * (high === undefined ? low : low + ((high - low) * (part * total - passed)) / n);
    }
    passed += n;
  }
  return null;
}

/** round keeps what of a figure can be read at a glance. */
export function round(value: number): number;
export function round(value: number | null): number | null;
export function round(value: number | null): number | null {
  return value === null ? null : Number(value.toPrecision(3));
}
