/** The texts of a table's permissions. */
export const texts = {
  roles: "Roles and what they may do",
  role: "Role",
  newRole: "New role",
  addRole: "Add role",
  preview: "Preview as role",
  ofRole: "Permissions of a role",
  noRoles: "No role but admin, who may do everything. Add one to share this table.",
  previewRows: "Preview the rows",
  rowsOfRule: "Rows of the rule",
  needs: (variables: string) => `Give ${variables} a value to see the rows.`,
  lets: (count: number, all: number, most: number) => {
    const many = (n: number) => (n > most ? `more than ${most.toLocaleString("en")}` : n.toLocaleString("en"));
    return `The rule lets ${many(count)} of ${many(all)} rows through.`;
  },
  rules: "Rules, as JSON",
  rulesHint: "Each rule allows something: its rows, and its columns in those.",
  several: "Add a rule",
  explained: "Explain a row",
  giveKey: "Give the key of a row to see which rules match it.",
  keyless: (table: string) => `${table} has no primary key, so its rows can't be named.`,
  noSuchRow: "There is no row with this key, or a policy hides it.",
  ruling: "What the role may do with the row",
  rulingOf: (operation: string, allowed: boolean, why: string) =>
    allowed ? `${operation}: allowed by ${why}` : `${operation}: no, ${why}`,
  cells: "Cells that the role sees",
  all: "all",
  part: "in part",
  nothing: "none",
  conflict: "in conflict",
  inherited: (words: string) => `${words}, inherited`,
  cell: (role: string, operation: string, words: string) => `${role} ${operation}: ${words}`,
};
