/** RunAs is the role and the session variables that a request runs with; an empty role is the session's own. */
export interface RunAs {
  role: string;
  /** Lines of "name: value". */
  headers: string;
}

/** headersFor are the headers of a request that runs as a role. */
export function headersFor(as: RunAs): Record<string, string> {
  const headers: Record<string, string> = {};
  for (const line of as.headers.split("\n")) {
    const at = line.indexOf(":");
    if (at > 0) headers[line.slice(0, at).trim().toLowerCase()] = line.slice(at + 1).trim();
  }
  if (as.role) headers["x-engine-role"] = as.role;
  return headers;
}
