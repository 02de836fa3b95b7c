import { createStore } from "../store";

/** Project is the directory that `engine console` writes changes to, and the address of the server behind it. */
export interface Project {
  directory: string;
  endpoint: string;
}

/** project is unset in the console that a server has itself. */
export const project = read(document.getElementById("root")?.dataset.project);

/**
 * projectKey is what `engine console` admits requests for. The page that its link opens has stored it; other ports can't read it, as they could a
 * cookie.
 */
export const projectKey = project ? (localStorage.getItem("query-engine-project-key") ?? "") : undefined;

/** projectHeaders are those of each request. */
export const projectHeaders: Record<string, string> =
  projectKey === undefined ? {} : { "x-engine-console-key": projectKey };

function read(text: string | undefined): Project | undefined {
  return text ? (JSON.parse(text) as Project) : undefined;
}

/** Written is what was written of the last change. */
export interface Written {
  files?: number;
  migrations?: string[];
  /** What takes the migrations back was written, too. */
  down?: boolean;
  error?: string;
  differs?: boolean;
}

/** writePath is where the metadata of the server is written over the files. */
export const writePath = "/project/metadata";

/** lastWritten is what was written of the last change, until it is closed. */
export const lastWritten = createStore<Written | undefined>(undefined);

/** takeReport reads what an answer says of the project. */
export function takeReport(h: Headers) {
  const text = project && h.get("x-engine-project");
  if (text) lastWritten.set(JSON.parse(decodeURIComponent(text)) as Written);
}
