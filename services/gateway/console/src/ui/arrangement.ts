import { useStored } from "../lib/stored";

/**
 * Arrangement is how the columns of a table are shown: those that come first, in that order, the widths of some, and
 * those that aren't shown.
 */
export interface Arrangement {
  order: string[];
  widths: Record<string, number>;
  hidden: string[];
}

/** narrowest and widest are how many px a column can have. */
export const narrowest = 60;
export const widest = 900;

/** tables is how many tables the browser remembers this of. */
const tables = 100;

const none: Arrangement = { order: [], widths: {}, hidden: [] };

/** useArrangement is the arrangement of a table, which the browser keeps. */
export function useArrangement(table: string): [Arrangement, (a: Arrangement) => void] {
  const [all, setAll] = useStored<Record<string, Arrangement>>(localStorage, "query-engine-columns", {});
  const set = (a: Arrangement) =>
    setAll(({ [table]: _, ...others }) =>
      Object.fromEntries([...Object.entries(others).slice(1 - tables), [table, a]]),
    );
  return [{ ...none, ...all[table] }, set];
}

/** arranged are columns in the order of an arrangement, those that it doesn't name last. */
export function arranged(columns: string[], { order, hidden }: Arrangement): string[] {
  return [...order.filter((c) => columns.includes(c)), ...columns.filter((c) => !order.includes(c))].filter(
    (c) => !hidden.includes(c),
  );
}

/** arrange moves a column to before the one with a number. */
export function arrange(columns: string[], column: string, before: number): string[] {
  const rest = columns.map((c) => (c === column ? undefined : c));
  rest.splice(Math.max(0, before), 0, column);
  return rest.filter((c) => c !== undefined);
}
