import { useSyncExternalStore } from "react";

/** Made is the last change of the metadata that was made in this tab: its operation, and the version that it made. */
export interface Made {
  operation: string;
  version: number;
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
