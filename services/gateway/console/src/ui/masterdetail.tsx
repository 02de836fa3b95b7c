import type { ReactNode } from "react";
import { FormScope, leave, useConfirmLeave, useStillHere } from "../lib/unsaved";
import { Staying } from "./forms/staying";
import { Button } from "./button";
import { Empty } from "./empty";
import { icons } from "./icons";

interface MasterDetailProps<T> {
  /** What the list and its objects are called. */
  words: { list: string; one: string; add: string; none: string; choose: string };
  items: T[];
  shown: T | undefined;
  /** Which one it is that is to be shown, whether it is there or not. */
  id: string;
  /** The address asks for a new one. */
  begins?: boolean;
  name: (item: T) => string;
  about: (item: T) => ReactNode;
  /** Opens one, or none. */
  open: (item: T | undefined) => void;
  /** The form for a new one; close ends it, and then does something unless another one was opened meanwhile. */
  form: (close: (then?: () => void) => void) => ReactNode;
  /**
   * The one that is shown; gone is that somebody has deleted it while it is edited. moved does something unless another
   * one was opened meanwhile.
   */
  children: (item: T, gone: boolean, moved: (then: () => void) => void) => ReactNode;
}

/** MasterDetail is a list of objects, next to the one of them that is open, or to the form for a new one. */
export function MasterDetail<T>(props: MasterDetailProps<T>) {
  const { words, items, shown, id, name, about, open, form, begins, children } = props;
  const { value: adding, set: setAdding, close, edits } = useConfirmLeave(false);
  const still = useStillHere();
  const moved = (then: () => void) => {
    if (still()) then();
  };
  const show = (item: T | undefined) =>
    leave(edits, () => {
      setAdding(item === undefined);
      if (item !== undefined || id !== "") open(item); // an address that stays is no entry of the history
    });
  return (
    <div className="split" data-opened={id || undefined}>
      <section className="panel" aria-label={words.list}>
        <Button look="primary" onPress={() => show(undefined)}>
          {words.add}
        </Button>
        <ul className="changes">
          {items.map((item, i) => (
            <li key={i}>
              <Button look="link" aria-pressed={item === shown} onPress={() => show(item)}>
                {name(item)}
              </Button>
              <div className="hint">{about(item)}</div>
            </li>
          ))}
        </ul>
      </section>
      <section className="panel" aria-label={words.one}>
        {id !== "" && (
          <Button
            look="quiet"
            className="only-narrow"
            icon={icons.ChevronLeft}
            onPress={() => leave(edits, () => open(undefined))}
          >
            Back to the list
          </Button>
        )}
        <FormScope value={edits}>
          {(adding || begins) && id === "" ? (
            form((then) => close(then && (() => moved(then))))
          ) : (
            <Staying
              id={id}
              name={id}
              value={shown}
              otherwise={items.length === 0 ? <Empty>{words.none}</Empty> : <p className="hint">{words.choose}</p>}
            >
              {(item, gone) => children(item, gone, moved)}
            </Staying>
          )}
        </FormScope>
      </section>
    </div>
  );
}
