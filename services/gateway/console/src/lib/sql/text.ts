/** canAlter reports whether the console makes statements that change the tables of a kind of sources. */
export function canAlter(kind: string): boolean {
  return dialectOf(kind) !== undefined;
}

/** Dialect is what statements of a kind of sources are spelt like. */
export type Dialect = "postgres" | "sqlite" | "mssql";

export function dialectOf(kind: string): Dialect | undefined {
  if (kind === "postgres" || kind === "citus" || kind === "cockroach") return "postgres";
  return kind === "sqlite" || kind === "mssql" ? kind : undefined;
}

/** canRehearse reports whether SQL can be tried in sources of a kind. */
export function canRehearse(kind: string): boolean {
  return dialectOf(kind) === "postgres";
}

/** quoteName is a name as an identifier. */
export function quoteName(dialect: Dialect, name: string): string {
  if (name === "" || name.includes("\0"))
    throw new Error("A name has at least one character, and none with the code 0.");
  return dialect === "mssql" ? `[${name.replaceAll("]", "]]")}]` : `"${name.replaceAll('"', '""')}"`;
}

/** quoteText is a text as a literal. */
export function quoteText(dialect: Dialect, text: string): string {
  if (text.includes("\0")) throw new Error("A text has no character with the code 0.");
  const quoted = `'${text.replaceAll("'", "''")}'`;
  if (dialect === "mssql") return `N${quoted}`;
  // A backslash is itself in a plain literal only as long as the server is set so.
  return dialect === "postgres" && text.includes("\\") ? `E${quoted.replaceAll("\\", "\\\\")}` : quoted;
}

/** closings are the ends of what is quoted, by its beginnings. */
const closings: Record<string, string> = { "'": "'", '"': '"', "`": "`", "[": "]" };

/** skip is the place behind what is quoted at a place, undefined when nothing is, and -1 when it has no end. */
function skip(dialect: Dialect, text: string, at: number): number | undefined {
  const tag = dialect === "postgres" && /^\$([A-Za-z_\u0080-\uffff][\w\u0080-\uffff]*)?\$/.exec(text.slice(at));
  if (tag && !/[\w$]/.test(text[at - 1] ?? "")) {
    const end = text.indexOf(tag[0], at + tag[0].length);
    return end < 0 ? -1 : end + tag[0].length;
  }
  const begin = text[at]!;
  const closing = dialect === "postgres" && (begin === "[" || begin === "`") ? undefined : closings[begin];
  if (closing === undefined) return undefined;
  const escapes = dialect === "postgres" && begin === "'" && /(^|[^\w$])[eE]$/.test(text.slice(0, at));
  for (let i = at + 1; i < text.length; i++) {
    if (escapes && text[i] === "\\") i++;
    else if (text[i] === closing && text[i + 1] === closing && (dialect === "mssql" || begin !== "[")) i++;
    else if (text[i] === closing) return i + 1;
  }
  return -1;
}

/**
 * problemOfPart is what is wrong with a part of a statement that is SQL itself, a type or an expression; undefined for
 * nothing. It can't end before its place does: quotes and parentheses are closed in it, and it has neither comments nor
 * what separates statements and parts.
 */
export function problemOfPart(dialect: Dialect, text: string): string | undefined {
  if (text.trim() === "") return "This is empty.";
  const open: string[] = [];
  for (let i = 0; i < text.length;) {
    const behind = skip(dialect, text, i);
    if (behind === -1) return "What is quoted has no end.";
    if (behind !== undefined) {
      i = behind;
      continue;
    }
    const c = text[i]!;
    if (text.startsWith("--", i) || text.startsWith("/*", i)) return "A comment can't be part of it.";
    if (c === ";" || c === "\0") return "It can't have more than one statement.";
    if (c === "," && open.length === 0) return "A comma can only be within parentheses.";
    if (c === "(" || c === "[") open.push(c);
    if (c === ")" && open.pop() !== "(") return "A parenthesis is closed that isn't open.";
    if (c === "]" && open.pop() !== "[") return "A bracket is closed that isn't open.";
    i++;
  }
  return open.length > 0 ? "A parenthesis isn't closed." : undefined;
}

/** part is a type or an expression. It throws what is wrong with it. */
export function part(dialect: Dialect, text: string): string {
  const problem = problemOfPart(dialect, text);
  if (problem) throw new Error(problem);
  return text.trim();
}
