// Tests of the pages for data with sources of other kinds than PostgreSQL.
import assert from "node:assert/strict";
import { cell, closed, pending, retype } from "./grid.mjs";
import { axe, condition, confirm, exporting, has, metadata, others, pick, secret, signIn, type, url, writing } from "./harness.mjs";

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
        await writing(page);
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
      await page.getByRole("tab", { name: "Settings" }).click();
      await page.getByText("Computed fields", { exact: true }).click();
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

  async "Kinds: rows of SQLite are shown, found, and written"({ page }) {
    const kept = {
      tiny: ["SMALLINT", "-32768"], whole: ["INTEGER", "2147483647"], big: ["BIGINT", "9007199254740993"], real: ["REAL", "0.1"], endless: ["DOUBLE", "-9e999"], exact: ["DECIMAL(10,2)", "'12.5'"],
      truth: ["BOOLEAN", "1"], plain: ["TEXT", "'<i>a</i>' || char(10) || '\"b\", \\'"], empty: ["VARCHAR(9)", "''"], word: ["TEXT", "'NULL'"], day: ["DATE", "'2024-02-29'"], hour: ["TIME", "'12:34:56.789'"],
      moment: ["DATETIME", "'2024-02-29 12:34:56.789012'"], moment_there: ["TIMESTAMPTZ", "'2024-02-29 12:34:56.789012'"], id128: ["UUID", "'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11'"],
      doc: ["JSON", "'{\"a\":1.10,\"b\":[9007199254740993]}'"], bytes: ["BLOB", "x'deadbeef00'"],
    };
    const names = Object.keys(kept);
    const run = async (text) => {
      const response = await fetch(url + "/v2/query", { method: "POST", headers: { "x-engine-admin-secret": secret }, body: JSON.stringify({ type: "sqlite_run_sql", args: { source: "grids", sql: text } }) });
      assert.equal(response.status, 200, `${text}: ${await response.clone().text()}`);
      return (await response.json()).result?.slice(1);
    };
    await metadata("sqlite_add_source", { name: "grids", configuration: { connection_info: { database_url: others.sqlite + ".grids", create: true } } });
    try {
      await run(`CREATE TABLE kept (id BIGINT PRIMARY KEY, ${names.map((n) => `"${n}" ${kept[n][0]}`).join(", ")})`);
      await run(`INSERT INTO kept VALUES (9007199254740993, ${names.map((n) => kept[n][1]).join(", ")}); INSERT INTO kept (id) VALUES (9007199254740995)`);
      await run("CREATE TABLE shelf (room INT NOT NULL, no INT NOT NULL, label TEXT, PRIMARY KEY (room, no)); CREATE TABLE tome (id INTEGER PRIMARY KEY, title TEXT NOT NULL CHECK (title <> 'none'), note TEXT, room INT, no INT, FOREIGN KEY (room, no) REFERENCES shelf (room, no))");
      await run("INSERT INTO shelf VALUES (1, 1, 'left'), (1, 2, '<b>right</b>'), (2, 1, 'far'); WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 55) INSERT INTO tome SELECT i, 'tome ' || i, CASE i % 3 WHEN 0 THEN NULL WHEN 1 THEN '' ELSE 'n' END, 1, 1 FROM n");
      await metadata("sqlite_track_tables", { tables: ["kept", "shelf", "tome"].map((name) => ({ source: "grids", table: { name } })) });
      await metadata("sqlite_create_array_relationship", { source: "grids", table: "shelf", name: "tomes", using: { foreign_key_constraint_on: { table: "tome", columns: ["room", "no"] } } });
      await metadata("sqlite_create_object_relationship", { source: "grids", table: "tome", name: "shelf", using: { foreign_key_constraint_on: ["room", "no"] } });
      const open = async (name) => {
        await page.goto(`${url}/console/data?source=grids&table=${name}`);
        await page.getByRole("tab", { name: "Rows", exact: true }).click();
      };
      const save = async () => {
        await page.keyboard.press("Control+s");
        await pending(page).waitFor({ state: "detached" });
      };
      const shown = (text) => page.getByText(text, { exact: true }).waitFor();
      await signIn(page);

      // Values of all types are typed as they are shown, and found.
      await open("kept");
      await has(rows(page), "9007199254740995");
      const texts = await retype(page, names);
      await has(pending(page), `${names.length} changes in 1 row`);
      await save();
      const states = (of) => names.map((n) => `typeof(${of}."${n}") || ' ' || quote(${of}."${n}")`).join(", ");
      const [line] = await run(`SELECT ${states("a")}, ${states("b")} FROM kept a, kept b WHERE a.id < b.id`);
      assert.deepEqual(names.map((n, i) => [n, line[names.length + i]]), names.map((n, i) => [n, line[i]]));
      for (const name of names) {
        if (name === "plain") await condition(page, 1, name, "like", "%A%"); // a condition has one line
        else await condition(page, 1, name, "=", texts[name]);
        await shown("1 to 2 of 2");
        await condition(page, 1, name, "is NULL");
        await shown("0 to 0 of 0");
      }
      await page.getByRole("button", { name: "Clear filters" }).click();
      await shown("1 to 2 of 2");
      await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
      await exporting(page, "Copy as JSON");
      await page.getByRole("status").filter({ hasText: "Copied" }).waitFor();
      const copied = await page.evaluate(() => navigator.clipboard.readText());
      assert.match(copied, /"id": 9007199254740993,/);
      assert.match(copied, /"big": 9007199254740993,/);
      assert.match(copied, /"empty": "",/);
      assert.match(copied, /"truth": true,/);

      // A row by the form: NULL and an empty text differ, and so do NULL and the null of JSON.
      await page.getByRole("button", { name: "Insert row" }).click();
      const form = page.getByRole("dialog", { name: "Insert row" });
      await form.getByLabel("id", { exact: true }).fill("1");
      await form.getByLabel("plain", { exact: true }).fill("x");
      await form.getByLabel("plain", { exact: true }).fill("");
      await form.getByLabel("What word gets").selectOption("null");
      await form.getByLabel("truth", { exact: true }).selectOption("false");
      await form.getByLabel("doc", { exact: true }).fill("null");
      await form.getByRole("button", { name: "Insert", exact: true }).click();
      await form.waitFor({ state: "detached" });
      assert.deepEqual(await run("SELECT quote(plain), quote(word), quote(truth), quote(doc), quote(big) FROM kept WHERE id = 1"), [["''", "NULL", "0", "'null'", "NULL"]]);
      // It is found, and what somebody else has written in another form is changed: JSON with blanks, and a time.
      await rows(page).focus();
      await page.keyboard.press("End"); // only columns that are visible are drawn
      await condition(page, 1, "doc", "=", "null");
      await shown("1 to 1 of 1");
      await rows(page).getByText("null", { exact: true }).waitFor();
      await run(`UPDATE kept SET doc = ' {"a":  1}', moment = '2024-02-29T12:34Z' WHERE id = 1`);
      await condition(page, 1, "doc", "=", ' {"a":  1}');
      await has(rows(page), '{"a":  1}');
      await shown("1 to 1 of 1");
      const doc = await cell(page, 1, "doc");
      await doc.getByRole("textbox").fill("[null]");
      await doc.getByRole("textbox").press("Enter");
      await closed(page, "doc");
      const moment = await cell(page, 1, "moment");
      await moment.getByRole("textbox").fill("2024-03-01T12:34:00");
      await moment.getByRole("textbox").press("Enter");
      await closed(page, "moment");
      await save();
      assert.deepEqual(await run("SELECT quote(doc), quote(moment) FROM kept WHERE id = 1"), [["'[null]'", "'2024-03-01 12:34:00'"]]);

      // Pages, an order, a key of two columns, an error, a relationship both ways, and a deletion.
      await open("tome");
      await shown("1 to 50 of 55");
      await page.getByRole("button", { name: "Next" }).click();
      await shown("51 to 55 of 55");
      await page.getByRole("combobox", { name: "Sort by" }).selectOption("id");
      await page.getByRole("button", { name: "id ▲, ascending" }).click();
      await shown("1 to 50 of 55");
      await page.waitForFunction(() => document.querySelector("[role=rowheader]")?.textContent === "55");
      const no = await cell(page, 1, "no");
      await no.getByRole("combobox").press("ArrowDown");
      await page.getByRole("option", { name: "1 room 2, far" }).click();
      await no.getByRole("combobox").press("Enter");
      await closed(page, "no");
      await has(pending(page), "1 change in 1 row");
      const title = await cell(page, 2, "title");
      await title.getByRole("textbox").fill("none");
      await title.getByRole("textbox").press("Enter");
      await closed(page, "title");
      await page.keyboard.press("Control+s");
      await has(pending(page).getByRole("alert"), "title <> 'none'");
      await page.getByRole("button", { name: "Discard all" }).click();
      assert.deepEqual(await run("SELECT title, room, no FROM tome WHERE id > 53 ORDER BY id"), [["tome 54", "1", "1"], ["tome 55", "2", "1"]]);
      await pick(rows(page).getByRole("row").nth(1));
      await exporting(page, "Copy as CSV");
      await page.getByRole("status").filter({ hasText: "Copied" }).waitFor();
      assert.equal(await page.evaluate(() => navigator.clipboard.readText()), 'id,title,note,room,no\r\n55,tome 55,"",2,1\r\n');
      await page.getByRole("button", { name: "shelf →" }).click();
      await shown("1 to 1 of 1");
      await has(rows(page), "far");
      await pick(rows(page).getByRole("row").nth(1));
      await page.getByRole("button", { name: "tomes →" }).click();
      await shown("1 to 1 of 1");
      await has(rows(page), "tome 55");
      await pick(rows(page).getByRole("row").nth(1));
      await page.getByRole("button", { name: "Delete 1…" }).click();
      await confirm(page, "Delete", "This row is deleted");
      await page.getByText("1 deleted").waitFor();
      assert.deepEqual(await run("SELECT count(*) FROM tome"), [["54"]]);
      await open("shelf");
      await has(rows(page), "left");
      await pick(rows(page).getByRole("row").nth(1));
      await page.getByRole("button", { name: "Delete 1…" }).click();
      await has(page.getByRole("dialog", { name: "Delete" }), "54 of tome refer to it");
    } finally {
      await metadata("sqlite_drop_source", { name: "grids", cascade: true });
    }
  },
};
