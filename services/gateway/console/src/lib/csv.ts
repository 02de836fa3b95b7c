import { textOf } from "./json/exact";
import { Written } from "./json/exact";
import type { Row } from "./json/rows";

/**
 * csvOf is rows as CSV (RFC 4180). NULL is an empty field, an empty text a quoted one. Lists and composite values are
 * those of the database, which other programs read.
 */
export function csvOf(columns: string[], rows: Row[]): string {
  return csvOfLines(
    columns,
    rows.map((r) => columns.map((c) => r[c])),
  );
}

/** csvOfLines is csvOf for rows that are lists, of which several columns may have one name. */
export function csvOfLines(columns: string[], rows: unknown[][]): string {
  const cell = (value: unknown) => {
    if (value === null || value === undefined) return "";
    const text = value instanceof Written ? value.text : textOf(value);
    return text === "" || /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
  };
  return [columns, ...rows].map((line) => line.map(cell).join(",")).join("\r\n") + "\r\n";
}

/**
 * readList are values with commas or line ends between them, as somebody types them or pastes a column: fields of CSV,
 * around which blanks don't count. An empty text is one in quotes.
 */
export function readList(text: string): string[] {
  const value = /[^\S\r\n]*(?:"([^"]*(?:""[^"]*)*)"[^\S\r\n]*|(?![^\S\r\n]*")([^,\r\n]*))(?:,|\r\n|\n|\r|$)/y;
  const values: string[] = [];
  while (value.lastIndex < text.length) {
    const found = value.exec(text);
    if (!found) throw new Error("A value that begins with a quote ends with one, and has two for each of its own.");
    const [, quoted, plain = ""] = found;
    if (quoted !== undefined) values.push(quoted.replaceAll('""', '"'));
    else if (plain.trim()) values.push(plain.trim());
  }
  return values;
}

/**
 * readCSV is what csvOf has written, or another program: fields are texts, and null where they are empty without
 * quotes. A line end of any kind ends a row.
 */
export function readCSV(text: string): (string | null)[][] {
  const field = /(?:"([^"]*(?:""[^"]*)*)"|([^",\r\n]*))(,|\r\n|\n|\r|$)/y;
  const rows: (string | null)[][] = [];
  let row: (string | null)[] = [];
  field.lastIndex = text.startsWith("\ufeff") ? 1 : 0;
  while (field.lastIndex < text.length || row.length > 0) {
    const found = field.exec(text);
    if (!found) throw new Error(`Row ${rows.length + 1}: a quote isn't where a field begins or ends.`);
    const [, quoted, plain, end] = found;
    row.push(quoted !== undefined ? quoted.replaceAll('""', '"') : plain || null);
    if (end === ",") continue;
    rows.push(row);
    row = [];
  }
  return rows;
}
