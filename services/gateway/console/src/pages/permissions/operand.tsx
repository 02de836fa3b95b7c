import { createContext, use, useId, useState } from "react";
import { variablesIn } from "../../api/seen";
import type { MetadataDocument } from "../../api/types";

/** commonVariables are suggested where the metadata has none yet. */
const commonVariables = ["x-engine-user-id", "x-engine-org-id", "x-engine-allowed-ids"];

/** Variables are the names of session variables that are suggested; any other one can be typed. */
export const Variables = createContext<string[]>(commonVariables);

/** suggested are the variables of documents that were looked through: a document may have many permissions. */
const suggested = new WeakMap<MetadataDocument, string[]>();

/** suggestedOf are the session variables that the metadata uses, with those that are common. */
export function suggestedOf(document: MetadataDocument): string[] {
  const found = suggested.get(document) ?? [...new Set([...variablesIn(document.sources), ...commonVariables])];
  suggested.set(document, found);
  return found;
}

/** Operand edits what a column is compared with: a value, a session variable, a list, or another column. */
export function Operand(props: { label: string; operator: string; type: string | undefined; columns: string[]; values?: string[]; operand: unknown; change: (operand: unknown) => void }) {
  const { label, operator, type, columns, values, operand, change } = props;
  const list = useId();
  const variables = use(Variables);
  const offered = [...(values ?? (type && /^bool|^bit$/i.test(type) ? ["true", "false"] : [])), ...variables];
  const [text, setText] = useState(() => textOfOperand(operand, operator));
  // What was typed is kept as long as it means what is there.
  const shown = JSON.stringify(operandOf(text, operator, type)) === JSON.stringify(operand) ? text : textOfOperand(operand, operator);
  if (operator === "_is_null" && typeof operand === "boolean") {
    return <select aria-label={label} value={String(operand)} onChange={(e) => change(e.target.value === "true")}><option>true</option><option>false</option></select>;
  }
  if (/^_c(eq|neq|gt|lt|gte|lte)$/.test(operator) && typeof operand === "string") {
    return <select aria-label={label} value={operand} onChange={(e) => change(e.target.value)}>{[...new Set([operand, ...columns])].map((c) => <option key={c}>{c}</option>)}</select>;
  }
  return (
    <>
      <input list={list} aria-label={label} autoComplete="off" placeholder="value or X-Engine-…" value={shown} onChange={(e) => { setText(e.target.value); change(operandOf(e.target.value, operator, type)); }} />
      <datalist id={list}>{offered.map((v) => <option key={v} value={v} />)}</datalist>
    </>
  );
}

/** ofLists are the operators whose operands are lists of values, which are typed with commas between them. Other lists are JSON, as those of arrays and of paths to columns. */
const ofLists = new Set(["_in", "_nin", "_has_keys_any", "_has_keys_all"]);

/** textOfOperand is an operand as it is typed. */
function textOfOperand(operand: unknown, operator: string): string {
  if (typeof operand === "string") return operand;
  const plain = (v: unknown) => v !== null && typeof v !== "object" && !String(v).includes(",") && String(v).trim() === String(v) && v !== "";
  if (ofLists.has(operator) && Array.isArray(operand) && operand.every(plain)) return operand.join(", ");
  return JSON.stringify(operand) ?? "";
}

/** operandOf reads what was typed as a value of a type of the database. Numbers that JSON can't hold exactly stay text, which the database reads, too. */
function operandOf(text: string, operator: string, type: string | undefined): unknown {
  if (/^x-engine-[^,]*$/i.test(text.trim())) return text.trim();
  if (ofLists.has(operator)) {
    const read = structured(text);
    return Array.isArray(read) ? read : text.split(",").map((t) => t.trim()).filter(Boolean).map((t) => scalarOf(t, operator.startsWith("_has") ? undefined : type));
  }
  return structured(text) ?? scalarOf(text, type);
}

function structured(text: string): unknown {
  if (!/^\s*[[{]/.test(text)) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const numeric = /^(small|big|tiny|medium)?int|^int|serial|^numeric|^decimal|^real|^float|^double|^money|^number/i;

function scalarOf(text: string, type: string | undefined): unknown {
  if (type && /^bool|^bit$/i.test(type) && (text === "true" || text === "false")) return text === "true";
  const number = Number(text);
  return type && numeric.test(type) && text.trim() !== "" && String(number) === text && Number.isFinite(number) ? number : text;
}
