import type { DryRun, Migration, Server } from "../../../lib/http/client";
import { prefixOf } from "../../../lib/http/prefix";
import type { Source } from "../../../lib/http/types";

/** StatementResult is what a statement gave. */
export interface StatementResult {
  /** What the database calls it, as INSERT 0 3; not every kind says so. */
  command?: string;
  /** Unset where there are no rows. */
  columns?: string[];
  rows?: unknown[][];
  /** How many rows it returned, also those that were left out, or how many it wrote. */
  row_count?: number;
}

/** Outcome is what came of statements. */
export interface Outcome {
  results: StatementResult[];
  tried?: DryRun;
  /** How long it took until the answer was there, in ms. */
  took: number;
}

/** Choices are how statements run. */
export interface Choices {
  readOnly: boolean;
  cascade: boolean;
  /** They run one by one, and what is done stays done. */
  alone: boolean;
}

/** mostRows is how many rows are asked for of each statement. */
export const mostRows = 10_000;

/** runStatements runs statements, or tries them. */
export async function runStatements(
  server: Server,
  source: Source,
  sql: string,
  choices: Choices,
  trial: boolean,
  migration: Migration | undefined,
  signal: AbortSignal,
): Promise<Outcome> {
  const { readOnly, cascade, alone } = choices;
  const args = {
    source: source.name,
    sql,
    read_only: readOnly,
    cascade: cascade && !readOnly,
    no_transaction: alone && !readOnly && !trial,
    all_results: true,
    max_rows: mostRows,
    dry_run: trial,
  };
  const began = performance.now();
  const answer = await server.sql<
    { results: StatementResult[] } | (DryRun & { answer: { results: StatementResult[] } })
  >(`${prefixOf(source.kind)}_run_sql`, args, trial || readOnly ? undefined : migration, signal);
  const took = performance.now() - began;
  return "answer" in answer
    ? { results: answer.answer.results, tried: answer, took }
    : { results: answer.results, took };
}

/** spent is a time in words. */
export function spent(ms: number): string {
  return ms < 1000 ? `${Math.max(1, Math.round(ms))} ms` : `${(ms / 1000).toFixed(ms < 10_000 ? 2 : 1)} s`;
}
