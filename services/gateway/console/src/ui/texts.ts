import type { Widened } from "../features/permissions/model/widened";

/** The texts of shared dialogs. */
export const texts = {
  drops: (objects: number) =>
    objects === 1 ? "This removes, or removes a part of:" : `This removes, or removes parts of, ${objects} objects:`,
  widens: ({ role, operation, table, allRows, whole }: Widened) => {
    if (operation === "insert")
      return whole ? `${role} may insert any row into ${table}.` : `${role} may insert into ${table}.`;
    const rows = whole ? "all rows and columns" : allRows ? "all rows" : "the rows of the rule";
    return `${role} may ${operation} ${rows} of ${table}.`;
  },
  noColumns: "No column is allowed.",
  emptyText: "The rule compares with an empty text.",
  show: (changes: number) => (changes === 1 ? "Show the change" : `Show ${changes} changes`),
};
