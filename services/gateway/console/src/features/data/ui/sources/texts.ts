/** The texts of how a database is connected. */
export const texts = {
  connect: "Connect a database",
  connectAbout: "Its tables become a GraphQL API. Nothing in the database changes.",
  kind: "Database type",
  address: "Connection string",
  file: "Path of the file",
  name: "Name in the metadata",
  checking: "Checking the connection…",
  answers: "The database answers.",
  show: "Show the connection string",
  hide: "Hide the connection string",
  connectNow: "Connect",
  allSettings: "All settings",
  found: (tables: number, relationships: number) =>
    `${count(tables, "table")} and ${count(relationships, "relationship")} found`,
  foundNone: "This database has no tables yet",
  foundAbout: "Tracked tables are part of the API. Roles see them once you permit it.",
  trackAll: "Track all",
  choose: "Choose tables",
  createTable: "Create a table",
  looking: "the tables",
  works: "Your API works",
  worksAbout: "This query reads the first rows of your tables.",
  openQuery: "Open in the API page",
  browse: "Browse rows",
  whoMaySee: "Who may see this?",
  queryLabel: "First query",
  resultLabel: "Result of the first query",
};

function count(n: number, what: string): string {
  return `${n.toLocaleString("en")} ${what}${n === 1 ? "" : "s"}`;
}
