import { useState, type ReactNode } from "react";
import { Button } from "react-aria-components";
import { Around, leave, useEdits } from "../edits";
import { Staying } from "../forms/staying";

interface SplitProps<T> {
  /** What the list and its objects are called. */
  words: { list: string; one: string; add: string; none: string; choose: string };
  items: T[];
  shown: T | undefined;
  /** Which one it is that is to be shown, whether it is there or not. */
  id: string;
  name: (item: T) => string;
  about: (item: T) => ReactNode;
  /** Opens one, or none. */
  open: (item: T | undefined) => void;
  /** The form for a new one; close ends it. */
  form: (close: () => void) => ReactNode;
  /** The one that is shown; gone is that somebody has deleted it while it is edited. */
  children: (item: T, gone: boolean) => ReactNode;
}

/** Split is a list of objects, next to the one of them that is open, or to the form for a new one. */
export function Split<T>(props: SplitProps<T>) {
  const { words, items, shown, id, name, about, open, form, children } = props;
  const [adding, setAdding] = useState(false);
  const edits = useEdits();
  const show = (item: T | undefined) =>
    leave(edits, () => {
      setAdding(item === undefined);
      open(item);
    });
  return (
    <div className="split">
      <section className="panel" aria-label={words.list}>
        <Button className="button primary" onPress={() => show(undefined)}>{words.add}</Button>
        {items.length === 0 && <p className="hint">{words.none}</p>}
        <ul className="changes">
          {items.map((item, i) => (
            <li key={i}>
              <Button className="link" aria-pressed={item === shown} onPress={() => show(item)}>{name(item)}</Button>
              <div className="hint">{about(item)}</div>
            </li>
          ))}
        </ul>
      </section>
      <section className="panel" aria-label={words.one}>
        <Around value={edits}>
          {adding ? form(() => setAdding(false)) : <Staying id={id} name={id} value={shown} otherwise={<p className="hint">{words.choose}</p>}>{children}</Staying>}
        </Around>
      </section>
    </div>
  );
}
