// Tests of the page for SQL.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { area, axe, broken, has, metadata, others, signIn, sql, type, unfold, until, url, writing } from "./harness.mjs";

const status = (page, text) => page.getByRole("status").filter({ hasText: text }).waitFor();
const press = (page, name) => page.getByRole("button", { name, exact: true }).click();

export const tests = {
  async "SQL"({ page }) {
    await signIn(page);
    await area(page, "SQL");
    const run = page.getByRole("button", { name: "Run Ctrl Enter" });
    await type(page, "Statements", "SELECT id, name FROM author ORDER BY id");
    await run.click();
    await has(page.getByRole("grid", { name: "Result" }), "Ben");
    await axe(page, "SQL with a result");
    await type(page, "Statements", "CREATE TABLE made (id int)");
    await run.click();
    await has(page.getByRole("alert"), "read-only transaction");
    await axe(page, "SQL with an error");
    await writing(page);
    await run.click();
    await page.getByRole("status").filter({ hasText: "Done" }).waitFor();
    const offer = page.getByRole("group", { name: "Tables to track" });
    await has(offer, "public.made isn't part of the API yet.");
    await axe(page, "a table that could be tracked");
    await offer.getByRole("button", { name: "Track" }).click();
    await offer.waitFor({ state: "detached" });
    await page.getByRole("checkbox", { name: "Read-only" }).waitFor({ state: "attached" });
    await page.reload(); // the tab remembers that statements may write
    assert.equal(await page.getByRole("checkbox", { name: "Read-only" }).evaluate((e) => e.checked), false);
    await type(page, "Statements", "DROP TABLE made");
    await page.keyboard.press("Control+Enter");
    await page.getByRole("status").filter({ hasText: "Done" }).waitFor();
    assert.equal(await page.getByRole("alert").count(), 0);
  },

  async "SQL: what depends on a table, and a dry run"({ page }) {
    await sql('CREATE TABLE tried (id int PRIMARY KEY, "<b>odd</b>" text)');
    await metadata("pg_track_table", { table: "tried" });
    await metadata("pg_create_select_permission", { table: "tried", role: "reader", permission: { columns: ["<b>odd</b>"], filter: {} } });
    try {
      await signIn(page);
      await area(page, "SQL");
      await writing(page);
      await type(page, "Statements", 'ALTER TABLE tried DROP COLUMN "<b>odd</b>"; SELECT 7 AS seven');
      await page.getByRole("button", { name: "Dry run" }).click();
      await has(page.getByRole("alert"), "permission tried.reader.select");
      await page.getByRole("button", { name: "See what would be dropped" }).click();
      const changes = page.getByRole("region", { name: "What would change" });
      await unfold(changes);
      await has(changes.getByLabel("What differs"), "<b>odd</b>");
      await has(page.getByRole("status"), "and rolled back");
      await has(page.getByRole("grid", { name: "Result" }), "7");
      await axe(page, "SQL after a dry run");
      assert.equal(await page.locator("main b").count(), 0);
      assert.deepEqual(await sql("SELECT count(\"<b>odd</b>\") FROM tried"), [["0"]]);
      await type(page, "Statements", "DROP TABLE tried; COMMIT");
      await page.getByRole("button", { name: "Dry run" }).click();
      await has(page.getByRole("alert"), "query execution failed");
      await type(page, "Statements", 'ALTER TABLE tried DROP COLUMN "<b>odd</b>"');
      await page.keyboard.press("Control+Enter");
      await page.getByRole("status").filter({ hasText: /^Done in / }).waitFor();
    } finally {
      await sql("DROP TABLE tried", true);
    }
  },

  async "SQL: a server that fails, is gone, or is slow"({ page }) {
    await signIn(page);
    await broken(page, "SQL", url + "/v1/metadata", () => page.getByRole("textbox", { name: "Statements" }).waitFor());
  },

  async "SQL: several results, files, and a history"({ page }) {
    await sql("CREATE TABLE several (id bigint, label text); INSERT INTO several SELECT n, 'row ' || n FROM generate_series(1, 450) n");
    try {
      await signIn(page);
      await area(page, "SQL");
      await type(page, "Statements", `SELECT 9007199254740993 AS big, NULL AS nothing, '<b>"x"</b>, y' AS odd, 'NULL' AS word; SELECT id, label FROM several ORDER BY id`);
      await page.keyboard.press("Control+Enter");
      await status(page, /^2 statements in \d/);
      const first = page.getByRole("region", { name: "Result 1" });
      await has(first.getByRole("grid"), "9007199254740993");
      assert.equal(await page.locator("main b").count(), 0);
      assert.equal(await first.locator(".null").count(), 1, "a text isn't NULL");
      const second = page.getByRole("region", { name: "Result 2" });
      await has(second.getByRole("heading"), "450 rows");
      assert.equal(await second.getByRole("row").count(), 201);
      await second.getByRole("button", { name: "Show 200 more" }).click();
      await has(second.getByRole("row"), "row 400");
      await axe(page, "SQL with several results");
      const of = async (region, name) => {
        const [download] = await Promise.all([page.waitForEvent("download"), region.getByRole("button", { name }).click()]);
        return readFileSync(await download.path(), "utf8");
      };
      assert.equal(await of(first, "Download as CSV"), 'big,nothing,odd,word\r\n9007199254740993,,"<b>""x""</b>, y",NULL\r\n');
      assert.match(await of(first, "Download as JSON"), /"big": 9007199254740993,\n\s+"nothing": null/);
      assert.equal(JSON.parse(await of(second, "Download as JSON")).length, 450);

      // All of them are done, or none.
      await writing(page);
      await type(page, "Statements", "DELETE FROM several; INSERT INTO several VALUES (0, 'x'); SELECT * FROM no_such");
      await page.keyboard.press("Control+Enter");
      await has(page.getByRole("alert"), "no_such");
      assert.deepEqual(await sql("SELECT count(*) FROM several"), [["450"]]);
      await type(page, "Statements", "UPDATE several SET label = '' WHERE id <= 3; SELECT count(*) FROM several WHERE label = ''");
      await page.keyboard.press("Control+Enter");
      await page.getByText("1. UPDATE 3").waitFor();
      await has(page.getByRole("grid", { name: "Result" }), "3");

      // What is selected runs alone.
      await type(page, "Statements", "DELETE FROM several");
      await page.keyboard.press("Home");
      await page.keyboard.insertText("SELECT 1 AS one\n;\n");
      await page.keyboard.press("Control+Home");
      await page.keyboard.press("Shift+End");
      await page.getByRole("button", { name: "Run the selection Ctrl Enter" }).waitFor();
      await page.keyboard.press("Control+Enter");
      await has(page.getByRole("grid", { name: "Result" }), "one");
      assert.deepEqual(await sql("SELECT count(*) FROM several"), [["450"]]);

      // Run outside a transaction, for what can't have one.
      await type(page, "Statements", "VACUUM several");
      await page.keyboard.press("Control+Enter");
      await has(page.getByRole("alert"), "VACUUM");
      await page.getByText("Run outside a transaction", { exact: true }).click();
      await page.keyboard.press("Control+Enter");
      await page.getByText("VACUUM", { exact: true }).waitFor();

      await page.getByRole("tab", { name: "History" }).click();
      const history = page.getByRole("list", { name: "History" });
      await has(history.getByRole("listitem").first(), "VACUUM several");
      assert.equal(await history.getByRole("button", { name: "VACUUM several", exact: true }).count(), 1, "the same is there once");
      await page.getByLabel("Find in the history").fill("update SEVERAL");
      await history.getByRole("button", { name: /^Keep UPDATE several/ }).click();
      await axe(page, "SQL with its history");
      await history.getByRole("button", { name: /^UPDATE several/ }).click();
      await has(page.getByRole("textbox", { name: "Statements" }), "UPDATE several");
      const kept = await page.evaluate(() => localStorage.getItem("query-engine-sql-kept") + localStorage.getItem("query-engine-history"));
      assert.ok(kept.includes("UPDATE several") && !kept.includes("VACUUM"), "what isn't kept ends with the tab");
      await page.reload();
      await has(page.getByRole("textbox", { name: "Statements" }), "UPDATE several");
    } finally {
      await sql("DROP TABLE several", true);
    }
  },

  async "SQL: a running statement is cancelled in the database"({ page }) {
    const running = async () => Number((await sql("SELECT count(*) FROM pg_stat_activity WHERE state = 'active' AND query LIKE '%pg_sleep(%1234%' AND pid <> pg_backend_pid()"))[0][0]);
    await signIn(page);
    await area(page, "SQL");
    for (const reads of [true, false]) {
      if (!reads) await writing(page);
      await type(page, "Statements", "SELECT pg_sleep(1234)");
      await page.keyboard.press("Control+Enter");
      await page.getByText("Running…").waitFor();
      await until(async () => (await running()) === 1, "it runs");
      await press(page, "Cancel");
      await status(page, "Cancelled");
      await until(async () => (await running()) === 0, "it is still running");
    }
    await axe(page, "SQL that was cancelled");
    await type(page, "Statements", "SELECT 5 AS five");
    await page.keyboard.press("Control+Enter");
    await has(page.getByRole("grid", { name: "Result" }), "5");
  },

  async "SQL: plans, completion and format"({ page }) {
    await sql("CREATE TABLE planned (id int PRIMARY KEY, a_rare_name text); INSERT INTO planned SELECT n, repeat('x', n % 7) FROM generate_series(1, 2000) n; ANALYZE planned");
    try {
      await signIn(page);
      await area(page, "SQL");
      await type(page, "Statements", "SELECT 1;\nSELECT a.id FROM planned a JOIN planned b ON a.id = b.id WHERE b.a_rare_name = 'xxx' ORDER BY a.a_rare_name");
      await press(page, "Explain");
      const plan = page.getByRole("region", { name: "Plan" });
      await has(plan.getByRole("list", { name: "Steps" }), "Seq Scan on planned");
      await has(plan, "cost");
      await press(page, "Explain analyze");
      await has(plan, "execution time");
      await has(plan, /\d+ rows/);
      await plan.getByText("More", { exact: true }).first().click();
      await axe(page, "SQL with a plan");
      // What writes is measured, and rolled back, where that is allowed.
      await type(page, "Statements", "DELETE FROM planned WHERE id > 10");
      await press(page, "Explain analyze");
      await has(page.getByRole("alert"), "read-only transaction");
      await writing(page);
      await press(page, "Explain analyze");
      await has(plan, "Delete on planned");
      assert.deepEqual(await sql("SELECT count(*) FROM planned"), [["2000"]]);

      await type(page, "Statements", "select id from planned where plan");
      const editor = page.getByRole("textbox", { name: "Statements" });
      await type(page, "Statements", "SELECT planned.a_r");
      await page.keyboard.press("Control+Space");
      await page.getByRole("option", { name: "a_rare_name" }).click(); // Enter isn't taken from who has hardly seen the list
      await has(editor, "SELECT planned.a_rare_name");
      await type(page, "Statements", "select id, a_rare_name from planned where id = 1 and a_rare_name is not null");
      await press(page, "Format");
      await has(editor.locator(".cm-line").nth(1), "id,");
      await has(editor, "a_rare_name is not null");
    } finally {
      await sql("DROP TABLE planned", true);
    }
  },

  async "SQL: SQLite has several results and plans, too"({ page }) {
    await metadata("sqlite_add_source", { name: "shelf", configuration: { connection_info: { database_url: others.sqlite, create: true } } });
    try {
      await signIn(page);
      await area(page, "SQL");
      await page.getByRole("combobox", { name: "Source" }).selectOption("shelf");
      await writing(page);
      await type(page, "Statements", "CREATE TABLE IF NOT EXISTS pile (id INTEGER PRIMARY KEY, a_title TEXT); DELETE FROM pile; INSERT INTO pile VALUES (1, NULL), (2, 'two'); SELECT * FROM pile; SELECT 1.5 AS half");
      await page.keyboard.press("Control+Enter");
      await status(page, /^5 statements in/);
      await page.getByText("3. Done: 2 rows written").waitFor();
      await has(page.getByRole("grid", { name: "Result 1" }), "two");
      await has(page.getByRole("grid", { name: "Result 2" }), "1.5");
      assert.equal(await page.getByRole("grid", { name: "Result 1" }).locator(".null").count(), 1);
      await type(page, "Statements", "SELECT * FROM pile WHERE id = 2");
      await press(page, "Explain");
      await has(page.getByRole("list", { name: "Steps" }), "SEARCH pile USING INTEGER PRIMARY KEY");
      await type(page, "Statements", "DELETE FROM pile WHERE a_title = 'two'");
      await press(page, "Explain");
      await has(page.getByRole("list", { name: "Steps" }), "SCAN pile");
      await page.reload(); // its tables are read anew
      await type(page, "Statements", "SELECT a_ti FROM pile");
      for (let i = 0; i < " FROM pile".length; i++) await page.keyboard.press("ArrowLeft");
      await page.keyboard.press("Control+Space");
      await page.getByRole("option", { name: "a_title" }).waitFor();
    } finally {
      await metadata("sqlite_drop_source", { name: "shelf", cascade: true });
    }
  },
};
