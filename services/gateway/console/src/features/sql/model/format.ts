import { bigquery, formatDialect, postgresql, sqlite, transactsql } from "sql-formatter";

/** formatted is SQL laid out in lines. It throws where the text can't be read. */
export function formatted(kind: string, text: string): string {
  const dialect = { sqlite, mssql: transactsql, bigquery }[kind] ?? postgresql;
  return formatDialect(text, { dialect });
}
