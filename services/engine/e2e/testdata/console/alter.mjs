// Tests of the forms that change tables by SQL.
import assert from "node:assert/strict";
import { announces, axe, has, metadata, opened, others, signIn, sql, url } from "./harness.mjs";

const grid = (page, name) => page.getByRole("grid", { name, exact: true });
const row = (page, name, text) => grid(page, name).getByRole("row").filter({ hasText: text });
const form = (page, name) => page.getByRole("region", { name, exact: true });

/** run runs what a form has made, once the dialog shows a text of the SQL, and one of what it would do. */
async function run(page, title, text, change = undefined) {
  const dialog = page.getByRole("dialog", { name: title, exact: true });
  await has(dialog.getByLabel("SQL", { exact: true }), text);
  const agree = dialog.getByRole("button", { name: "Run", exact: true });
  if (change) await announces(dialog, agree, change);
  await agree.click();
  await dialog.waitFor({ state: "detached" });
}

/** submit fills a form in and has it show its SQL. */
async function submit(page, title, values) {
  const shown = form(page, title);
  for (const [label, value] of Object.entries(values)) {
    const control = shown.getByLabel(label, { exact: true });
    if (value === true || value === false) await control.setChecked(value);
    else if ((await control.evaluate((e) => e.tagName)) === "SELECT") await control.selectOption(value);
    else await control.fill(value);
  }
  await shown.getByRole("button", { name: "Review SQL…" }).click();
}

/** job opens a form by its button, and runs it. */
async function job(page, title, values, text, change = undefined) {
  await page.getByRole("button", { name: title, exact: true }).click();
  await submit(page, title, values);
  await run(page, title, text, change);
  await form(page, title).waitFor({ state: "detached" });
}

const hostile = `a"; DROP TABLE "author";-- '<b>`;

