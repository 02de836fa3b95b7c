/** Request is one of the metadata API. */
interface Request {
  type: string;
  args: unknown;
}

/** done are the participles of what operations begin with. */
const done: Record<string, string> = {
  add: "added",
  create: "created",
  track: "tracked",
  untrack: "untracked",
  drop: "removed",
  remove: "removed",
  delete: "removed",
  set: "updated",
  update: "updated",
  replace: "replaced",
  rename: "renamed",
  clear: "reset",
  rollback: "restored",
  reload: "reloaded",
};

/** countable are operations on lists: the argument that has one, and what its objects are. */
const countable: Record<string, [string, string]> = {
  track_tables: ["tables", "table"],
  untrack_tables: ["tables", "table"],
  track_functions: ["functions", "function"],
  untrack_functions: ["functions", "function"],
};

const backend = /^(pg|mssql|bigquery|sqlite|citus|cockroach)_/;

interface Step {
  verb: string;
  what: string;
  count: number;
}

function stepOf({ type, args }: Request): Step {
  const operation = type.replace(backend, "");
  const [verb = "", ...rest] = operation.split("_");
  const list = countable[operation];
  const items = list && (args as Record<string, unknown[] | undefined> | undefined)?.[list[0]];
  return {
    verb: done[verb] ?? "changed",
    what: list?.[1] ?? (rest.join(" ").replace(/^(object|array|remote) relationship/, "relationship") || verb),
    count: items?.length ?? 1,
  };
}

function plural(what: string, count: number): string {
  if (count === 1 || /metadata$|s$/.test(what)) return what;
  return what.endsWith("y") ? `${what.slice(0, -1)}ies` : `${what}s`;
}

const capital = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);

/** describe says in words what a change of the metadata has done, as in "30 tables tracked". */
export function describe(request: Request): string {
  const parts = /^(concurrent_)?bulk/.test(request.type) ? (request.args as Request[]) : [request];
  let steps = parts.map(stepOf);
  // What is removed and made again is changed.
  const made = new Set(steps.filter((s) => s.verb === "created").map((s) => s.what));
  if (steps.some((s) => s.verb === "removed" && made.has(s.what)))
    steps = steps.filter((s) => s.verb !== "removed").map((s) => ({ ...s, verb: "updated" }));
  const all = new Map<string, Step>();
  for (const s of steps) {
    const key = `${s.verb} ${s.what}`;
    const before = all.get(key);
    all.set(key, before ? { ...s, count: before.count + s.count } : s);
  }
  const said = [...all.values()].map((s) =>
    s.count === 1 ? `${s.what} ${s.verb}` : `${s.count.toLocaleString("en")} ${plural(s.what, s.count)} ${s.verb}`,
  );
  return capital(said.slice(0, 3).join(", ") + (said.length > 3 ? ", and more" : ""));
}
