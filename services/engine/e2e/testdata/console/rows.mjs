// Tests of how rows are found: by conditions, in an order, and by pages.
import assert from "node:assert/strict";
import { axe, has, metadata, opened, signIn, sql, url } from "./harness.mjs";
import { others } from "./sources.mjs";

const rows = (page) => page.getByRole("grid", { name: "Rows" });


/** condition adds one, or changes what it is. */
async function condition(page, number, column, operator, value) {
  const line = page.getByLabel(`Column of condition ${number}`);
  if ((await line.count()) === 0) await page.getByRole("button", { name: number === 1 ? "Filter" : "Add a condition", exact: true }).click();
  await line.selectOption(column);
  await page.getByLabel(`Operator of condition ${number}`).selectOption(operator);
  const control = page.getByLabel(`Value of condition ${number}`);
  if (value === undefined) return;
  if ((await control.evaluate((e) => e.tagName)) === "SELECT") await control.selectOption(value);
  else await control.fill(value);
}

export const tests = {
  async "Rows: several conditions, an order of columns, and the size of pages"({ page }) {
    await sql(`CREATE TABLE part (id int PRIMARY KEY, kind text NOT NULL, size numeric, sold boolean NOT NULL, made date);
      INSERT INTO part SELECT i, CASE i % 3 WHEN 0 THEN '<b>bolt</b>' WHEN 1 THEN 'nut' ELSE 'Nail' END, CASE WHEN i % 10 = 0 THEN NULL ELSE i % 4 END, i % 2 = 0, '2024-01-01'::date + i FROM generate_series(1, 120) i`);
    await metadata("pg_track_table", { table: "part" });
    try {
      await signIn(page);
      await opened(page, "part", "Rows");
      await page.getByText("1 to 50 of 120").waitFor();
      await page.getByLabel("Rows on a page").selectOption("100");
      await page.getByText("1 to 100 of 120").waitFor();
      await page.getByRole("button", { name: "Next" }).click();
      await page.getByText("101 to 120 of 120").waitFor();
      await page.getByLabel("Rows on a page").selectOption("20");
      await page.getByText("1 to 20 of 120").waitFor();
      await page.reload();
      await page.getByText("1 to 20 of 120").waitFor(); // the browser keeps it

      await condition(page, 1, "kind", "=", "<b>bolt</b>");
      await page.getByText("1 to 20 of 40").waitFor();
      await condition(page, 2, "sold", "=", "true");
      await page.getByText("1 to 20 of 20").waitFor();
      await page.getByRole("group", { name: "Conditions" }).getByRole("combobox", { name: "Rows that meet" }).selectOption("any of these conditions");
      await page.getByText("1 to 20 of 80").waitFor();
      await condition(page, 3, "size", "is NULL");
      await axe(page, "rows with conditions");
      await page.getByRole("combobox", { name: "Rows that meet" }).selectOption("all of these conditions");
      await page.getByText("1 to 4 of 4").waitFor();
      await page.getByRole("button", { name: "Remove condition 3" }).click();
      await page.getByText("1 to 20 of 20").waitFor();
      await condition(page, 2, "id", "one of", "3, 6, 9");
      await page.getByText("1 to 3 of 3").waitFor();
      await condition(page, 1, "kind", "not like", "N%");
      await condition(page, 2, "made", "<", "<i>soon</i>");
      await has(page.getByRole("alert"), "invalid input syntax for type date");
      await axe(page, "rows with a condition that is wrong");
      await condition(page, 2, "made", "<", "2024-01-05");
      await page.getByText("1 to 1 of 1").waitFor();
      await page.getByRole("button", { name: "Clear the conditions" }).click();
      await page.getByText("1 to 20 of 120").waitFor();

      // By keys: a column, another one, and the first one turned round.
      await page.getByRole("combobox", { name: "Sort by" }).selectOption("kind");
      await page.getByRole("combobox", { name: "then by" }).selectOption("id");
      await page.getByRole("button", { name: "kind ▲, ascending" }).focus();
      await page.keyboard.press("Enter");
      await page.getByRole("button", { name: "kind ▼, descending" }).waitFor();
      await page.getByRole("button", { name: "id ▲, ascending" }).press("Enter");
      const expected = (await sql("SELECT id FROM part ORDER BY kind DESC, id DESC LIMIT 20")).map(([id]) => id);
      await page.waitForFunction((first) => document.querySelector("[role=rowheader]")?.textContent === first, expected[0]);
      assert.deepEqual(await page.locator("[role=grid][aria-label=Rows] [role=rowheader]").allTextContents(), expected);
      await axe(page, "rows in an order");
      await page.getByRole("button", { name: "Don't sort by kind" }).click();
      await page.waitForFunction(() => document.querySelector("[role=rowheader]")?.textContent === "120");
      await rows(page).getByRole("columnheader", { name: "made" }).click();
      await page.getByRole("button", { name: "made ▲, ascending" }).waitFor();
    } finally {
      await sql("DROP TABLE part", true);
    }
  },

  async "Rows: of sources of other kinds"({ page }) {
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
        await page.getByRole("textbox", { name: "Statements" }).click();
        await page.keyboard.insertText(text);
        await page.getByRole("button", { name: "Run Ctrl Enter" }).click();
        await found();
      };
      const done = () => page.getByRole("status").filter({ hasText: /^(Done|\d+ rows?)$/ }).waitFor();
      await run("library", "CREATE TABLE IF NOT EXISTS book (id INTEGER PRIMARY KEY, title TEXT NOT NULL)", done);
      await run("library", "INSERT OR REPLACE INTO book VALUES (1, 'Solaris'), (2, '<b>Cyberiad</b>')", done);
      await run("ms", "CREATE TABLE shelf (id INT PRIMARY KEY, name NVARCHAR(20) NOT NULL); INSERT INTO shelf VALUES (1, 'upper'), (2, 'lower')", done);
      await run("web", "SELECT page FROM web.visit WHERE customer = 2", () => has(page.getByRole("grid", { name: "Result" }), "<i>cart</i>"));
      await axe(page, "SQL of BigQuery");

      const track = async (source, name) => {
        await page.goto(`${url}/console/data?source=${source}`);
        await page.getByRole("grid", { name: "Tables and views" }).getByRole("row", { name, exact: true }).click();
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
      await page.getByText("SQLite isn't asked for").waitFor();
      await has(page.getByRole("grid", { name: "Constraints" }), "primary key");

      await track("ms", "dbo.shelf");
      await page.getByText("1 to 2 of 2").waitFor();
      await condition(page, 1, "name", "like", "low%");
      await page.getByText("1 to 1 of 1").waitFor();
      await has(rows(page), "lower");

      await track("web", "web.visit");
      await page.getByText("1 to 2 of 2").waitFor();
      const { table } = (await metadata("export_metadata", {})).sources.find((s) => s.name === "web").tables[0];
      assert.deepEqual(table, { dataset: "web", name: "visit" });
      await condition(page, 1, "customer", "=", "2");
      await page.getByText("1 to 1 of 1").waitFor();
      await page.getByText("Rows of a BigQuery source can't be written.").waitFor();
      await axe(page, "rows of BigQuery");
      await page.keyboard.press("Control+k");
      await page.getByRole("dialog", { name: "Search" }).getByRole("searchbox").fill("web.visit");
      await has(page.getByRole("menuitem"), "web.visit");
      await page.keyboard.press("Escape");
      await page.goto(`${url}/console/data?source=web`);
      await page.getByRole("grid", { name: "Tables and views" }).getByRole("row", { name: "web.visit", exact: true }).click();
      await page.getByRole("button", { name: "Untrack 1…" }).click();
      await has(page.getByRole("dialog", { name: "Untrack" }), "remove table web.web.visit");
      await page.getByRole("dialog", { name: "Untrack" }).getByRole("button", { name: "Untrack" }).click();
      await page.getByRole("dialog", { name: "Untrack" }).waitFor({ state: "detached" });
      await page.getByRole("grid", { name: "Tables and views" }).getByText("untracked").waitFor();
    } finally {
      for (const [kind, name] of [["sqlite", "library"], ["bigquery", "web"], ["mssql", "ms"]]) await metadata(`${kind}_drop_source`, { name, cascade: true });
    }
  },
};
