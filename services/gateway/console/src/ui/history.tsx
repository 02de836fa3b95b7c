import { useState, type ReactNode } from "react";
import { Input, Label, SearchField } from "react-aria-components";

import type { Ran } from "../lib/history";
import { Button } from "./button";

interface HistoryProps<T> {
  past: T[];
  setPast: (past: T[]) => void;
  open: (run: T) => void;
  title: (run: T) => string;
  /** Where it is looked for. */
  text: (run: T) => string;
  more?: (run: T) => ReactNode;
}

/** History lists what was run, the latest first, those that are kept before all others. */
export function History<T extends Ran>(props: HistoryProps<T>) {
  const { past, setPast, open, title: titleOf, text, more } = props;
  const [wanted, setWanted] = useState("");
  const found = past.filter((p) => text(p).toLowerCase().includes(wanted.toLowerCase()));
  const shown = [...found.filter((p) => p.kept), ...found.filter((p) => !p.kept)];
  if (past.length === 0) return <p className="hint">What you run is listed here.</p>;
  return (
    <>
      <div className="fields">
        <SearchField value={wanted} onChange={setWanted}>
          <Label>Find in the history</Label>
          <Input />
        </SearchField>
        <Button onPress={() => setPast(past.filter((p) => p.kept))} isDisabled={past.every((p) => p.kept)}>
          Clear
        </Button>
      </div>
      <ul aria-label="History">
        {shown.map((p) => {
          const title = titleOf(p);
          return (
            <li key={p.id} className="row">
              <Button look="link" onPress={() => open(p)}>
                {title}
              </Button>
              {p.at !== undefined && (
                <time className="hint" dateTime={new Date(p.at).toISOString()}>
                  {new Date(p.at).toLocaleString()}
                </time>
              )}
              {more?.(p)}
              <Button
                aria-pressed={p.kept === true}
                aria-label={`Keep ${title}`}
                onPress={() => setPast(past.map((o) => (o === p ? { ...o, kept: !o.kept } : o)))}
              >
                Keep
              </Button>
              <Button aria-label={`Remove ${title}`} onPress={() => setPast(past.filter((o) => o !== p))}>
                Remove
              </Button>
            </li>
          );
        })}
      </ul>
    </>
  );
}
