import { number } from "./exact";

/** isTruth reports whether the values of a type are true and false. */
export const isTruth = (type: string) => /^bool(ean)?$/i.test(type);
const isJSON = (type: string) => /^jsonb?$/i.test(type);
const isNumber = (type: string) => /^(big|small|tiny)?int(eger)?$|^(numeric|decimal|real|float|double)/i.test(type) && !type.endsWith("[]");

/** comparable reports whether values of a type have an equality, so that a change can ask for the old one. */
export function comparable(kind: string, type: string): boolean {
  const without = kind === "mssql" ? /^(n?text|image|xml|geometry|geography)$/i : /^(json|xml|point|path|polygon|line|lseg|box|circle)$/i;
  return !without.test(type);
}

/** typed is the value that a text stands for. It throws what is wrong with it. What the database has to read is left to it. */
export function typed(type: string, text: string): unknown {
  if (isTruth(type)) {
    if (text !== "true" && text !== "false") throw new Error("Choose true or false.");
    return text === "true";
  }
  if (isJSON(type) || (type.endsWith("[]") && text.trimStart().startsWith("["))) {
    try {
      return JSON.parse(text);
    } catch {
      throw new Error("This isn't JSON.");
    }
  }
  if (isNumber(type) && /^-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?$/.test(text.trim())) return number(text.trim());
  return text;
}
