import type { CompletionContext, CompletionResult } from "@codemirror/autocomplete";
import { syntaxTree } from "@codemirror/language";
import type { SQLDialect } from "@codemirror/lang-sql";
import type { Extension } from "@codemirror/state";
import type { Names } from "../api/names";

/**
 * columnsOf completes the columns of the tables that the statement at the cursor names. Those of a name before a point
 * are the language's own.
 */
export function columnsOf(dialect: SQLDialect, names: Names | undefined): Extension {
  if (!names) return [];
  const tables = new Map<string, Set<string>>();
  for (const schema of Object.values(names)) {
    for (const [table, columns] of Object.entries(schema)) {
      const known = tables.get(table.toLowerCase()) ?? new Set();
      columns.forEach((c) => known.add(c));
      tables.set(table.toLowerCase(), known);
    }
  }
  return dialect.language.data.of({
    autocomplete: (context: CompletionContext): CompletionResult | null => {
      const word = context.matchBefore(/[\w$\u0080-\uffff]*/);
      if (
        !word ||
        (word.from === word.to && !context.explicit) ||
        context.state.sliceDoc(word.from - 1, word.from) === "."
      )
        return null;
      let node = syntaxTree(context.state).resolveInner(context.pos, -1);
      if (/String|Comment/.test(node.name)) return null;
      while (node.parent && node.name !== "Statement") node = node.parent;
      const found = new Map<string, string>();
      for (const [name] of context.state.sliceDoc(node.from, node.to).matchAll(/[\w$\u0080-\uffff]+/g)) {
        for (const column of tables.get(name.toLowerCase()) ?? []) found.set(column, name);
      }
      if (found.size === 0) return null;
      return {
        from: word.from,
        options: [...found].map(([column, table]) => ({
          label: column,
          apply: quoted(column, dialect),
          detail: table,
          type: "property",
          boost: 1,
        })),
        validFor: /^[\w$\u0080-\uffff]*$/,
      };
    },
  });
}

/** quoted is a name as it is written in a statement. */
function quoted(name: string, dialect: SQLDialect): string {
  if (/^[a-z_][a-z0-9_$]*$/.test(name)) return name;
  return dialect.spec.identifierQuotes?.startsWith("`")
    ? `\`${name.replaceAll("`", "``")}\``
    : `"${name.replaceAll('"', '""')}"`;
}
