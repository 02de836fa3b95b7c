import { ApiError } from "../../lib/http/client";

/** parsing is what the messages about arguments that can't be read begin with. */
const parsing = /^Error when parsing command [^]*Internal error message: /;

/**
 * faultOf is what an error says about the field at a path, with the place in it; undefined when it is about another
 * one.
 */
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