export const tests = {
  async "Alter: a table is made, changed in all its parts, and dropped"({ page }) {
    await sql("CREATE TYPE mood AS ENUM ('good', 'bad')");
    try {
      await signIn(page);
      await page.goto(url + "/console/data?source=default");
      await page.getByRole("button", { name: "Create table" }).click();
      const made = form(page, "Create a table");
      await made.getByLabel("Name", { exact: true }).fill("shelf");
      for (const [i, [name, type, value]] of [["code", "varchar(8)", "'x'"], ["writer", "bigint", ""], ["feels", "mood", "'good'"]].entries()) {
        await made.getByRole("button", { name: "Add column" }).click();
        await made.getByLabel(`Name of column ${i + 2}`).fill(name);
        await made.getByLabel(`Type of column ${i + 2}`).fill(type);
        await made.getByLabel(`Default of column ${i + 2}`).fill(value);
      }
      await made.getByRole("button", { name: "Foreign key" }).click();
      const key = made.getByRole("group", { name: "Foreign key 1" });
      await key.getByLabel("To the table").selectOption("public.author");
      await key.getByLabel("Column 1 here").fill("writer");
      await key.getByLabel("Column 1 there").fill("id");
      await key.getByLabel("When the row there is deleted").selectOption("cascade");
      await made.getByRole("button", { name: "Check", exact: true }).click();
      await made.getByRole("group", { name: "Check 2" }).getByLabel("Condition").fill("code <> ''");
      await axe(page, "a new table");
      await submit(page, "Create a table", { Comment: "holds 'books'\\" });
      await axe(page, "SQL that waits");
      await run(page, "Create a table", 'CREATE TABLE "public"."shelf"', "Nothing of the metadata changes.");
      // It is tracked, and opened.
      await page.getByRole("heading", { name: "public.shelf" }).waitFor();
      await page.getByText("0 to 0 of 0").waitFor();
      await page.getByText("holds 'books'\\").waitFor();
      await page.getByRole("tab", { name: "Structure" }).click();
      await has(row(page, "Constraints", "shelf_writer_fkey"), "ON DELETE CASCADE");
      await has(row(page, "Constraints", "shelf_check"), "code::text <> ''::text");
      await has(row(page, "Columns", "feels"), "mood");
      await has(row(page, "Columns", "id"), "identity, unless one is given");

      await sql("INSERT INTO shelf (code, writer) VALUES ('7', 1)");
      await job(page, "Add a column", { Name: "note", Type: "text", "May be NULL": false, Default: "upper('a, b')", Comment: "<i>short</i>" }, `ADD COLUMN "note" text NOT NULL DEFAULT (upper('a, b'))`);
      await has(row(page, "Columns", "note"), "<i>short</i>");
      await page.getByRole("button", { name: "Change the column code" }).click();
      await submit(page, "Change the column code", { Name: "number", Type: "integer", "May be NULL": false, Default: "", "Values of the new type": "coed::int" });
      // What the database says is shown, and nothing has changed.
      const dialog = page.getByRole("dialog", { name: "Change the column code" });
      await has(dialog.getByRole("alert"), 'column "coed" does not exist');
      await axe(page, "SQL that fails");
      await dialog.getByRole("button", { name: "Cancel" }).click();
      await page.getByRole("button", { name: "Drop the constraint shelf_check" }).click();
      await run(page, "Drop the constraint", 'DROP CONSTRAINT "shelf_check"');
      await row(page, "Constraints", "shelf_check").waitFor({ state: "detached" });
      await submit(page, "Change the column code", { "Values of the new type": "code::int" });
      await run(page, "Change the column code", 'TYPE integer USING (code::int)');
      await has(row(page, "Columns", "number"), "integer");
      assert.deepEqual(await sql("SELECT number FROM shelf"), [["7"]]);

      await page.getByRole("button", { name: "Add a unique key" }).click();
      for (const column of ["number", "note"]) await form(page, "Add a unique key").getByLabel("Columns: one more").selectOption(column);
      await submit(page, "Add a unique key", {});
      await run(page, "Add a unique key", 'ADD CONSTRAINT "shelf_number_note_key" UNIQUE ("number", "note")');
      await job(page, "Add a check", { Name: "positive", Condition: "number > 0" }, 'ADD CONSTRAINT "positive" CHECK (number > 0)');
      await page.getByRole("button", { name: "Add an index" }).click();
      await form(page, "Add an index").getByLabel("Columns that are stored with it: one more").selectOption("number");
      await submit(page, "Add an index", { Expression: "lower(note)", "Only rows with": "number > 1", Method: "btree" });
      await run(page, "Add an index", 'CREATE INDEX "shelf_expr_idx" ON "public"."shelf" USING "btree" ((lower(note))) INCLUDE ("number") WHERE (number > 1)');
      await has(row(page, "Indexes", "shelf_expr_idx"), "lower(note)");
      await page.getByRole("button", { name: "Drop the index shelf_expr_idx" }).click();
      await run(page, "Drop the index", 'DROP INDEX "public"."shelf_expr_idx"');
      await row(page, "Indexes", "shelf_expr_idx").waitFor({ state: "detached" });
      assert.equal(await page.getByRole("button", { name: "Drop the index shelf_pkey" }).count(), 0, "it goes with its key");
      await axe(page, "the structure of a table that can be changed");

      // What the metadata has of it is shown before it goes.
      await metadata("pg_create_select_permission", { table: "shelf", role: "reader", permission: { columns: ["note"], filter: { number: { _eq: 1 } } } });
      await page.getByRole("button", { name: "Drop the column number" }).click();
      const drop = page.getByRole("dialog", { name: "Drop the column" });
      await has(drop.getByRole("alert"), "dependency-error");
      await drop.getByText("Cascade metadata").click();
      await run(page, "Drop the column", 'DROP COLUMN "number"', "permission");
      await grid(page, "Columns").getByRole("row", { name: "number", exact: true }).waitFor({ state: "detached" });

      await job(page, "Comment on the table", { Comment: "" }, "IS NULL");
      await job(page, "Rename the table", { Name: "<b>rack</b>" }, 'RENAME TO "<b>rack</b>"');
      await page.getByRole("heading", { name: "public.<b>rack</b>" }).waitFor();
      await page.getByRole("tab", { name: "Structure" }).click();
      await page.getByRole("button", { name: "Drop the table…" }).click();
      const last = page.getByRole("dialog", { name: "Drop the table" });
      await has(last, "DROP TABLE");
      const depends = last.getByText("Cascade metadata");
      if (await last.getByRole("alert").or(last.getByRole("list", { name: "Changes" })).first().getAttribute("role") === "alert") await depends.click();
      await run(page, "Drop the table", 'DROP TABLE "public"."<b>rack</b>"', "remove");
      await page.getByText("Open a table to see its rows").waitFor();
      assert.deepEqual(await sql("SELECT count(*) FROM pg_class WHERE relname IN ('shelf', '<b>rack</b>')"), [["0"]]);
    } finally {
      await sql('DROP TABLE IF EXISTS shelf, "<b>rack</b>"; DROP TYPE mood', true);
    }
  },

  async "Alter: names that are SQL stay names, and parts can't be more than parts"({ page }) {
    await sql(`CREATE TABLE ${JSON.stringify(hostile).replaceAll('\\"', '""')} (id int PRIMARY KEY)`);
    try {
      await signIn(page);
      await page.goto(`${url}/console/data?source=default&schema=public&table=${encodeURIComponent(hostile)}`);
      await page.getByText("The table isn't tracked").waitFor();
      await job(page, "Add a column", { Name: hostile, Type: "text", Default: "'\\''' || $$;--$$", Comment: `it's "\\"; DROP TABLE author; --` }, "ADD COLUMN");
      await has(row(page, "Columns", "it's"), `it's "\\"; DROP TABLE author; --`);
      await page.getByRole("button", { name: "Add an index" }).click();
      await form(page, "Add an index").getByLabel("Columns: one more").selectOption(hostile);
      await submit(page, "Add an index", { Name: hostile + "2" });
      await run(page, "Add an index", "CREATE INDEX");
      await job(page, "Comment on the table", { Comment: "\\'; DROP TABLE author; --" }, "COMMENT ON TABLE");
      await page.getByText("\\'; DROP TABLE author; --").waitFor();
      await page.getByRole("button", { name: `Change the column ${hostile}` }).click();
      await submit(page, `Change the column ${hostile}`, { Name: `]'"` });
      await run(page, `Change the column ${hostile}`, `RENAME COLUMN`);
      await row(page, "Columns", `]'"`).waitFor();
      assert.deepEqual(await sql(`SELECT count(*) FROM author`), [["2"]]);

      // Types and expressions are SQL, but end where their place does.
      await page.getByRole("button", { name: "Add a column", exact: true }).click();
      const added = form(page, "Add a column");
      await added.getByLabel("Name", { exact: true }).fill("x");
      for (const [text, problem] of [
        ["int; DROP TABLE author", "more than one statement"], ["int, DROP COLUMN id", "within parentheses"], ["int -- ", "comment"], ["int /* ", "comment"],
        ["numeric(6", "isn't closed"], ["int) ", "isn't open"], ["'a", "no end"], ["e'\\'' ; DROP TABLE author; --'", "more than one statement"], ["e'\\' x", "no end"], ["'\\' || 'a'", undefined], ["$a$ ; $b$", "no end"], ["a$1, b", "within parentheses"],
        ['"a', "no end"], ["int[", "isn't closed"], ["numeric(6]", "isn't open"],
      ]) {
        await added.getByLabel("Type", { exact: true }).fill(text);
        if (problem) await has(added.locator(".removed"), problem);
        else await added.locator(".removed").waitFor({ state: "detached" });
        assert.equal(await added.getByRole("button", { name: "Review SQL…" }).isDisabled(), problem !== undefined, text);
      }
      await added.getByLabel("Type", { exact: true }).fill("int");
      await added.getByLabel("Default", { exact: true }).fill("1) , ADD COLUMN y int DEFAULT (2");
      await has(added.locator(".removed"), "isn't open");
      await added.getByLabel("Default", { exact: true }).fill("(1 + 2), 3");
      await has(added.locator(".removed"), "within parentheses");
    } finally {
      await sql(`DROP TABLE ${JSON.stringify(hostile).replaceAll('\\"', '""')}`, true);
    }
  },

  async "Alter: SQLite and SQL Server"({ page }) {
    await metadata("sqlite_add_source", { name: "library", configuration: { connection_info: { database_url: others.sqlite, create: true } } });
    await metadata("mssql_add_source", { name: "ms", configuration: { connection_info: { connection_string: others.mssql } } });
    try {
      await signIn(page);
      const make = async (source, text) => {
        await page.goto(`${url}/console/data?source=${source}&view=new`);
        const made = form(page, "Create a table");
        await made.getByRole("button", { name: "Add column" }).click();
        await made.getByLabel("Name of column 2").fill("title");
        await made.getByLabel("Type of column 2").fill("varchar(20)");
        await submit(page, "Create a table", { Name: "rack" });
        await has(page.getByRole("dialog"), "can't be tried");
        await run(page, "Create a table", text);
        await page.getByText("0 to 0 of 0").waitFor();
        await page.getByRole("tab", { name: "Structure" }).click();
      };
      await make("library", 'CREATE TABLE "rack"');
      await job(page, "Add a column", { Name: "kind", Type: "TEXT", "May be NULL": false, Default: "'b''c'" }, `ADD COLUMN "kind" TEXT NOT NULL DEFAULT ('b''c')`);
      await page.getByRole("button", { name: "Change the column title" }).click();
      await submit(page, "Change the column title", { Name: "heading" });
      await run(page, "Change the column title", 'RENAME COLUMN "title" TO "heading"');
      await row(page, "Columns", "heading").waitFor();
      await page.getByRole("button", { name: "Add an index" }).click();
      await submit(page, "Add an index", { Expression: "lower(heading)", "Only rows with": "kind > ''" });
      await run(page, "Add an index", `CREATE INDEX "rack_expr_idx" ON "rack" ((lower(heading))) WHERE (kind > '')`);
      await has(row(page, "Indexes", "rack_expr_idx"), "lower(heading)");
      await page.getByText("SQLite has no statement that adds").waitFor();
      await page.getByRole("button", { name: "Drop the table…" }).click();
      await page.getByRole("dialog").getByText("Cascade metadata").click();
      await run(page, "Drop the table", 'DROP TABLE "rack"');
      await page.getByText("Open a table to see its rows").waitFor();

      await make("ms", "CREATE TABLE [dbo].[rack] (");
      await has(row(page, "Constraints", "rack_pkey"), "PRIMARY KEY CLUSTERED");
      await page.getByRole("button", { name: "Add a unique key" }).click();
      await form(page, "Add a unique key").getByLabel("Columns: one more").selectOption("title");
      await submit(page, "Add a unique key", {});
      await run(page, "Add a unique key", "ALTER TABLE [dbo].[rack] ADD CONSTRAINT [rack_title_key] UNIQUE ([title])");
      await row(page, "Constraints", "rack_title_key").waitFor();
      await page.getByRole("button", { name: "Rename the table" }).click();
      await submit(page, "Rename the table", { Name: "it's]" });
      await has(page.getByRole("dialog").getByLabel("SQL", { exact: true }), "EXEC sp_rename N'[dbo].[rack]', N'it''s]', N'OBJECT'");
      await page.getByRole("dialog").getByRole("button", { name: "Cancel" }).click();
      await page.getByRole("button", { name: "Drop the table…" }).click();
      await page.getByRole("dialog").getByText("Cascade metadata").click();
      await run(page, "Drop the table", "DROP TABLE [dbo].[rack]");
      await page.getByText("Open a table to see its rows").waitFor();
    } finally {
      await metadata("sqlite_drop_source", { name: "library", cascade: true });
      await metadata("mssql_drop_source", { name: "ms", cascade: true });
    }
  },

  async "Alter: what comes after the SQL fails, and is tried again alone"({ page }) {
    await signIn(page);
    await page.goto(url + "/console/data?source=default&view=new");
    let fails = true;
    await page.route(url + "/v1/metadata", (route) =>
      fails && route.request().postDataJSON().type === "pg_track_table" ? route.fulfill({ status: 500, json: { error: "it broke", code: "unexpected", path: "$.args" } }) : route.continue());
    try {
      await submit(page, "Create a table", { Name: "late" });
      const dialog = page.getByRole("dialog", { name: "Create a table" });
      await dialog.getByRole("button", { name: "Run", exact: true }).click();
      await has(dialog.getByRole("alert"), "it broke");
      await dialog.getByText("The SQL has run.").waitFor();
      fails = false;
      await dialog.getByRole("button", { name: "Try again", exact: true }).last().click();
      await page.getByText("0 to 0 of 0").waitFor();
    } finally {
      await sql("DROP TABLE IF EXISTS late", true);
    }
  },
};
