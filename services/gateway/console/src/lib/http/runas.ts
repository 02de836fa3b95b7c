/** RunAs is the role and the session variables that a request runs with; an empty role is the session's own. */
export interface RunAs {
  role: string;
  /** Lines of "name: value"; those that begin with # are left out. */
  headers: string;
}

/** runAsKey is where the API page keeps what it runs as; it ends with the tab. */
export const runAsKey = "query-engine-run-as";

/** headerProblem is the first line that can't be sent as a header, undefined for none. */
export function headerProblem(headers: string): string | undefined {
  return headers
    .split("\n")
    .find(
      (line) =>
        line.trim() &&
        !line.trimStart().startsWith("#") &&
        !/^\s*[!#$%&'*+.^_`|~\w-]+\s*:[\t\x20-\x7e\x80-\xff]*$/.test(line),
    );
}

/** headersFor are the headers of a request that runs as a role. */
export function headersFor(as: RunAs): Record<string, string> {
  const headers: Record<string, string> = {};
  for (const line of as.headers.split("\n")) {
    const at = line.indexOf(":");
    if (at > 0 && !line.trimStart().startsWith("#"))
      headers[line.slice(0, at).trim().toLowerCase()] = line.slice(at + 1).trim();
  }
  if (as.role) headers["x-engine-role"] = as.role;
  return headers;
}

/** variablesOf are the session variables that a request runs with, without its role. */
export function variablesOf(as: RunAs): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headersFor({ role: "", headers: as.headers })).filter(
      ([name]) => name.startsWith("x-engine-") && name !== "x-engine-role" && name !== "x-engine-admin-secret",
    ),
  );
}

/** variableIn is the value of a session variable in lines of headers; names are compared without case. */
export function variableIn(headers: string, name: string): string {
  return headersFor({ role: "", headers })[name.toLowerCase()] ?? "";
}

/** withVariable are the lines with another value of a session variable; an empty one takes its line away. */
export function withVariable(headers: string, name: string, value: string): string {
  const others = headers
    .split("\n")
    .filter((line) => line.trim() && line.split(":")[0]!.trim().toLowerCase() !== name.toLowerCase());
  return [...others, ...(value ? [`${name.toLowerCase()}: ${value}`] : [])].join("\n");
}
