import type { Operator } from "../api/comparisons";
import { number } from "../../../lib/json/exact";
import { isRule, isVariable, comparesColumns, type Rule } from "./rule";

/** Typing is how the text of an operand is read. */
export interface Typing {
  type: string | undefined;
  /** It is a list of values, which are typed with commas between them. Other lists are JSON, as those of arrays. */
  list: boolean;
}

/** typingOf is how what an operator takes is typed; keys and paths are texts, whatever the column is. */
export function typingOf(operator: string, type: string | undefined, list: boolean): Typing {
  return {
    type: /^_(has_key|matches|ancestor|descendant)/.test(operator) ? undefined : type,
    list: list && !type?.endsWith("[]"),
  };
}

/** textOfOperand is an operand as it is typed. */
export function textOfOperand(operand: unknown, { type, list }: Typing): string {
  if (operand === null) return "";
  if (typeof operand === "string")
    return isJSONB(type) && parsed(operand) !== undefined ? JSON.stringify(operand) : operand;
  const plain = (v: unknown) =>
    v !== null && typeof v !== "object" && !String(v).includes(",") && String(v).trim() === String(v) && v !== "";
  if (list && Array.isArray(operand) && operand.every(plain)) return operand.join(", ");
  return JSON.stringify(operand) ?? "";
}

/**
 * operandOf reads what was typed as a value of a type of the database. Numbers that JSON can't hold exactly stay text,
 * which the database reads, too.
 */
export function operandOf(text: string, { type, list }: Typing): unknown {
  if (/^x-engine-[^,]*$/i.test(text.trim())) return text.trim();
  if (list) {
    const read = structured(text);
    return Array.isArray(read)
      ? read
      : text
          .split(",")
          .map((t) => t.trim())
          .filter(Boolean)
          .map((t) => scalarOf(t, type));
  }
  if (isJSONB(type)) return parsed(text) ?? text;
  return structured(text) ?? scalarOf(text, type);
}

/** problemOf is what is wrong with what was typed, undefined for nothing; the server isn't asked. */
export function problemOf(operand: unknown, { type, list }: Typing): string | undefined {
  if (list && Array.isArray(operand) && operand.some(isVariable))
    return "In a list this is a text: a session variable stands for the whole list.";
  if (typeof operand !== "string" || operand === "" || isVariable(operand)) return undefined;
  if (
    type &&
    numeric.test(type) &&
    !type.endsWith("[]") &&
    !/^\s*[-+]?(\d+\.?\d*|\.\d+)(e[-+]?\d+)?\s*$|^(nan|[-+]?infinity)$/i.test(operand)
  )
    return "This isn't a number.";
  if (type && /^bool/i.test(type)) return "This is neither true nor false.";
  if (type && /^(geometry|geography)/i.test(type))
    return 'A shape is GeoJSON, as in {"type": "Point", "coordinates": [13.4, 52.5]}.';
  return undefined;
}

function isJSONB(type: string | undefined): boolean {
  return type !== undefined && /^jsonb$/i.test(type);
}

function structured(text: string): unknown {
  return /^\s*[[{]/.test(text) ? parsed(text) : undefined;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const numeric = /^(small|big|tiny|medium)?int|^int|serial|^numeric|^decimal|^real|^float|^double|^money|^number/i;

function scalarOf(text: string, type: string | undefined): unknown {
  if (type && /^bool|^bit$/i.test(type) && (text === "true" || text === "false")) return text === "true";
  const value = Number(text);
  return type && numeric.test(type) && text.trim() !== "" && String(value) === text && Number.isFinite(value)
    ? number(text)
    : text;
}

/** startOfOperand is what an operator begins with: what was there, where it suits. */
export function startOfOperand(
  operator: Operator,
  before: unknown,
  column: unknown,
  type: string | undefined,
  cast: string,
): unknown {
  const { name, list, parts } = operator;
  const array = type?.endsWith("[]") === true;
  const plain = before === undefined || typeof before === "boolean" || isRule(before) ? "" : before;
  if (name === "_is_null") return true;
  if (comparesColumns(name)) return column;
  if (name === "_cast") return { [cast]: {} } satisfies Rule;
  if (parts)
    return isRule(before) && "distance" in before
      ? before
      : { distance: 1, from: isRule(before) ? before : "X-Engine-Place" };
  if (list && !array)
    return Array.isArray(before) || isVariable(before) ? before : plain === "" || plain === null ? [] : [plain];
  if (/^_(contains|contained_in)$/.test(name) && plain === "") return array ? [] : {};
  if (array) return plain;
  return Array.isArray(plain) ? (plain[0] ?? "") : plain;
}
