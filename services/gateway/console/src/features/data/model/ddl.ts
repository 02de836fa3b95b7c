import { part, quoteName, quoteText, type Dialect } from "../../../lib/sql/text";
import { schemaOf } from "./tables";
import type { ColumnDefinition, Definition, Index, Name } from "../../../lib/http/types";

/** Step is a statement, and the one that takes it back, where that is evident. */
export interface Step {
  up: string;
  down?: string;
}

/** ColumnDraft is a column that is to be made, or what one is to be. */
export interface ColumnDraft {
  name: string;
  type: string;
  nullable?: boolean;
  default?: string;
  identity?: string;
  comment?: string;
}

/** KeyDraft is a constraint that is to be made. */
export interface KeyDraft {
  name?: string;
  type: "primary_key" | "unique" | "foreign_key" | "check";
  columns?: string[];
  target?: Name;
  target_columns?: string[];
  on_update?: string;
  on_delete?: string;
  expression?: string;
}

/** IndexDraft is an index that is to be made. */
export interface IndexDraft {
  name?: string;
  columns?: string[];
  expression?: string;
  method?: string;
  unique?: boolean;
  include?: string[];
  where?: string;
}

/** TableDraft is a table that is to be made. */
export interface TableDraft {
  table: Name;
  columns: ColumnDraft[];
  keys: KeyDraft[];
  comment?: string;
}

/** scriptOf is statements as one text, and what takes them back, undefined unless that is evident of all. */
export function scriptOf(steps: Step[]): { up: string; down: string | undefined } {
  const text = (list: string[]) => list.map((s) => `${s};\n`).join("");
  const back = steps.map((s) => s.down).reverse();
  return { up: text(steps.map((s) => s.up)), down: back.every((s) => s !== undefined) ? text(back) : undefined };
}

/** Statements makes the statements of a dialect. What is wrong with a part of one is thrown. */
export class Statements {
  constructor(readonly dialect: Dialect) {}

  name(name: string): string {
    return quoteName(this.dialect, name);
  }

  names(names: string[] | undefined): string {
    if (!names?.length) throw new Error("Choose a column.");
    return `(${names.map((n) => this.name(n)).join(", ")})`;
  }

  table(table: Name): string {
    const schema = schemaOf(table);
    return schema === undefined ? this.name(table.name) : `${this.name(schema)}.${this.name(table.name)}`;
  }

  part(text: string): string {
    return part(this.dialect, text);
  }

  alter(table: Name, what: string): string {
    return `ALTER TABLE ${this.table(table)} ${what}`;
  }

  // Tables.

  createTable(draft: TableDraft): Step[] {
    const { table, columns, keys, comment } = draft;
    if (columns.length === 0) throw new Error("A table has a column.");
    const parts = [...columns.map((c) => this.column(c)), ...keys.map((k) => this.key(table, k).text)];
    return [
      {
        up: `CREATE TABLE ${this.table(table)} (\n  ${parts.join(",\n  ")}\n)`,
        down: `DROP TABLE ${this.table(table)}`,
      },
      ...(comment
        ? [
            {
              up: this.comment("TABLE", this.table(table), comment),
              down: this.comment("TABLE", this.table(table), undefined),
            },
          ]
        : []),
      ...columns.filter((c) => c.comment).map((c) => this.columnComment(table, c.name, c.comment, undefined)),
    ];
  }

  renameTable(table: Name, to: string): Step[] {
    const renamed = { ...table, name: to };
    if (this.dialect === "mssql")
      return [
        {
          up: this.rename(this.table(table), to, "OBJECT"),
          down: this.rename(this.table(renamed), table.name, "OBJECT"),
        },
      ];
    return [
      {
        up: this.alter(table, `RENAME TO ${this.name(to)}`),
        down: this.alter(renamed, `RENAME TO ${this.name(table.name)}`),
      },
    ];
  }

  commentTable(table: Name, comment: string | undefined, before: string | undefined): Step[] {
    return [
      { up: this.comment("TABLE", this.table(table), comment), down: this.comment("TABLE", this.table(table), before) },
    ];
  }

  dropTable(table: Name): Step[] {
    return [{ up: `DROP TABLE ${this.table(table)}` }];
  }

  // Columns.

