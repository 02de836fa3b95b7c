// Tests of the pages for data with sources of other kinds than PostgreSQL.
import assert from "node:assert/strict";
import { axe, condition, has, metadata, pick, secret, signIn, type, url } from "./harness.mjs";
import { others } from "./sources.mjs";

const rows = (page) => page.getByRole("grid", { name: "Rows" });

/** statements runs SQL in a source, whatever comes of it. */
async function statements(source, type, text) {
  await fetch(url + "/v2/query", { method: "POST", headers: { "x-engine-admin-secret": secret }, body: JSON.stringify({ type, args: { source, sql: text, cascade: true } }) });
}

export const tests = {
  async "Kinds: SQL, tables, rows and root fields of SQLite, SQL Server and BigQuery"({ page }) {
    await metadata("sqlite_add_source", { name: "library", configuration: { connection_info: { database_url: others.sqlite, create: true } } });
    await metadata("bigquery_add_source", { name: "web", configuration: { project_id: others.project, datasets: ["web"], endpoint: others.bigquery } });
    await metadata("mssql_add_source", { name: "ms", configuration: { connection_info: { connection_string: others.mssql } } });
    try {
      await signIn(page);
      // SQL of each kind has a page, and what it makes is tracked.
      const run = async (source, text, found) => {
        await page.goto(url + "/console/sql");
        await page.getByRole("combobox", { name: "Source" }).selectOption(source);
        await page.getByText("Only read").click();
        await type(page, "Statements", text);
        await page.getByRole("button", { name: "Run Ctrl Enter" }).click();
        await found();
      };
      const done = () => page.getByRole("status").filter({ hasText: /^(Done|\d+ rows?|\d+ statements) in / }).waitFor();
      await run("library", "CREATE TABLE IF NOT EXISTS book (id INTEGER PRIMARY KEY, title TEXT NOT NULL CHECK (title <> '<b>none</b>')); CREATE INDEX IF NOT EXISTS by_title ON book (lower(title) DESC)", done);
      await run("library", "INSERT OR REPLACE INTO book VALUES (1, 'Solaris'), (2, '<b>Cyberiad</b>')", done);
      await run("ms", "CREATE TABLE shelf (id INT PRIMARY KEY, name NVARCHAR(20) NOT NULL); INSERT INTO shelf VALUES (1, 'upper'), (2, 'lower')", done);
      await run("web", "SELECT page FROM web.visit WHERE customer = 2", () => has(page.getByRole("grid", { name: "Result" }), "<i>cart</i>"));
      await axe(page, "SQL of BigQuery");

      const track = async (source, name) => {
        await page.goto(`${url}/console/data?source=${source}`);
        await pick(page.getByRole("grid", { name: "Tables and views" }).getByRole("row", { name, exact: true }));
        await page.getByRole("button", { name: "Track 1", exact: true }).click();
        await page.getByRole("button", { name: `Open ${name}`, exact: true }).click();
      };
      await track("library", "book");
      await page.getByText("1 to 2 of 2").waitFor();
      await condition(page, 1, "title", "like", "sol%");
      await page.getByText("1 to 1 of 1").waitFor();
      await condition(page, 1, "id", ">", "1");
      await has(rows(page), "<b>Cyberiad</b>");
      await page.getByRole("tab", { name: "Structure" }).click();
      await has(page.getByRole("grid", { name: "Constraints" }), "CHECK (title <> '<b>none</b>')");
      await has(page.getByRole("grid", { name: "Indexes" }), "lower(title)");

      await track("ms", "dbo.shelf");
      await page.getByText("1 to 2 of 2").waitFor();
      await condition(page, 1, "name", "like", "low%");
      await page.getByText("1 to 1 of 1").waitFor();
      await has(rows(page), "lower");
      await page.getByRole("tab", { name: "Structure" }).click();
      await has(page.getByRole("grid", { name: "Indexes" }), "clustered");
      await has(page.getByRole("grid", { name: "Constraints" }), "PRIMARY KEY CLUSTERED ([id])");

      await page.goto(url + "/console/data?source=ms&view=queries");
      await page.getByRole("button", { name: "Add a logical model" }).click();
      await page.getByLabel("Name", { exact: true }).fill("found");
      await page.getByLabel("Fields", { exact: true }).fill('[{"name": "id", "type": "int"}]');
      await page.getByRole("button", { name: "Add", exact: true }).click();
      await page.getByRole("button", { name: "Delete found" }).waitFor();
      await page.getByRole("button", { name: "Add a stored procedure" }).click();
      await page.getByLabel("Procedure", { exact: true }).fill("<b>none</b>");
      await page.getByLabel("Logical model of its rows").selectOption("found");
      await page.getByLabel("Name of the field").fill("2nd");
      await page.getByText("This isn't a GraphQL name").waitFor();
      await page.getByLabel("Name of the field").fill("second");
      await axe(page, "a stored procedure");
      await page.getByRole("button", { name: "Add", exact: true }).click();
      await has(page.getByRole("alert"), "<b>none</b>");

      await run("web", "CREATE TABLE FUNCTION web.visits_like(who INT64, pattern STRING) AS (SELECT * FROM web.visit WHERE customer = who AND page LIKE pattern)", done);
      await track("web", "web.visit");
      await page.getByText("1 to 2 of 2").waitFor();
      const { table } = (await metadata("export_metadata", {})).sources.find((s) => s.name === "web").tables[0];
      assert.deepEqual(table, { dataset: "web", name: "visit" });
      await condition(page, 1, "customer", "=", "2");
      await page.getByText("1 to 1 of 1").waitFor();
      await page.getByText("Rows of a BigQuery source can't be written.").waitFor();
      await axe(page, "rows of BigQuery");
      await page.getByRole("tab", { name: "Computed fields" }).click();
      await page.getByRole("button", { name: "Add a computed field" }).click();
      await page.getByLabel("Name", { exact: true }).fill("like_it");
      await page.getByLabel("Dataset of the function").fill("web");
      await page.getByLabel("Table function").fill("visits_like");
      await page.getByLabel("Arguments that get columns").fill('{"who": "customer"}');
      await page.getByLabel("Table of its rows").selectOption("web.visit");
      await axe(page, "a computed field of BigQuery");
      await page.getByRole("button", { name: "Add", exact: true }).click();
      await page.getByRole("button", { name: "Delete like_it" }).waitFor();
      await page.keyboard.press("Control+k");
      await page.getByRole("dialog", { name: "Search" }).getByRole("searchbox").fill("web.visit");
      await has(page.getByRole("menuitem"), "web.visit");
      await page.keyboard.press("Escape");
      await page.goto(`${url}/console/data?source=web`);
      await pick(page.getByRole("grid", { name: "Tables and views" }).getByRole("row", { name: "web.visit", exact: true }));
      await page.getByRole("button", { name: "Untrack 1…" }).click();
      await has(page.getByRole("dialog", { name: "Untrack" }), "remove table web.web.visit");
      await page.getByRole("dialog", { name: "Untrack" }).getByRole("button", { name: "Untrack" }).click();
      await page.getByRole("dialog", { name: "Untrack" }).waitFor({ state: "detached" });
      await page.getByRole("grid", { name: "Tables and views" }).getByText("untracked").waitFor();
    } finally {
      await statements("ms", "mssql_run_sql", "DROP TABLE shelf");
      for (const [kind, name] of [["sqlite", "library"], ["bigquery", "web"], ["mssql", "ms"]]) await metadata(`${kind}_drop_source`, { name, cascade: true });
    }
  },
};
