// Tests of the pages for data and SQL.
import assert from "node:assert/strict";
import { area, axe, broken, confirm, exporting, graphql, has, metadata, pick, signIn, sql, type, url } from "./harness.mjs";

const tables = (page) => page.getByRole("grid", { name: "Tables and views" });
const rows = (page) => page.getByRole("grid", { name: "Rows" });

/** relate adds the relationships of the foreign key between author and article, unless they are there. */
async function relate() {
  await metadata("bulk_keep_going", [
    { type: "pg_create_object_relationship", args: { table: "article", name: "author", using: { foreign_key_constraint_on: "author_id" } } },
    { type: "pg_create_array_relationship", args: { table: "author", name: "article", using: { foreign_key_constraint_on: { table: "article", column: "author_id" } } } },
  ]);
}

export const tests = {
  async "Data: track, relate, browse, untrack"({ page }) {
    await signIn(page);
    await area(page, "Data");
    await page.getByText("Connected · 3 tables and views").waitFor();
    const odd = tables(page).getByRole("row", { name: "public.<b>odd</b>" });
    await pick(odd);
    await page.getByRole("button", { name: "Track 1", exact: true }).click();
    await page.getByRole("button", { name: "Open public.<b>odd</b>" }).click();
    await page.getByText("1 to 50 of 60").waitFor();
    await has(rows(page), "<img src=x onerror=alert(1)>1");
    assert.equal(await page.locator("main img, main b").count(), 0);
    await axe(page, "Data with rows");

    await page.getByRole("button", { name: "Next" }).click();
    await page.getByText("51 to 60 of 60").waitFor();
    await rows(page).getByRole("columnheader", { name: "id" }).click();
    await page.getByRole("button", { name: "id ▲, ascending" }).waitFor();
    await rows(page).getByRole("columnheader", { name: "id" }).click();
    await rows(page).getByRole("row").nth(1).filter({ hasText: ">60" }).waitFor();
    await page.getByRole("button", { name: "Filter", exact: true }).click();
    await page.getByLabel("Column of filter 1").selectOption("id");
    await page.getByLabel("Operator of filter 1").selectOption("<=");
    await page.getByLabel("Value of filter 1").fill("7");
    await page.getByText("1 to 7 of 7").waitFor();
    await page.getByLabel("Value of filter 1").fill("seven");
    await has(page.getByRole("alert"), "invalid input syntax");

    // What is dropped with a table is shown before it is.
    await pick(odd);
    await page.getByRole("button", { name: "Untrack 1…" }).click();
    const dialog = page.getByRole("dialog", { name: "Untrack" });
    await has(dialog.getByRole("listitem"), "remove table default.public.<b>odd</b>");
    await axe(page, "Data with a dialog");
    await dialog.getByRole("button", { name: "Untrack" }).click();
    await dialog.waitFor({ state: "detached" });
    await odd.getByText("untracked").waitFor();
    await page.getByText("The table isn't tracked").waitFor();

    await page.getByRole("tab", { name: "Foreign keys" }).click();
    const suggestions = page.getByRole("grid", { name: "Suggested relationships" });
    await has(suggestions, "public.article.author");
    await axe(page, "Data with suggestions");
    await page.getByRole("button", { name: "Add 2" }).click();
    await has(suggestions, "None: all foreign keys");
    const { sources } = await metadata("export_metadata", {});
    assert.deepEqual(sources[0].tables.map((t) => [...(t.object_relationships ?? []), ...(t.array_relationships ?? [])].map((r) => r.name)), [["author"], ["article"]]);
  },

  async "Data: by the palette"({ page }) {
    await signIn(page);
    await page.getByRole("heading", { name: "API" }).waitFor();
    await page.keyboard.press("Control+k");
    await page.getByRole("dialog", { name: "Search" }).getByRole("searchbox").fill("author");
    await has(page.getByRole("menuitem"), "public.author");
    await page.keyboard.press("ArrowDown");
    // The search names the entry that is chosen, after a while.
    await page.evaluate(() => new Promise((named) => {
      const look = () => (document.getElementById(document.activeElement.getAttribute("aria-activedescendant")) ? named() : requestAnimationFrame(look));
      look();
    }));
    await axe(page, "the palette");
    await page.keyboard.press("Enter");
    await has(rows(page), "Ann");
    await page.getByRole("tab", { name: "Structure" }).click();
    await has(page.getByRole("grid", { name: "Columns" }), "<img src=x onerror=alert(1)>");
    // The address has the part of the table that is open.
    assert.equal(new URL(page.url()).searchParams.get("tab"), "structure");
    await page.reload();
    await has(page.getByRole("grid", { name: "Columns" }), "<img src=x onerror=alert(1)>");
  },

  async "Data: insert, change, copy and delete rows"({ page }) {
    await relate();
    await graphql('mutation { insert_author_one(object: {name: "Cid"}) { id } }');
    await signIn(page);
    await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
    await page.goto(url + "/console/data?source=default&schema=public&table=author");
    await page.getByRole("button", { name: "Insert row" }).click();
    const insert = page.getByRole("dialog", { name: "Insert row" });
    assert.equal(await insert.getByLabel("What id gets").inputValue(), "default");
    await axe(page, "a new row");
    await insert.getByLabel("id", { exact: true }).fill("many");
    await insert.getByRole("button", { name: "Insert" }).click();
    await has(insert.getByRole("alert"), "invalid input syntax");
    await insert.getByLabel("What id gets").selectOption("default");
    await insert.getByLabel("name", { exact: true }).fill('<b>Dan</b>, "the 1st"\nof all');
    await insert.getByRole("button", { name: "Insert" }).click();
    await insert.waitFor({ state: "detached" });
    const dan = rows(page).getByRole("row").filter({ hasText: "<b>Dan</b>" });
    await pick(dan);
    await exporting(page, "Copy as CSV");
    await page.getByRole("status").filter({ hasText: "Copied" }).waitFor();
    const id = await dan.getByRole("rowheader").innerText();
    assert.equal(await page.evaluate(() => navigator.clipboard.readText()), `id,name\r\n${id},"<b>Dan</b>, ""the 1st""\nof all"\r\n`);
    await exporting(page, "Copy as JSON");
    await page.waitForFunction(async () => (await navigator.clipboard.readText()).startsWith("["));
    assert.deepEqual(JSON.parse(await page.evaluate(() => navigator.clipboard.readText())), [{ id: Number(id), name: '<b>Dan</b>, "the 1st"\nof all' }]);

    // Somebody else is faster.
    await page.getByRole("button", { name: "Edit row" }).click();
    const change = page.getByRole("dialog", { name: "Edit row" });
    await change.getByLabel("name", { exact: true }).fill("Dora");
    await graphql(`mutation { update_author_by_pk(pk_columns: {id: ${id}}, _set: {name: "<i>Dave</i>"}) { id } }`);
    await change.getByRole("button", { name: "Change", exact: true }).click();
    await has(change.getByRole("alert"), "the row is not what it was");
    const differing = change.getByRole("grid", { name: "What has changed" }).getByRole("row").nth(1);
    assert.deepEqual(await differing.locator("[role=rowheader], [role=gridcell]").allTextContents(), ["name", '<b>Dan</b>, "the 1st"\nof all', "<i>Dave</i>", "Dora"]);
    await axe(page, "a row that has changed meanwhile");
    await change.getByRole("button", { name: "Take over" }).click();
    await change.getByLabel("name", { exact: true }).fill("Dee");
    await change.getByRole("button", { name: "Change", exact: true }).click();
    await change.waitFor({ state: "detached" });
    await has(rows(page), "Dee");

    // What refers to a row is said before it is deleted.
    await pick(rows(page).getByRole("row").filter({ hasText: "Cid" }));
    await pick(rows(page).getByRole("row").filter({ hasText: "Ben" }));
    await page.getByRole("button", { name: "Delete" }).click();
    const remove = page.getByRole("dialog", { name: "Delete" });
    await has(remove, "1 of public.article refer to them");
    await has(remove.getByRole("grid", { name: "Rows to delete" }), "Dee");
    await axe(page, "rows to be deleted");
    await remove.getByRole("button", { name: "Delete" }).click();
    await has(remove.getByRole("alert"), "violates foreign key constraint");
    await remove.getByRole("button", { name: "Cancel" }).click();
    await pick(rows(page).getByRole("row").filter({ hasText: "Ben" }));
    await page.getByRole("button", { name: "Delete" }).click();
    await confirm(page, "Delete", "These 2 rows are deleted");
    await page.getByText("2 deleted").waitFor();
    await has(page.getByRole("status"), "1 to 2 of 2");
  },

  async "Data: rows as a role, and along relationships"({ page }) {
    await relate();
    await signIn(page);
    await page.goto(url + "/console/data?source=default&schema=public&table=article");
    await rows(page).getByRole("row").filter({ hasText: "second" }).getByRole("button", { name: "Open author" }).click();
    const value = page.getByLabel("Value of filter 1");
    await page.waitForFunction(() => document.querySelector("[aria-label='Column of filter 1']")?.value === "id");
    assert.equal(await value.inputValue(), "2");
    await page.getByText("1 to 1 of 1").waitFor();
    assert.deepEqual([new URL(page.url()).search, new URL(page.url()).hash.startsWith("#rows=")], ["?source=default&schema=public&table=author", true], "values are in the part that isn't sent");
    await pick(rows(page).getByRole("row").filter({ hasText: "Ben" }));
    await page.getByRole("button", { name: "article →" }).click();
    await page.waitForFunction(() => document.querySelector("[aria-label='Column of filter 1']")?.value === "author_id");
    await page.getByText("1 to 1 of 1").waitFor();
    await page.goBack();
    await page.waitForFunction(() => document.querySelector("[aria-label='Column of filter 1']")?.value === "id");
    await page.getByRole("button", { name: "Clear filters" }).click();
    await page.getByText("1 to 2 of 2").waitFor();

    await page.getByRole("combobox", { name: "Run as role" }).fill("reader");
    await page.keyboard.press("Escape");
    await page.getByText("reader may not write rows.").waitFor();
    await has(rows(page), "Ann");
    await axe(page, "rows as a role");
    await page.getByRole("combobox", { name: "Run as role" }).fill("<i>nobody</i>");
    await page.keyboard.press("Escape");
    await page.getByText("<i>nobody</i> may read none of the columns.").waitFor();
  },

  async "Data: values of all types, and rows that can't be written"({ page }) {
    await sql(`CREATE TABLE kinds (id bigint PRIMARY KEY, ok boolean, doc jsonb, plain json, list int[], at timestamptz);
      INSERT INTO kinds VALUES (9007199254740993, NULL, '{"n": 1.10}', '[1]', '{1}', '2020-01-02 03:04:05.678901Z');
      CREATE VIEW counted AS SELECT count(*) AS n FROM kinds`);
    await metadata("pg_track_tables", { tables: ["kinds", "counted"].map((table) => ({ source: "default", table })) });
    try {
      await signIn(page);
      await page.goto(url + "/console/data?source=default&schema=public&table=kinds");
      await pick(rows(page).getByRole("row").filter({ hasText: "9007199254740993" }));
      await page.getByRole("button", { name: "Edit row" }).click();
      const change = page.getByRole("dialog", { name: "Edit row" });
      await change.getByLabel("ok", { exact: true }).selectOption("true");
      await change.getByLabel("doc", { exact: true }).fill("{");
      await change.getByRole("button", { name: "Change", exact: true }).click();
      await has(change, "This isn't JSON");
      await change.getByLabel("doc", { exact: true }).fill('{"n": 2}');
      await change.getByLabel("plain", { exact: true }).fill("[2]");
      await change.getByLabel("list", { exact: true }).fill("[1, 2]");
      await change.getByLabel("What at gets").selectOption("null");
      await change.getByRole("button", { name: "Change", exact: true }).click();
      await change.waitFor({ state: "detached" });
      assert.deepEqual(await sql("SELECT id, ok, doc, plain, list, at IS NULL FROM kinds"), [["9007199254740993", "t", '{"n": 2}', "[2]", "{1,2}", "t"]]);

      await page.goto(url + "/console/data?source=default&schema=public&table=counted");
      await page.getByText("Rows of this view can't be written.").waitFor();
      assert.equal(await page.getByRole("button", { name: "Insert row" }).count(), 0);
    } finally {
      await sql("DROP VIEW counted; DROP TABLE kinds", true);
    }
  },

  async "Data: rows of a server that fails, is gone, or is slow"({ page }) {
    await signIn(page);
    let now = "well";
    let ask, release;
    const asked = new Promise((r) => (ask = r));
    const released = new Promise((r) => (release = r));
    await page.route(url + "/v2/query", async (route) => {
      if (now === "fails") return route.fulfill({ status: 500, json: { error: "it broke", code: "unexpected", path: "$.args" } });
      if (now === "gone") return route.abort("connectionrefused");
      if (now === "slow") {
        ask();
        await released;
      }
      return route.continue();
    });
    now = "gone";
    await page.goto(url + "/console/data?source=default&schema=public&table=author");
    await has(page.getByRole("alert"), "The server can't be reached.");
    await axe(page, "rows without a server");
    now = "well";
    await page.getByRole("button", { name: "Try again" }).click();
    await has(rows(page), "Ann");
    await page.getByRole("button", { name: "Insert row" }).click();
    const insert = page.getByRole("dialog", { name: "Insert row" });
    await insert.getByLabel("name", { exact: true }).fill("Eve");
    now = "fails";
    await insert.getByRole("button", { name: "Insert" }).click();
    await has(insert.getByRole("alert"), "it broke");
    await axe(page, "a new row with an error");
    now = "slow";
    await insert.getByRole("button", { name: "Insert" }).click();
    await asked;
    await insert.getByRole("button", { name: "Insert", disabled: true }).waitFor(); // it isn't sent twice
    now = "well";
    release();
    await insert.waitFor({ state: "detached" });
    await has(rows(page), "Eve");
    await graphql('mutation { delete_author(where: {name: {_eq: "Eve"}}) { affected_rows } }');
  },

  async "Data: a server that fails, is gone, or is slow"({ page }) {
    await signIn(page);
    await broken(page, "Data", url + "/v1/metadata", () => has(tables(page), "public.author"));
  },
};