  addColumn(table: Name, draft: ColumnDraft): Step[] {
    const add = this.dialect === "mssql" ? "ADD" : "ADD COLUMN";
    return [
      {
        up: this.alter(table, `${add} ${this.column(draft)}`),
        down: this.alter(table, `DROP COLUMN ${this.name(draft.name)}`),
      },
      ...(draft.comment ? [this.columnComment(table, draft.name, draft.comment, undefined)] : []),
    ];
  }

  dropColumn(table: Name, name: string): Step[] {
    return [{ up: this.alter(table, `DROP COLUMN ${this.name(name)}`) }];
  }

  /** changeColumn changes what differs; using is how its values become those of another type. */
  changeColumn(table: Name, was: ColumnDefinition, to: ColumnDraft, using?: string): Step[] {
    const steps: Step[] = [];
    const of = `ALTER COLUMN ${this.name(was.name)}`;
    const both = (up: string, down: string) =>
      steps.push({ up: this.alter(table, `${of} ${up}`), down: this.alter(table, `${of} ${down}`) });
    const nullable = to.nullable ?? false;
    if (this.dialect === "mssql" && (to.type !== was.type || nullable !== was.nullable)) {
      const text = (type: string, nulls: boolean) => `${type} ${nulls ? "NULL" : "NOT NULL"}`;
      both(text(this.part(to.type), nullable), text(was.type, was.nullable));
    }
    if (this.dialect === "postgres") {
      const change = (from: string | undefined, next: string | undefined) => {
        const set = (e: string | undefined) => (e ? `SET DEFAULT (${e})` : "DROP DEFAULT");
        if (from !== next) both(set(next && this.part(next)), set(from));
      };
      // The database would have to turn the default into one of the new type, too.
      const anew = to.type !== was.type && !was.generated && was.default !== undefined && was.default !== to.default;
      if (anew) change(was.default, undefined);
      if (to.type !== was.type) {
        both(
          `TYPE ${this.part(to.type)}${using ? ` USING (${this.part(using)})` : ""}`,
          `TYPE ${was.type} USING (${this.name(was.name)}::${was.type})`,
        );
      }
      if (nullable !== was.nullable)
        both(nullable ? "DROP NOT NULL" : "SET NOT NULL", nullable ? "SET NOT NULL" : "DROP NOT NULL");
      if (!was.generated) change(anew ? undefined : was.default, to.default);
      if (to.identity !== was.identity) {
        const kinds: Record<string, string> = { always: "ALWAYS", by_default: "BY DEFAULT" };
        const turn = (from: string | undefined, next: string | undefined) => {
          if (!next) return "DROP IDENTITY";
          return from ? `SET GENERATED ${kinds[next]}` : `ADD GENERATED ${kinds[next]} AS IDENTITY`;
        };
        both(turn(was.identity, to.identity), turn(to.identity, was.identity));
      }
      if ((to.comment ?? "") !== (was.description ?? ""))
        steps.push(this.columnComment(table, was.name, to.comment, was.description));
    }
    if (to.name !== was.name) steps.push(this.renameColumn(table, was.name, to.name));
    return steps;
  }

  private renameColumn(table: Name, from: string, to: string): Step {
    if (this.dialect === "mssql") {
      return {
        up: this.rename(`${this.table(table)}.${this.name(from)}`, to, "COLUMN"),
        down: this.rename(`${this.table(table)}.${this.name(to)}`, from, "COLUMN"),
      };
    }
    const text = (a: string, b: string) => this.alter(table, `RENAME COLUMN ${this.name(a)} TO ${this.name(b)}`);
    return { up: text(from, to), down: text(to, from) };
  }

  private columnComment(table: Name, column: string, comment: string | undefined, before: string | undefined): Step {
    const what = `${this.table(table)}.${this.name(column)}`;
    return { up: this.comment("COLUMN", what, comment), down: this.comment("COLUMN", what, before) };
  }

  /** column is the definition of a column. */
  private column(c: ColumnDraft): string {
    const words = [this.name(c.name), this.part(c.type)];
    if (c.identity)
      words.push(
        this.dialect === "mssql"
          ? "IDENTITY(1, 1)"
          : `GENERATED ${c.identity === "always" ? "ALWAYS" : "BY DEFAULT"} AS IDENTITY`,
      );
    if (!c.nullable) words.push("NOT NULL");
    if (c.default) words.push(`DEFAULT (${this.part(c.default)})`);
    return words.join(" ");
  }

