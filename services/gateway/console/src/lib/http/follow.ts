import { projectHeaders } from "./project";
import { type Credentials, headersOf } from "./credentials";

/** Told is what the server says of a version of the metadata. */
export interface Told {
  resource_version: number;
  is_consistent: boolean;
}

/**
 * follow calls seen for the version of the metadata that is in force, unless it is known, and for later ones as they
 * are made, by whomever. It calls begun when the server begins to tell, and ends when the server does, or can't be
 * reached; undefined for one that can't be followed with these credentials.
 */
export async function follow(
  credentials: Credentials,
  known: number,
  begun: () => void,
  seen: (t: Told) => void,
  signal: AbortSignal,
): Promise<"ended" | undefined> {
  const response = await fetch(`/v1/metadata/changes?resource_version=${known}`, {
    headers: { accept: "text/event-stream", ...headersOf(credentials), ...projectHeaders },
    credentials: "omit",
    cache: "no-store",
    signal,
  });
  if (response.status === 503) return "ended";
  if (!response.ok || !response.body || !response.headers.get("content-type")?.startsWith("text/event-stream"))
    return undefined;
  begun();
  let rest = "";
  for (const reader = response.body.pipeThrough(new TextDecoderStream()).getReader(); ;) {
    const { done, value } = await reader.read();
    if (done) return "ended";
    const events = (rest + value).split("\n\n");
    rest = events.pop()!;
    for (const e of events) {
      const data = /^event: version\n(?:.*\n)*data: (.*)$/m.exec(e)?.[1];
      if (data) seen(JSON.parse(data) as Told);
    }
  }
}
