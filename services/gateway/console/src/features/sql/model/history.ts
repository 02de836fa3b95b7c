import { useStored } from "../../../lib/stored";
import { type Ran, withRun } from "../../../lib/history";

/** PastStatements are some that were run. */
export interface PastStatements extends Ran {
  source: string;
  text: string;
}

/** longest is how long texts of the history are at most. */
const longest = 20_000;

const same = (a: PastStatements, b: PastStatements) => a.source === b.source && a.text === b.text;

/**
 * usePastStatements is what was run. Statements have data and passwords in them, so that the browser forgets them with
 * the tab, but for those that are kept on purpose.
 */
export function usePastStatements(): [
  PastStatements[],
  (past: PastStatements[]) => void,
  (source: string, text: string) => void,
] {
  const [passing, setPassing] = useStored<PastStatements[]>(sessionStorage, "query-engine-sql-history", []);
  const [kept, setKept] = useStored<PastStatements[]>(localStorage, "query-engine-sql-kept", []);
  const set = (past: PastStatements[]) => {
    setKept(past.filter((p) => p.kept));
    setPassing(past.filter((p) => !p.kept));
  };
  const past = [...passing, ...kept].toSorted((a, b) => (b.at ?? 0) - (a.at ?? 0));
  return [
    past,
    set,
    (source, text) => text.length <= longest && set(withRun(past, { id: "", source, text: text.trim() }, same)),
  ];
}
