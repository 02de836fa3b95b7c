import { useSyncExternalStore } from "react";

/** Store is a value that components share, wherever they are on the page. */
export interface Store<T> {
  get: () => T;
  set: (value: T) => void;
  subscribe: (listener: () => void) => () => void;
}

/** resets give all stores their first values. */
const resets: (() => void)[] = [];

/** createStore makes a store. Signing out gives it its first value again. */
export function createStore<T>(first: T): Store<T> {
  let current = first;
  const listeners = new Set<() => void>();
  const set = (value: T) => {
    current = value;
    listeners.forEach((listener) => listener());
  };
  resets.push(() => set(first));
  return {
    get: () => current,
    set,
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}

/** useStore returns the value of a store, as it is now. */
export function useStore<T>(store: Store<T>): T {
  return useSyncExternalStore(store.subscribe, store.get);
}

/** resetStores leaves nothing of one user in a store for the next one. */
export function resetStores() {
  resets.forEach((reset) => reset());
}
