import { Cron } from "croner";
import cronstrue from "cronstrue";

/** upcoming is how many of the next times are told. */
const upcoming = 3;

/**
 * aboutSchedule says in words when a schedule fires, and the next times, in UTC; undefined for what the server would
 * refuse.
 */
export function aboutSchedule(part: unknown): string | undefined {
  const text = typeof part === "string" ? part.trim() : "";
  if (!/^[\d*/,-]+( +[\d*/,-]+){4}$/.test(text)) return undefined; // no seconds, names or time zones
  try {
    const words = cronstrue.toString(text, { use24HourTimeFormat: true });
    const times = new Cron(text, { timezone: "Etc/UTC", domAndDow: false })
      .nextRuns(upcoming)
      .map((t) => t.toISOString().slice(0, 16).replace("T", " "));
    return `${words}, in UTC. ${times.length > 0 ? `Next: ${times.join(", ")}.` : "That never comes."}`;
  } catch {
    return undefined;
  }
}
