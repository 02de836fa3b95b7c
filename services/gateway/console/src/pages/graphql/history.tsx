import { useState } from "react";
import { Button, Input, Label, SearchField } from "react-aria-components";
import { titleOf, type Draft } from "./operation";

/** Run is an operation that was run, and when. */
export interface Run extends Draft {
  /** Unset for those of earlier versions. */
  at?: number;
  /** Kept when others go. */
  kept?: boolean;
}

/** keptRuns bounds the history; runs that are kept on purpose count, too. */
const keptRuns = 50;

/** withRun is a history with one more run; the same operation is there once. */
export function withRun(past: Run[], draft: Draft): Run[] {
  const before = past.find((p) => p.query === draft.query && p.variables === draft.variables);
  const list = [{ ...draft, id: crypto.randomUUID(), at: Date.now(), kept: before?.kept }, ...past.filter((p) => p !== before)];
  let free = keptRuns - list.filter((p) => p.kept).length;
  return list.filter((p) => p.kept || free-- > 0).slice(0, keptRuns);
}

/** History lists what was run, the latest first, those that are kept before all others. */
export function History(props: { past: Run[]; setPast: (past: Run[]) => void; open: (run: Run) => void }) {
  const { past, setPast, open } = props;
  const [wanted, setWanted] = useState("");
  const found = past.filter((p) => `${p.query} ${p.variables}`.toLowerCase().includes(wanted.toLowerCase()));
  const shown = [...found.filter((p) => p.kept), ...found.filter((p) => !p.kept)];
  if (past.length === 0) return <p className="hint">What you run is listed here.</p>;
  return (
    <>
      <div className="fields">
        <SearchField value={wanted} onChange={setWanted}><Label>Find in the history</Label><Input /></SearchField>
        <Button className="button" onPress={() => setPast(past.filter((p) => p.kept))} isDisabled={past.every((p) => p.kept)}>Clear</Button>
      </div>
      <ul aria-label="History">
        {shown.map((p) => {
          const title = titleOf(p.query);
          return (
            <li key={p.id} className="row">
              <Button className="link" onPress={() => open(p)}>{title}</Button>
              {p.at !== undefined && <time className="hint" dateTime={new Date(p.at).toISOString()}>{new Date(p.at).toLocaleString()}</time>}
              <Button className="button" aria-pressed={p.kept === true} aria-label={`Keep ${title}`} onPress={() => setPast(past.map((o) => (o === p ? { ...o, kept: !o.kept } : o)))}>Keep</Button>
              <Button className="button" aria-label={`Remove ${title}`} onPress={() => setPast(past.filter((o) => o !== p))}>Remove</Button>
            </li>
          );
        })}
      </ul>
    </>
  );
}
