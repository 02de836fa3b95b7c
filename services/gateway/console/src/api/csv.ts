import { textOf } from "./conditions";
import type { Row } from "./tables";

/** csvOf is rows as CSV (RFC 4180). NULL is an empty field, an empty text a quoted one. */
export function csvOf(columns: string[], rows: Row[]): string {
  const cell = (value: unknown) => {
    if (value === null || value === undefined) return "";
    const text = textOf(value);
    return text === "" || /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
  };
  return [columns, ...rows.map((r) => columns.map((c) => r[c]))].map((line) => line.map(cell).join(",")).join("\r\n") + "\r\n";
}
