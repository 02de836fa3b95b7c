import { Link, type LinkProps } from "@tanstack/react-router";
import type { Status } from "../../../lib/http/types";
import { failing, rate, time } from "../model/status";
import { duration } from "../model/duration";

/** expected are the services that every installation has. */
const expected = ["gateway", "metadata", "query-executor", "event-delivery", "scheduler"];

/** late is how long an event may wait until that stands out, in s. */
const late = 30;
/** remembered is how long an instance that is gone stands out, in s. */
const remembered = 300;

/** watched is for how long operations and connections are looked at, in s. */
const watched = 300;
/** An operation stands out that has failed often enough: that often, and so large a part of at least so many. */
const failures = { count: 20, part: 0.05 };
/** refused is how many attempts to connect to a source have to fail within that time until that stands out. */
const refused = 3;
/** listed is how many operations that fail are named, and how many triggers whose events wait. */
const listed = 5;

/** Problem is something that is wrong, in words, and where there is more about it. */
interface Problem {
  text: string;
  link?: { name: string } & Pick<LinkProps, "to" | "search" | "hash">;
}

/** problemsOf are what is wrong by the newest of the answers, the gravest first. */
export function problemsOf(past: Status[], now: Status): Problem[] {
  const found: Problem[] = [];
  const add = (text: string, link?: Problem["link"]) => found.push({ text, link });
  const services = { name: "The services", hash: "services" };
  for (const service of expected) {
    if (!now.instances.some((i) => i.service === service)) add(`No ${service} is running.`);
  }
  for (const i of now.instances) {
    const name = `${i.service} ${i.instance}`;
    if (!i.responding) add(`${name} does not answer.`, services);
    else if (!i.healthy) add(`${name} is not healthy: ${i.error}`, services);
    if (i.metadata_version < now.metadata_version)
      add(`${name} is ${now.metadata_version - i.metadata_version} behind the metadata.`, services);
  }
  for (const text of gone(past, now)) add(text);
  const before = past.find((s) => time(now) - time(s) <= watched);
  for (const s of now.sources) {
    const link = { name: "The source", to: "/data", search: { source: s.name, view: "sources" } } as const;
    const health = (s.health as { status: string; error?: { message?: string } } | null) ?? { status: "OK" };
    const failed = before
      ? Math.round(
          rate(before, now, "engine_postgres_connection_error_total", { source_name: s.name }) *
            (time(now) - time(before)),
        )
      : 0;
    if (s.inconsistent) add(`Source ${s.name} can't be used: ${s.inconsistent}`, link);
    else if (s.unreachable) add(`Source ${s.name} can't be reached: ${s.unreachable}`, link);
    else if (health.status !== "OK") add(`Source ${s.name}: the health check says ${health.status}.`, link);
    else if (failed >= refused)
      add(
        `Source ${s.name}: ${failed.toLocaleString("en")} attempts to connect have failed in the last ${duration(time(now) - time(before!))}.`,
        link,
      );
    if (s.backlog_error) add(`The events of ${s.name} can't be counted: ${s.backlog_error}`, link);
  }
  if (before) failed(before, now).forEach((text) => add(text, { name: "The operations", hash: "operations" }));
  if (now.backlog_error) add(`Scheduled events can't be counted: ${now.backlog_error}`);
  const age = (b: Status["backlogs"][number]) => time(now) - new Date(b.oldest).getTime() / 1000;
  const waiting = now.backlogs.filter((b) => !b.paused && age(b) >= late).sort((a, b) => age(b) - age(a));
  for (const b of waiting.slice(0, listed)) {
    const of = b.kind === "event" ? `of ${b.trigger}` : b.kind === "cron" ? "of cron triggers" : "that are one-off";
    const search =
      b.kind === "event"
        ? { kind: "triggers", source: b.source, name: b.trigger }
        : { kind: b.kind === "cron" ? "cron" : "once" };
    add(`Events ${of} wait: ${(b.pending + b.in_flight).toLocaleString("en")}, the oldest for ${duration(age(b))}.`, {
      name: b.kind === "event" ? "The trigger" : "The events",
      to: "/events",
      search,
    });
  }
  if (waiting.length > listed)
    add(`Events of ${waiting.length - listed} more triggers wait.`, {
      name: "All events to deliver",
      hash: "backlogs",
    });
  return found;
}

/** failed are the operations that fail much, the most often first. */
function failed(before: Status, now: Status): string[] {
  const found = failing(before, now)
    .filter((o) => o.count >= failures.count && o.errors >= failures.part * o.count)
    .sort((a, b) => b.errors - a.errors);
  const span = duration(time(now) - time(before));
  const texts = found.slice(0, listed).map((o) => {
    const name = o.operation_name
      ? `The ${o.operation_type} ${o.operation_name}`
      : o.role
        ? `A ${o.operation_type} without a name`
        : "Other operations";
    return `${name}${o.role && ` of ${o.role}`} failed ${o.errors.toLocaleString("en")} of ${o.count.toLocaleString("en")} times (${Math.round((100 * o.errors) / o.count)} %) in the last ${span}.`;
  });
  return found.length > listed ? [...texts, `${found.length - listed} more operations fail much.`] : texts;
}

/** gone are the instances that earlier answers have, and the newest has not. */
function gone(past: Status[], now: Status): string[] {
  const there = new Set(now.instances.map((i) => `${i.service} ${i.instance}`));
  const last = new Map<string, Status>();
  for (const s of past) {
    if (time(now) - time(s) > remembered) continue;
    for (const i of s.instances) last.set(`${i.service} ${i.instance}`, s);
  }
  return [...last]
    .filter(([name]) => !there.has(name))
    .map(([name, s]) => `${name} is gone; it was there at ${new Date(s.at).toLocaleTimeString()}.`);
}

/** Problems says at the top of the page what is wrong, or that nothing is. */
export function Problems(props: { past: Status[]; status: Status }) {
  const found = problemsOf(props.past, props.status);
  return (
    <section className="panel" aria-label="Problems">
      {found.length === 0 ? (
        <p className="good">
          All services answer and have the metadata in force, the sources that are checked are well, and no event is
          late.
        </p>
      ) : (
        <ul className="removed">
          {found.map(({ text, link }) => (
            <li key={text}>
              {text}{" "}
              {link && (
                <Link to={link.to ?? "/monitoring"} search={link.search as never} hash={link.hash}>
                  {link.name}
                </Link>
              )}
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}
