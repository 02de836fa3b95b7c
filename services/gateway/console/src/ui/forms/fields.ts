import type { ReactNode } from "react";
import { ApiError } from "../../lib/http/client";
import type { Name, Source } from "../../lib/http/types";
import type { CustomProps } from "./controls";

/** Value is what a form edits: the arguments of an operation. */
export type Value = Record<string, unknown>;

/** Field is a part of the arguments that a form has a control for. */
export interface Field {
  /** The keys to it, as in retry_conf.num_retries. */
  path: string;
  /** Other parts that its control edits. */
  others?: string[];
  label: string;
  /** The options of an object are JSON. */
  kind: "text" | "number" | "flag" | "choice" | "object" | "headers" | "json" | "operation" | "long" | "list" | "mapping" | "custom";
  options?: { value: string; label: string }[];
  /** What a mapping maps, and the table that it maps to. */
  left?: string[];
  right?: { source: Source; table: Name };
  /** The control of a custom field, with its label. */
  control?: (props: CustomProps) => ReactNode;
  hint?: string;
  /** What is said of what it holds, in place of the hint. */
  about?: (part: unknown, value: Value) => ReactNode;
  /** Texts that it may be, among others. */
  suggestions?: string[];
  /** The part of the form that it is in, which is closed as long as none of its fields has a value. */
  section?: string;
  /** What is wrong with a text, undefined for nothing; the server isn't asked. */
  check?: (text: string) => string | undefined;
  required?: boolean;
  /** It is shown, but can't be changed. */
  fixed?: boolean;
}

/** at is what lies at a path, undefined where nothing does. */
export function at(value: unknown, path: string): unknown {
  let found = value;
  for (const key of path.split(".")) found = typeof found === "object" && found !== null ? (found as Value)[key] : undefined;
  return found;
}

/** put is the value with another part. A part that is undefined goes, and with it objects that are empty then. */
export function put(value: Value, path: string, part: unknown): Value {
  const [key, ...rest] = path.split(".") as [string, ...string[]];
  const below = value[key];
  let changed = part;
  if (rest.length > 0) {
    const object = put(typeof below === "object" && below !== null && !Array.isArray(below) ? (below as Value) : {}, rest.join("."), part);
    changed = Object.keys(object).length > 0 ? object : undefined;
  }
  const { [key]: _, ...others } = value;
  return changed === undefined ? others : { ...others, [key]: changed };
}

/** parsing is what the messages about arguments that can't be read begin with. */
const parsing = /^Error when parsing command [^]*Internal error message: /;

/** faultOf is what an error says about the field at a path, with the place in it; undefined when it is about another one. */
export function faultOf(error: unknown, path: string): string | undefined {
  if (!(error instanceof ApiError) || !error.path) return undefined;
  const missing = /^key "(\w+)" not found$/.exec(error.message.replace(parsing, ""))?.[1];
  const given = error.path.replace(/^\$(\.args(\[\d+\])?)+\.?/, ""); // of one of a bulk, too
  const place = missing ? [given, missing].filter(Boolean).join(".") : given;
  if (!place.startsWith(path) || !/^($|[.[])/.test(place.slice(path.length))) return undefined;
  const inside = place.slice(path.length).replace(/^\./, "");
  const message = `${error.message.replace(parsing, "")} (${error.code}, ${error.path})`;
  return /[^\d[\]]/.test(inside) ? `${inside}: ${message}` : message;
}
