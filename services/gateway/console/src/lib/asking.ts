/** Asking is when a change of the metadata is asked for: by its weight, or always. */
export type Asking = "weight" | "always";

/** askingKey is where the browser keeps it. */
export const askingKey = "query-engine-asking";
