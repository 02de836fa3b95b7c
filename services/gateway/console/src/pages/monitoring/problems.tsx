import type { Status } from "../../api/types";
import { time } from "../../api/status";
import { duration } from "./duration";

/** expected are the services that every installation has. */
const expected = ["gateway", "metadata", "query-executor", "event-delivery", "scheduler"];

/** late is how long an event may wait until that stands out, in s. */
const late = 30;
/** remembered is how long an instance that is gone stands out, in s. */
const remembered = 300;

/** problemsOf are what is wrong by the newest of the answers, in words, the gravest first. */
export function problemsOf(past: Status[], now: Status): string[] {
  const found: string[] = [];
  for (const service of expected) {
    if (!now.instances.some((i) => i.service === service)) found.push(`No ${service} is running.`);
  }
  for (const i of now.instances) {
    const name = `${i.service} ${i.instance}`;
    if (!i.responding) found.push(`${name} does not answer.`);
    else if (!i.healthy) found.push(`${name} is not healthy: ${i.error}`);
    if (i.metadata_version < now.metadata_version) found.push(`${name} is ${now.metadata_version - i.metadata_version} behind the metadata.`);
  }
  found.push(...gone(past, now));
  for (const s of now.sources) {
    const health = (s.health as { status: string; error?: { message?: string } } | null) ?? { status: "OK" };
    if (s.inconsistent) found.push(`Source ${s.name} can't be used: ${s.inconsistent}`);
    else if (health.status !== "OK") found.push(`Source ${s.name}: the health check says ${health.status}.`);
    if (s.backlog_error) found.push(`The events of ${s.name} can't be counted: ${s.backlog_error}`);
  }
  if (now.backlog_error) found.push(`Scheduled events can't be counted: ${now.backlog_error}`);
  for (const b of now.backlogs) {
    const age = time(now) - new Date(b.oldest).getTime() / 1000;
    if (b.paused || age < late) continue;
    const of = b.kind === "event" ? `of ${b.trigger}` : b.kind === "cron" ? "of cron triggers" : "that are one-off";
    found.push(`Events ${of} wait: ${(b.pending + b.in_flight).toLocaleString("en")}, the oldest for ${duration(age)}.`);
  }
  return found;
}

/** gone are the instances that earlier answers have, and the newest has not. */
function gone(past: Status[], now: Status): string[] {
  const there = new Set(now.instances.map((i) => `${i.service} ${i.instance}`));
  const last = new Map<string, Status>();
  for (const s of past) {
    if (time(now) - time(s) > remembered) continue;
    for (const i of s.instances) last.set(`${i.service} ${i.instance}`, s);
  }
  return [...last].filter(([name]) => !there.has(name)).map(([name, s]) => `${name} is gone; it was there at ${new Date(s.at).toLocaleTimeString()}.`);
}

/** Problems says at the top of the page what is wrong, or that nothing is. */
export function Problems(props: { past: Status[]; status: Status }) {
  const found = problemsOf(props.past, props.status);
  return (
    <section className="panel" aria-label="Problems">
      {found.length === 0
        ? <p className="good">All services answer and have the metadata in force, the sources that are checked are well, and no event is late.</p>
        : <ul className="removed">{found.map((text) => <li key={text}>{text}</li>)}</ul>}
    </section>
  );
}
