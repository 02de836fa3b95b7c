import { useLocation, useRouter } from "@tanstack/react-router";
import { createContext, use, useLayoutEffect, useMemo, useRef, useState, useSyncExternalStore } from "react";

/** Mark is a form; edited is whether it has what isn't saved. */
interface Mark {
  edited: boolean;
}

/** Edits are the forms of a part of the page. */
export class Edits {
  readonly #marks = new Set<Mark>();

  constructor(readonly around?: Edits) {}

  add(mark: Mark) {
    this.#marks.add(mark);
    this.around?.add(mark);
  }

  remove(mark: Mark) {
    this.#marks.delete(mark);
    this.around?.remove(mark);
  }

  /** unsaved reports whether a form has what isn't saved. */
  get unsaved(): boolean {
    return [...this.#marks].some((m) => m.edited);
  }

  /** letGo has what is typed count no more, until somebody types again. */
  letGo() {
    for (const m of this.#marks) m.edited = false;
  }
}

/** pageEdits are the forms of the whole page. */
export const pageEdits = new Edits();

/** Around are the forms of the part of the page that a form is in. */
export const Around = createContext(pageEdits);

/** useEdits makes a part of the page whose forms are left together, for Around. */
export function useEdits(): Edits {
  const around = use(Around);
  return useMemo(() => new Edits(around), [around]);
}

/**
 * useEdited tells that a form has what isn't saved: now, where before is what was there. saved has it count as saved
 * until it changes, unless it has changed since saved was handed out, as by somebody who goes on typing while the
 * server answers.
 */
export function useEdited(now: string, before: string): { saved: () => void; leave: (then: () => void) => void } {
  const around = use(Around);
  const [own] = useState(() => new Edits());
  const [mark] = useState<Mark>(() => ({ edited: false }));
  useLayoutEffect(() => {
    own.add(mark);
    around.add(mark);
    return () => {
      own.remove(mark);
      around.remove(mark);
    };
  }, [around, own, mark]);
  const latest = useRef(now);
  useLayoutEffect(() => {
    latest.current = now;
    mark.edited = now !== before;
  }, [mark, now, before]);
  const saved = () => {
    if (latest.current === now) own.letGo();
  };
  return { saved, leave: (then) => leave(own, then) };
}

/**
 * useAsking is a choice among forms, one of which is shown: another choice asks before what isn't saved goes. The forms
 * are in edits, for Around. close goes back to the initial choice, and then does something: nothing of that when
 * another choice was made since it was handed out, as by somebody who goes on while the server answers.
 */
export function useAsking<T>(initial: T): {
  value: T;
  set: (to: T) => void;
  close: (then?: () => void) => void;
  edits: Edits;
} {
  const [chosen, setChosen] = useState({ value: initial });
  const latest = useRef(chosen);
  useLayoutEffect(() => {
    latest.current = chosen;
  }, [chosen]);
  const edits = useEdits();
  const set = (to: T) => leave(edits, () => setChosen({ value: to }));
  const close = (then?: () => void) => {
    if (latest.current !== chosen && latest.current.value !== initial) return;
    leave(edits, () => {
      setChosen({ value: initial });
      then?.();
    });
  };
  return { value: chosen.value, set, close, edits };
}

/**
 * useStill has the function that reports whether the page still has the address that it had when that was handed out,
 * whatever it shows there by now.
 */
export function useStill(): () => boolean {
  const router = useRouter();
  const { pathname, searchStr } = useLocation();
  return () => router.latestLocation.pathname === pathname && router.latestLocation.searchStr === searchStr;
}

let asked: ((leave: boolean) => void) | undefined;
const listeners = new Set<() => void>();

function ask(next: typeof asked) {
  asked = next;
  listeners.forEach((tell) => tell());
}

/** mayLeave asks whether what isn't saved may go, where there is something. */
export function mayLeave(edits: Edits): Promise<boolean> {
  if (!edits.unsaved) return Promise.resolve(true);
  asked?.(false);
  return new Promise((answer) => {
    ask((leave) => {
      ask(undefined);
      if (leave) edits.letGo();
      answer(leave);
    });
  });
}

/** leave does what leaves forms, once what isn't saved may go. */
export function leave(edits: Edits, then: () => void) {
  if (!edits.unsaved) return then();
  void mayLeave(edits).then((may) => may && then());
}

/** useAsked is the answer that somebody waits for, whether what isn't saved may go. */
export function useAsked(): typeof asked {
  return useSyncExternalStore(
    (tell) => {
      listeners.add(tell);
      return () => listeners.delete(tell);
    },
    () => asked,
  );
}
