import { number, Raw } from "../../../lib/json/exact";
import { hasDate, hasTime } from "../../../lib/moments";

/** isTruth reports whether the values of a type are true and false. */
export const isTruth = (type: string) => /^bool(ean)?$/i.test(type);
export const isJSON = (type: string) => /^jsonb?$/i.test(type);
export const isSpatial = (type: string) => /^geo(metry|graphy)$/i.test(type);
const isDecimal = (type: string) => /^(numeric|decimal)/i.test(type);
const isNumber = (type: string) =>
  /^(big|small|tiny)?int(eger)?$|^(numeric|decimal|real|float|double)/i.test(type) && !type.endsWith("[]");

/**
 * compared are the types that have an equality which holds for each of their values, by their names in all kinds of
 * sources.
 */
const compared =
  /^((big|small|tiny)?int(eger)?|numeric|decimal|real|float\d?|double( precision)?|money|smallmoney|(var|bp|n|nvar)?char|text|citext|name|string|clob|bytea|binary|varbinary|blob|bool(ean)?|bit|varbit|date|time|timetz|timestamp(tz)?|datetime2?|smalldatetime|datetimeoffset|interval|uuid|uniqueidentifier|inet|cidr|macaddr8?|jsonb|(int[48]|num|ts|tstz|date)(multi)?range|oid|ltree)(\(.*\))?(\[\])?$/i;

/**
 * unequal are types of PostgreSQL without = or <>, or with one of something else: that of boxes and circles is about
 * areas, and that of paths about points.
 */
const unequal =
  /^(json|xml|jsonpath|point|line|box|path|polygon|circle|lquery|ltxtquery|pg_snapshot|txid_snapshot|xid|int2vector|oidvector)$/i;

/** isUnequal reports whether a type, or that of the elements of a list, is one of them. */
export const isUnequal = (type: string) => unequal.test(elementOf(type));

/** isKnown reports whether the values of a type, or the elements of a list, are compared as such whatever they are. */
export const isKnown = (type: string) => compared.test(type) || isJSON(elementOf(type)) || isSpatial(elementOf(type));

export const elementOf = (type: string) => type.replace(/\[\]$/, "");

/** comparable reports whether a change can ask for the old value in its condition. */
export function comparable(kind: string, type: string): boolean {
  if (kind === "mssql" && /^n?text$/i.test(type)) return false;
  // SQLite compares the texts of these, which others may have written in another form.
  if (kind === "sqlite" && (isJSON(type) || hasDate(type) || hasTime(type))) return false;
  return compared.test(type);
}

/**
 * hasBounds reports whether a text is that of a list whose elements aren't counted from 1, as PostgreSQL writes it:
 * [0:1]={7,8}.
 */
export const hasBounds = (text: string) => /^(\[-?\d+:-?\d+\])+=/.test(text);

/** problemOfJSON is why a text isn't JSON, undefined for JSON. The places in the messages of browsers are kept. */
export function problemOfJSON(text: string): string | undefined {
  try {
    JSON.parse(text);
    return undefined;
  } catch (e) {
    return `This isn't JSON: ${(e as Error).message.replace(/^JSON\.parse: /, "")}.`;
  }
}

/**
 * typed is the value that a text stands for. It throws what is wrong with it. What the database has to read is left to
 * it.
 */
export function typed(type: string, text: string): unknown {
  if (isTruth(type)) {
    if (text !== "true" && text !== "false") throw new Error("Choose true or false.");
    return text === "true";
  }
  const trimmed = text.trim();
  if (
    isJSON(type) ||
    (type.endsWith("[]") && trimmed.startsWith("[") && !hasBounds(trimmed)) ||
    (isSpatial(type) && trimmed.startsWith("{"))
  ) {
    const problem = problemOfJSON(text);
    if (problem) throw new Error(problem);
    return new Raw(isJSON(type) ? text : trimmed);
  }
  if (isNumber(type) && /^-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?$/.test(trimmed)) {
    // Data operations fill the decimals of a number up, as they always have, and leave those of a text as they are.
    return isDecimal(type) && !/e/i.test(trimmed) ? trimmed : number(trimmed);
  }
  return text;
}
