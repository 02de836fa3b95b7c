import { createStore } from "../store";

/** LastChange is the last change of the metadata that was made in this tab: its operation, and the version that it made. */
export interface LastChange {
  operation: string;
  version: number;
}

export const lastChange = createStore<LastChange | undefined>(undefined);
