import { useLocation, useRouter } from "@tanstack/react-router";
import { createContext, use, useLayoutEffect, useMemo, useRef, useState } from "react";
import { createStore } from "./store";

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

  /** reset has what is typed count no more, until somebody types again. */
  reset() {
    for (const m of this.#marks) m.edited = false;
  }
}

/** pageEdits are the forms of the whole page. */
export const pageEdits = new Edits();

/** FormScope has the forms of the part of the page that a form is in. */
export const FormScope = createContext(pageEdits);

/** useEdits makes a part of the page whose forms are left together, for FormScope. */
export function useEdits(): Edits {
  const around = use(FormScope);
  return useMemo(() => new Edits(around), [around]);
}

/**
 * useEdited tells that a form has what isn't saved: now, where before is what was there. saved has it count as saved
 * until it changes, unless it has changed since saved was handed out, as by somebody who goes on typing while the
 * server answers.
 */
export function useEdited(now: string, before: string): { saved: () => void; leave: (then: () => void) => void } {
  const around = use(FormScope);
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
    if (latest.current === now) own.reset();
  };
  return { saved, leave: (then) => leave(own, then) };
}

/**
 * useConfirmLeave is a choice among forms, one of which is shown. Another choice asks before it discards unsaved edits
 * of the forms in edits, which is the value of their FormScope. close goes back to the initial choice and then calls
 * then. It does nothing if the user has chosen something else since the render that returned it, as while the server
 * answers.
 */
export function useConfirmLeave<T>(initial: T): {
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
 * useStillHere returns a function that reports whether the address is unchanged since the last render.
 */
export function useStillHere(): () => boolean {
  const router = useRouter();
  const { pathname, searchStr } = useLocation();
  return () => router.latestLocation.pathname === pathname && router.latestLocation.searchStr === searchStr;
}

/** question is the answer that somebody waits for, whether what isn't saved may go. */
export const question = createStore<((leave: boolean) => void) | undefined>(undefined);

/** mayLeave asks whether what isn't saved may go, where there is something. */
export function mayLeave(edits: Edits): Promise<boolean> {
  if (!edits.unsaved) return Promise.resolve(true);
  question.get()?.(false);
  return new Promise((answer) => {
    question.set((leave) => {
      question.set(undefined);
      if (leave) edits.reset();
      answer(leave);
    });
  });
}

/** leave does what leaves forms, once what isn't saved may go. */
export function leave(edits: Edits, then: () => void) {
  if (!edits.unsaved) return then();
  void mayLeave(edits).then((may) => may && then());
}
