import { useSyncExternalStore } from "react";

/** Made is the last change of the metadata that was made in this tab: its operation, and the version that it made. */
export interface Made {
  operation: string;
  version: number;
}

let own = 0;

/** ownChanges is how many changes this tab has made, or is making. */
export function ownChanges(): number {
  return own;
}

/** countOwn counts a change that begins; the function that it returns takes that back, for one that has failed. */
export function countOwn(): () => void {
  own++;
  return () => { own--; };
}

let last: Made | undefined;
const listeners = new Set<() => void>();

export function setMade(m: Made | undefined) {
  last = m;
  listeners.forEach((tell) => tell());
}

export function useMade(): Made | undefined {
  return useSyncExternalStore(
    (tell) => {
      listeners.add(tell);
      return () => listeners.delete(tell);
    },
    () => last,
  );
}
