import { parseTree } from "jsonc-parser";
import { isExact, parseExact, Raw } from "./exact";

/** Row is a row by the names of its columns. */
export type Row = Record<string, unknown>;

/** parseRows reads rows. Numbers aren't rounded, and objects and lists keep their texts. */
export function parseRows(text: string): unknown {
  const rows = parseExact(text) as Row[];
  if (!Array.isArray(rows) || !rows.some((r) => Object.values(r).some(isNested))) return rows;
  parseTree(text)?.children?.forEach((row, i) => {
    for (const { children: [key, value] = [] } of row.children ?? []) {
      const name = key?.value as string;
      if (value && isNested(rows[i]![name]))
        rows[i]![name] = new Raw(text.slice(value.offset, value.offset + value.length));
    }
  });
  return rows;
}

const isNested = (value: unknown) => value !== null && typeof value === "object" && !isExact(value);
