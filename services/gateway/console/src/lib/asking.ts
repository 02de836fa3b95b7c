/** Asking says which metadata changes need a confirmation: those that drop or widen something, or all. */
export type Asking = "weight" | "always";

/** askingKey is where the browser keeps it. */
export const askingKey = "query-engine-asking";
