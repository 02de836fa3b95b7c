import type { Instance, Operation, Status } from "../../api/types";

/** sum adds the samples of a metric up, over all services, those with the labels given. */
export function sum(status: Status, name: string, labels: Record<string, string> = {}): number {
  return added(status.instances, name, labels, (s) => s.value);
}

/** count is how many values the histograms of a metric have observed. */
export function count(status: Status, name: string, labels: Record<string, string> = {}): number {
  return added(status.instances, name, labels, (s) => s.count ?? 0);
}

function added(instances: Instance[], name: string, labels: Record<string, string>, of: (s: Instance["metrics"][number]) => number): number {
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
    found.set(key, to ? { ...to, count: to.count + o.count, errors: to.errors + o.errors, seconds: to.seconds + o.seconds, buckets: to.buckets.map((n, i) => n + (o.buckets[i] ?? 0)) } : o);
  }
  return [...found.values()].sort((a, b) => b.count - a.count);
}

/** taken are how many operations took how long between two answers. */
export function taken(before: Status, after: Status): number[] {
  const all = after.operation_bounds.concat(Infinity).map(() => 0);
  for (const [a, b] of pairs(before, after)) {
    const earlier = new Map(a.operations?.map((o) => [JSON.stringify([o.role, o.operation_name, o.operation_type]), o]));
    for (const o of b.operations ?? []) {
      const old = earlier.get(JSON.stringify([o.role, o.operation_name, o.operation_type]));
      o.buckets.forEach((n, i) => { all[i]! += Math.max(0, n - (old?.buckets[i] ?? 0)); });
    }
  }
  return all;
}

/** quantile is the time, in ms, within which that part of the operations ended; null for none. */
export function quantile(buckets: number[], bounds: number[], part: number): number | null {
  const total = buckets.reduce((a, b) => a + b, 0);
  if (total === 0) return null;
  let passed = 0;
  for (const [i, n] of buckets.entries()) {
    const low = i === 0 ? 0 : bounds[i - 1]!;
    const high = bounds[i];
    if (passed + n >= part * total && n > 0) {
      // Within a bucket, times are taken to be spread evenly; of the last one only the lower bound is known.
      return 1000 * (high === undefined ? low : low + (high - low) * (part * total - passed) / n);
    }
    passed += n;
  }
  return null;
}
