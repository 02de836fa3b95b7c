import { packed, unpacked } from "../../../lib/fragment";
import type { Draft } from "./operation";

/** marker is what a fragment that holds an operation begins with. */
const marker = "#operation=";

/**
 * linkTo is the address of an operation with its variables. It is all in the fragment, which browsers don't send;
 * headers and role aren't in it.
 */
export function linkTo(draft: Draft): string {
  const url = new URL(location.href);
  url.search = "";
  url.hash = marker.slice(1) + packed({ query: draft.query, variables: draft.variables });
  return url.href;
}

/** linked is the operation of a fragment; undefined when there is none. */
export function linked(fragment: string): Pick<Draft, "query" | "variables"> | undefined {
  if (!fragment.startsWith(marker)) return undefined;
  const read = unpacked(fragment.slice(marker.length)) as Partial<Draft> | undefined;
  return typeof read?.query === "string"
    ? { query: read.query, variables: typeof read.variables === "string" ? read.variables : "" }
    : undefined;
}
