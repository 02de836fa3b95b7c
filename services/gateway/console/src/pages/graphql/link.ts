import type { Draft } from "./operation";

/** marker is what a fragment that holds an operation begins with. */
const marker = "#operation=";

/** linkTo is the address of an operation with its variables. It is all in the fragment, which browsers don't send; headers and role aren't in it. */
export function linkTo(draft: Draft): string {
  const text = JSON.stringify({ query: draft.query, variables: draft.variables });
  const bytes = Array.from(new TextEncoder().encode(text), (b) => String.fromCharCode(b)).join("");
  const url = new URL(location.href);
  url.search = "";
  url.hash = marker.slice(1) + btoa(bytes).replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "");
  return url.href;
}

/** linked is the operation of a fragment; undefined when there is none. */
export function linked(fragment: string): Pick<Draft, "query" | "variables"> | undefined {
  if (!fragment.startsWith(marker)) return undefined;
  try {
    const bytes = Uint8Array.from(atob(fragment.slice(marker.length).replaceAll("-", "+").replaceAll("_", "/")), (c) => c.charCodeAt(0));
    const read = JSON.parse(new TextDecoder().decode(bytes)) as Partial<Draft>;
    return typeof read.query === "string" ? { query: read.query, variables: typeof read.variables === "string" ? read.variables : "" } : undefined;
  } catch {
    return undefined;
  }
}
