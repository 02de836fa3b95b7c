import { type Server } from "../../../lib/http/client";
import type { Source } from "../../../lib/http/types";
import { prefixOf } from "../../../lib/http/prefix";
import type { StatementResult } from "../api/run";

/** Step is a step of a plan, with those that it takes its rows from. */
export interface Step {
  title: string;
  /** What stands next to it. */
  facts: string[];
  /** What is known besides. */
  details: [name: string, value: string][];
  /** The part of the whole time, or cost, that it takes itself. */
  share?: number;
  /** What is wrong about it. */
  notice?: string;
  steps: Step[];
}

/** Plan is how the database runs a statement: as steps, or as lines where it has no other form. */
export interface Plan {
  steps: Step[];
  lines: string[];
  summary: string[];
}

/** canExplain reports whether plans of a kind of sources can be asked for, and whether they can be measured, too. */
export function canExplain(kind: string): { plan: boolean; measured: boolean } {
  const postgres = kind === "postgres" || kind === "citus" || kind === "cockroach";
  return { plan: postgres || kind === "sqlite", measured: postgres };
}

/** explain asks for the plan of a statement. One that is measured runs, and is rolled back. */
export async function explain(
  server: Server,
  source: Source,
  sql: string,
  measured: boolean,
  readOnly: boolean,
  signal: AbortSignal,
): Promise<Plan> {
  const cockroach = source.kind === "cockroach";
  const form =
    source.kind === "sqlite"
      ? "EXPLAIN QUERY PLAN"
      : cockroach
        ? measured
          ? "EXPLAIN ANALYZE"
          : "EXPLAIN"
        : `EXPLAIN (${measured ? "ANALYZE, BUFFERS, " : ""}FORMAT JSON)`;
  const trial = measured && !readOnly;
  // What is only explained does nothing; SQLite wouldn't explain what writes where it mustn't.
  const reads = source.kind === "sqlite" ? false : !trial;
  const args = {
    source: source.name,
    sql: `${form} ${sql}`,
    read_only: reads,
    check_metadata_consistency: false,
    dry_run: trial,
    all_results: true,
  };
  const answer = await server.query<{ results?: StatementResult[]; answer?: { results: StatementResult[] } }>(
    `${prefixOf(source.kind)}_run_sql`,
    args,
    signal,
  );
  const rows = (answer.results ?? answer.answer!.results)[0]?.rows ?? [];
  if (source.kind === "sqlite") return { steps: ofSQLite(rows), lines: [], summary: [] };
  return cockroach
    ? { steps: [], lines: rows.map((r) => String(r[0])), summary: [] }
    : ofPostgreSQL(JSON.parse(String(rows[0]?.[0])) as Explained[]);
}

interface Node {
  [name: string]: unknown;
  "Node Type": string;
  Plans?: Node[];
}

interface Explained {
  [name: string]: unknown;
  Plan: Node;
}

/** told are the properties that stand next to a step, or are the title; the others are below it. */
const told = new Set([
  "Node Type",
  "Plans",
  "Relation Name",
  "Schema",
  "Alias",
  "Index Name",
  "Join Type",
  "Strategy",
  "Startup Cost",
  "Total Cost",
  "Plan Rows",
  "Plan Width",
  "Actual Startup Time",
  "Actual Total Time",
  "Actual Rows",
  "Actual Loops",
  "Parent Relationship",
  "Parallel Aware",
  "Async Capable",
  "Operation",
  "CTE Name",
  "Function Name",
]);

/** off is by how much an estimate of rows has to be wrong to be told. */
const off = 10;

function ofPostgreSQL(found: Explained[]): Plan {
  const summary: string[] = [];
  const steps = found.map((e) => {
    const measured = e.Plan["Actual Total Time"] !== undefined;
    for (const name of ["Planning Time", "Execution Time"])
      if (e[name] !== undefined) summary.push(`${name.toLowerCase()} ${time(Number(e[name]))}`);
    for (const t of (e.Triggers as { "Trigger Name": string; Time: number; Calls: number }[] | undefined) ?? [])
      summary.push(`trigger ${t["Trigger Name"]} ${time(t.Time)} in ${t.Calls} calls`);
    return stepOf(e.Plan, measured, weight(e.Plan, measured) || 1);
  });
  return { steps, lines: [], summary };
}

/** weight is the time, or the cost, of a node with those below it. */
function weight(node: Node, measured: boolean): number {
  return measured
    ? Number(node["Actual Total Time"] ?? 0) * Number(node["Actual Loops"] ?? 1)
    : Number(node["Total Cost"] ?? 0);
}

function stepOf(node: Node, measured: boolean, all: number): Step {
  const below = node.Plans ?? [];
  const own = Math.max(0, weight(node, measured) - below.reduce((sum, b) => sum + weight(b, measured), 0));
  const [estimated, actual, loops] = [
    Number(node["Plan Rows"] ?? 0),
    Number(node["Actual Rows"] ?? 0),
    Number(node["Actual Loops"] ?? 1),
  ];
  const facts = measured
    ? loops === 0
      ? ["never run"]
      : [
          `${count(actual * loops)} rows`,
          `${count(estimated)} estimated`,
          time(weight(node, true)),
          ...(loops > 1 ? [`${loops} times`] : []),
        ]
    : [`about ${count(estimated)} rows`, `cost ${node["Total Cost"]}`];
  const wrong = measured && loops > 0 && Math.max(estimated, 1) / Math.max(actual, 1);
  const notice =
    wrong && (wrong >= off || wrong <= 1 / off)
      ? `${Math.round(wrong > 1 ? wrong : 1 / wrong)} times ${wrong > 1 ? "fewer" : "more"} rows than estimated`
      : undefined;
  return {
    title: titleOf(node),
    facts,
    notice,
    share: Math.min(1, own / all),
    details: Object.entries(node)
      .filter(([name, value]) => !told.has(name) && value !== 0 && value !== false)
      .map(([name, value]) => [
        name,
        typeof value === "string" ? value : Array.isArray(value) ? value.join(", ") : JSON.stringify(value),
      ]),
    steps: below.map((b) => stepOf(b, measured, all)),
  };
}

function titleOf(node: Node): string {
  const join =
    node["Join Type"] && node["Join Type"] !== "Inner" ? ` (${String(node["Join Type"]).toLowerCase()})` : "";
  const on = [node.Schema, node["Relation Name"] ?? node["CTE Name"] ?? node["Function Name"]]
    .filter(Boolean)
    .join(".");
  const alias = node.Alias && node.Alias !== node["Relation Name"] ? ` as ${node.Alias}` : "";
  const by = node["Index Name"] ? ` by ${node["Index Name"]}` : "";
  return `${node.Operation ?? node["Node Type"]}${join}${by}${on ? ` on ${on}${alias}` : ""}`;
}

function count(rows: number): string {
  return Math.round(rows).toLocaleString("en");
}

function time(ms: number): string {
  return `${Number(ms.toPrecision(3))} ms`;
}

/**
 * ofSQLite are the rows of EXPLAIN QUERY PLAN: a number, that of the step above it, one without a meaning, and words.
 */
function ofSQLite(rows: unknown[][]): Step[] {
  const steps = new Map<string, Step>();
  const first: Step[] = [];
  for (const [id, parent, , words] of rows) {
    const step: Step = { title: String(words), facts: [], details: [], steps: [] };
    steps.set(String(id), step);
    (steps.get(String(parent))?.steps ?? first).push(step);
  }
  return first;
}
