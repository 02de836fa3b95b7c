// Tests of the pages for data and SQL.
import assert from "node:assert/strict";
import { area, axe, broken, has, metadata, signIn, type, url } from "./harness.mjs";

const tables = (page) => page.getByRole("grid", { name: "Tables and views" });
const rows = (page) => page.getByRole("grid", { name: "Rows" });

export const tests = {
  async "Data: track, relate, browse, untrack"({ page }) {
    await signIn(page);
    await area(page, "Data");
    await page.getByText("answers, 3 tables and views").waitFor();
    const odd = tables(page).getByRole("row", { name: "public.<b>odd</b>" });
    await odd.click();
    await page.getByRole("button", { name: "Track 1", exact: true }).click();
    await page.getByRole("button", { name: "Open public.<b>odd</b>" }).click();
    await page.getByText("1 to 50 of 60").waitFor();
    await has(rows(page), "<img src=x onerror=alert(1)>1");
    assert.equal(await page.locator("main img, main b").count(), 0);
    await axe(page, "Data with rows");

    await page.getByRole("button", { name: "Next" }).click();
    await page.getByText("51 to 60 of 60").waitFor();
    await rows(page).getByRole("columnheader", { name: "id" }).click();
    await rows(page).getByRole("columnheader", { name: "id" }).click();
    await rows(page).getByRole("row").nth(1).filter({ hasText: ">60" }).waitFor();
    await page.getByRole("combobox", { name: "Column", exact: true }).selectOption("id");
    await page.getByRole("combobox", { name: "Operator" }).selectOption("<=");
    await page.getByRole("textbox", { name: "Value" }).fill("7");
    await page.getByText("1 to 7 of 7").waitFor();
    await page.getByRole("textbox", { name: "Value" }).fill("seven");
    await has(page.getByRole("alert"), "invalid input syntax");

    // What is dropped with a table is shown before it is.
    await odd.click();
    await page.getByRole("button", { name: "Untrack 1…" }).click();
    const dialog = page.getByRole("dialog", { name: "Untrack" });
    await has(dialog.getByRole("listitem"), "remove table default.public.<b>odd</b>");
    await axe(page, "Data with a dialog");
    await dialog.getByRole("button", { name: "Untrack" }).click();
    await dialog.waitFor({ state: "detached" });
    await odd.getByText("untracked").waitFor();
    await page.getByText("Choose a tracked table").waitFor();

    await page.getByRole("tab", { name: "Suggested relationships" }).click();
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
    await page.getByText("Columns and keys").click();
    await has(page.getByRole("grid", { name: "Columns" }), "<img src=x onerror=alert(1)>");
    await page.reload();
    await has(rows(page), "Ann");
  },

  async "Data: a server that fails, is gone, or is slow"({ page }) {
    await signIn(page);
    await broken(page, "Data", url + "/v1/metadata", () => has(tables(page), "public.author"));
  },

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
    await page.getByText("Only read").click();
    await run.click();
    await page.getByRole("status").filter({ hasText: "Done" }).waitFor();
    await type(page, "Statements", "DROP TABLE made");
    await page.keyboard.press("Control+Enter");
    await page.getByRole("status").filter({ hasText: "Done" }).waitFor();
    assert.equal(await page.getByRole("alert").count(), 0);
  },

  async "SQL: a server that fails, is gone, or is slow"({ page }) {
    await signIn(page);
    await broken(page, "SQL", url + "/v1/metadata", () => page.getByRole("textbox", { name: "Statements" }).waitFor());
  },
};
