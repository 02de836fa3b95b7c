import { createStore } from "../store";

/**
 * LastChange is the last change of the metadata that was made in this tab: in words, its operation, and the version that
 * it made.
 */
export interface LastChange {
  words: string;
  operation: string;
  version: number;
}

export const lastChange = createStore<LastChange | undefined>(undefined);
