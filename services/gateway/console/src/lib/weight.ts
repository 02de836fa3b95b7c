import type { Change, DryRun } from "./http/client";

/** drops reports whether something of an object is gone afterwards: the object, or an element of one of its lists. */
export function drops(change: Change): boolean {
  return change.op === "remove" || (change.op === "change" && loses(change.before, change.after));
}

const isObject = (v: unknown): v is Record<string, unknown> => typeof v === "object" && v !== null;

/** nameOf tells the elements of lists of the metadata apart. */
function nameOf(element: unknown): string {
  if (!isObject(element)) return JSON.stringify(element);
  const { name, role, table } = element;
  return JSON.stringify(name ?? role ?? table ?? element);
}

/** loses reports whether a list has an element less, wherever it is. */
function loses(before: unknown, after: unknown): boolean {
  if (Array.isArray(before)) {
    const left = Array.isArray(after) ? after : [];
    return before.some((b) => {
      const now = left.find((a) => nameOf(a) === nameOf(b));
      return now === undefined || loses(b, now);
    });
  }
  if (!isObject(before)) return false;
  return Object.entries(before).some(([key, part]) => loses(part, isObject(after) ? after[key] : undefined));
}

/** isLight reports whether a change can be made at once, as it can be undone: it drops nothing, and all of it works. */
export function isLight(run: DryRun): boolean {
  return run.refused === undefined && run.is_consistent && !run.undelivered_events?.length && !run.changes.some(drops);
}
