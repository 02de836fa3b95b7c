import { MSSQL, PostgreSQL, SQLite, StandardSQL, type SQLDialect } from "@codemirror/lang-sql";

/** Part is a part of a text. */
export interface Part {
  from: number;
  to: number;
}

/** dialects are those of the editor by kinds of sources; the others have that of PostgreSQL. */
const dialects: Record<string, SQLDialect> = { sqlite: SQLite, mssql: MSSQL, bigquery: StandardSQL };

export function dialectOf(kind: string | undefined): SQLDialect {
  return dialects[kind ?? ""] ?? PostgreSQL;
}

/** statementsIn are the statements of a text, without what separates them. */
export function statementsIn(dialect: SQLDialect, text: string): Part[] {
  const found: Part[] = [];
  for (let node = dialect.language.parser.parse(text).topNode.firstChild; node; node = node.nextSibling) {
    if (node.name === "Statement")
      found.push({
        from: node.from,
        to: text.slice(node.from, node.to).trimEnd().endsWith(";") ? text.lastIndexOf(";", node.to) : node.to,
      });
  }
  return found;
}

/** chosenText is what is selected of a text, or all of it. */
export function chosenText(text: string, selected: Part): string {
  return text.slice(selected.from, selected.to).trim() === "" ? text : text.slice(selected.from, selected.to);
}

/**
 * oneStatement is what is selected when that is one statement, or else the one at the cursor or before it; "" for none.
 */
export function oneStatement(dialect: SQLDialect, text: string, selected: Part): string {
  const within = selected.to > selected.from ? text.slice(selected.from, selected.to) : text;
  const found = statementsIn(dialect, within);
  const at =
    within === text
      ? (found.findLast((s) => s.from <= selected.to) ?? found[0])
      : found.length === 1
        ? found[0]
        : undefined;
  return at ? within.slice(at.from, at.to).trim() : "";
}