  // Constraints.

  addKey(table: Name, draft: KeyDraft): Step[] {
    const { name, text } = this.key(table, draft);
    return [{ up: this.alter(table, `ADD ${text}`), down: this.alter(table, `DROP CONSTRAINT ${this.name(name)}`) }];
  }

  dropKey(table: Name, key: Definition): Step[] {
    const name = this.name(key.name);
    // A disabled one has more to it than its definition.
    const back =
      key.definition && !/\(disabled\)$/.test(key.definition)
        ? this.alter(table, `ADD CONSTRAINT ${name} ${key.definition}`)
        : undefined;
    return [{ up: this.alter(table, `DROP CONSTRAINT ${name}`), down: back }];
  }

  /** key is a constraint with its name, which follows from the table when it has none. */
  private key(table: Name, k: KeyDraft): { name: string; text: string } {
    const endings = { primary_key: "pkey", unique: "key", foreign_key: "fkey", check: "check" };
    const columns = k.type === "primary_key" || k.type === "check" ? [] : (k.columns ?? []);
    const name = k.name || [table.name, ...columns, endings[k.type]].join("_");
    return { name, text: `CONSTRAINT ${this.name(name)} ${this.demand(k)}` };
  }

  private demand(k: KeyDraft): string {
    switch (k.type) {
      case "primary_key":
        return `PRIMARY KEY ${this.names(k.columns)}`;
      case "unique":
        return `UNIQUE ${this.names(k.columns)}`;
      case "check":
        return `CHECK (${this.part(k.expression ?? "")})`;
      case "foreign_key":
        if (!k.target) throw new Error("Choose a table.");
        return [
          `FOREIGN KEY ${this.names(k.columns)} REFERENCES ${this.table(k.target)} ${this.names(k.target_columns)}`,
          ...(k.on_update ? [`ON UPDATE ${action(k.on_update)}`] : []),
          ...(k.on_delete ? [`ON DELETE ${action(k.on_delete)}`] : []),
        ].join(" ");
    }
  }

  // Indexes.

  addIndex(table: Name, draft: IndexDraft): Step[] {
    const { columns = [], expression, method, unique, include, where } = draft;
    const name = draft.name || [table.name, ...columns, ...(expression ? ["expr"] : []), "idx"].join("_");
    const parts = [...columns.map((c) => this.name(c)), ...(expression ? [`(${this.part(expression)})`] : [])];
    if (parts.length === 0) throw new Error("Choose a column.");
    const words = [
      `CREATE ${unique ? "UNIQUE " : ""}INDEX ${this.name(name)} ON ${this.table(table)}`,
      ...(method ? [`USING ${this.name(method)}`] : []),
      `(${parts.join(", ")})`,
      ...(include?.length ? [`INCLUDE ${this.names(include)}`] : []),
      ...(where ? [`WHERE (${this.part(where)})`] : []),
    ];
    return [{ up: words.join(" "), down: this.dropIndexText(table, name) }];
  }

  dropIndex(table: Name, index: Index): Step[] {
    return [{ up: this.dropIndexText(table, index.name), down: index.definition }];
  }

  private dropIndexText(table: Name, name: string): string {
    if (this.dialect === "mssql") return `DROP INDEX ${this.name(name)} ON ${this.table(table)}`;
    return `DROP INDEX ${this.table({ ...table, name })}`;
  }

  private comment(what: string, of: string, comment: string | undefined): string {
    return `COMMENT ON ${what} ${of} IS ${comment ? quoteText(this.dialect, comment) : "NULL"}`;
  }

  /** rename is the statement of SQL Server, which takes the name as a text. */
  private rename(what: string, to: string, of: string): string {
    this.name(to);
    return `EXEC sp_rename ${quoteText(this.dialect, what)}, ${quoteText(this.dialect, to)}, ${quoteText(this.dialect, of)}`;
  }
}

/** actions are what happens to rows whose row of another table goes. */
export const actions = ["NO ACTION", "RESTRICT", "CASCADE", "SET NULL", "SET DEFAULT"];

function action(text: string): string {
  if (!actions.includes(text)) throw new Error("There is no such action.");
  return text;
}
