import type { Server } from "../../../lib/http/client";
import type { Header } from "../../../lib/http/types";
import { at, type Value } from "../../../lib/json/path";

/** Sample is a body that a webhook gets, with the session variables that belong to it. */
export interface Sample {
  label: string;
  body: unknown;
  session?: Record<string, string>;
}

/** Answered is what a webhook may answer. */
export interface Answered {
  status: number;
  body: unknown;
}

/** Subject is what a form with transforms is about. */
export interface Subject {
  /** What the keys of the transforms begin with. */
  base: "" | "definition.";
  /** The key of the address, and of the variable that has it instead. */
  address: string;
  /** Which requests there are: those that were sent come first. The last one is made up. */
  samples: (server: Server, value: Value, signal: AbortSignal) => Promise<{ requests: Sample[]; answer?: Answered }>;
  /** What of the form the samples depend on. */
  of: (value: Value) => unknown[];
}

/** addressOf is where the webhook of a form is; one that isn't typed yet is somewhere. */
export function addressOf(subject: Subject, value: Value): string | { from_env: string } {
  const text = at(value, subject.address);
  const variable = at(value, `${subject.address}_from_env`);
  if (typeof text === "string" && text) return text;
  return typeof variable === "string" && variable ? { from_env: variable } : "http://webhook.example";
}

/** headersOf are the headers of a form as the engine sends them, with names of variables in braces. */
export function headersOf(subject: Subject, value: Value): [string, string][] {
  const own: [string, string][] = [
    ["content-type", "application/json"],
    ["user-agent", "graphql-engine"],
  ];
  const configured = (at(value, `${subject.base}headers`) as Header[] | undefined) ?? [];
  return [
    ...own,
    ...configured
      .filter((h) => h.name && !own.some(([name]) => name === h.name.toLowerCase()))
      .map((h): [string, string] => [
        h.name,
        h.value_from_env === undefined ? (h.value ?? "") : `{{${h.value_from_env}}}`,
      ]),
  ];
}

/** variablesOf are the variables of the environment in an address and headers, each with a value to begin with. */
export function variablesOf(
  address: string | { from_env: string },
  headers: [string, string][],
): Record<string, string> {
  const text = typeof address === "string" ? address : `{{${address.from_env}}}`;
  const names = (part: string) => [...part.matchAll(/\{\{([^{}]+)\}\}/g)].map((m) => m[1]!.trim());
  const leading = /^\{\{([^{}]+)\}\}/.exec(text)?.[1]?.trim();
  return Object.fromEntries(
    [...names(text), ...headers.flatMap(([, value]) => names(value))].map((n) => [
      n,
      n === leading ? "http://webhook.example" : "value",
    ]),
  );
}

/** answerOf is the answer in the record of a call, undefined for a call without one. */
export function answerOf(response: unknown): Answered | undefined {
  const data = at(response, "data") as { status?: number; body?: unknown } | undefined;
  if (typeof data?.status !== "number" || typeof data.body !== "string") return undefined;
  try {
    return { status: data.status, body: JSON.parse(data.body) as unknown };
  } catch {
    return undefined; // what isn't JSON is null to templates
  }
}
