import { number, Raw } from "./exact";
import { literalOf } from "./literals";

/** isTruth reports whether the values of a type are true and false. */
export const isTruth = (type: string) => /^bool(ean)?$/i.test(type);
export const isJSON = (type: string) => /^jsonb?$/i.test(type);
const isSpatial = (type: string) => /^geo(metry|graphy)$/i.test(type);
const isDecimal = (type: string) => /^(numeric|decimal)/i.test(type);
const isNumber = (type: string) => /^(big|small|tiny)?int(eger)?$|^(numeric|decimal|real|float|double)/i.test(type) && !type.endsWith("[]");

/** compared are the types that have an equality which holds for each of their values, by their names in all kinds of sources. */
const compared =
  /^((big|small|tiny)?int(eger)?|numeric|decimal|real|float\d?|double( precision)?|money|smallmoney|(var|bp|n|nvar)?char|text|citext|name|string|clob|bytea|binary|varbinary|blob|bool(ean)?|bit|varbit|date|time|timetz|timestamp(tz)?|datetime2?|smalldatetime|datetimeoffset|interval|uuid|uniqueidentifier|inet|cidr|macaddr8?|jsonb|int[48]range|numrange|tsrange|tstzrange|daterange|oid|ltree)(\(.*\))?(\[\])?$/i;

/** comparable reports whether a change can ask for the old value in its condition. */
export function comparable(kind: string, type: string): boolean {
  return compared.test(type) && !(kind === "mssql" && /^n?text$/i.test(type));
}

/** problemOfJSON is why a text isn't JSON, undefined for JSON. The places in the messages of browsers are kept. */
export function problemOfJSON(text: string): string | undefined {
  try {
    JSON.parse(text);
    return undefined;
  } catch (e) {
    return `This isn't JSON: ${(e as Error).message.replace(/^JSON\.parse: /, "")}.`;
  }
}

/** typed is the value that a text stands for. It throws what is wrong with it. What the database has to read is left to it. */
export function typed(type: string, text: string): unknown {
  if (isTruth(type)) {
    if (text !== "true" && text !== "false") throw new Error("Choose true or false.");
    return text === "true";
  }
  const trimmed = text.trim();
  if (isJSON(type) || (type.endsWith("[]") && trimmed.startsWith("[")) || (isSpatial(type) && trimmed.startsWith("{"))) {
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

/** textIn is the text by which a value is typed, with which typed gives the same value; undefined where none is known. */
export function textIn(type: string, value: unknown): string | undefined {
  if (typeof value === "string") return value;
  if (!(value instanceof Raw)) return value === undefined || value === null ? "" : JSON.stringify(value);
  return isJSON(type) || isSpatial(type) ? value.text : literalOf(type, value.toJSON()) ?? (type.endsWith("[]") ? value.text : undefined);
}
