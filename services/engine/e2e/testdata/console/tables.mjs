// Tests of the list of tables: thousands of them, and by keys alone.
import assert from "node:assert/strict";
import { answered, area, axe, drawn, has, metadata, signIn, sql, url } from "./harness.mjs";

const list = (page) => page.getByRole("grid", { name: "Tables and views" });

/** focused waits until a row of the list has the focus. */
async function focused(page, name) {
  await page.waitForFunction((text) => document.activeElement.getAttribute("role") === "row" && document.activeElement.textContent.includes(text), name);
}

export const tests = {
  async "Tables: 2000 of them are found, walked through and chosen"({ page }) {
    const names = Array.from({ length: 2000 }, (_, i) => ({ schema: `schema_${i % 7}`, name: `table_${String(i).padStart(4, "0")}` }));
    await page.route(url + "/v1/metadata", (route) => (route.request().postDataJSON().type === "pg_get_source_tables" ? route.fulfill({ json: names }) : route.continue()));
    await signIn(page);
    await page.goto(url + "/console/data");
    await page.getByText("Connected · 2000 tables and views").waitFor();
    await list(page).getByRole("row", { name: "public.article" }).waitFor();
    assert.ok((await list(page).getByRole("row").count()) < 100, "rows that aren't visible are drawn");
    await area(page, "Monitoring");
    await page.locator("canvas").first().waitFor();
    await answered(page, "opening the list of tables", () => page.getByRole("navigation", { name: "Areas" }).getByRole("link", { name: "Data", exact: true }).click(), '[role="grid"][aria-label="Tables and views"] [role="row"]');
    await page.getByText("Connected · 2000 tables and views").waitFor();
    // More are made when the end of those that there are comes into sight.
    // The list is drawn again when the server has answered, and then nothing in it has the focus.
    for (let i = 0; i < 300 && (await list(page).getByRole("row", { name: "schema_6.table_1994" }).count()) === 0; i++) {
      await list(page).getByRole("row").last().focus();
      await page.keyboard.press("End");
      await page.evaluate(() => new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn))));
    }
    await list(page).getByRole("row", { name: "schema_6.table_1994" }).waitFor();
    await drawn(page, page.getByLabel("Find"), "the search in the list of tables");
    await page.getByLabel("Find").fill("TABLE_12");
    await list(page).getByRole("row", { name: "schema_0.table_1204" }).waitFor();
    await page.getByRole("combobox", { name: "Schema" }).selectOption("schema_3");
    await page.getByRole("button", { name: "Select all" }).click();
    await page.getByRole("button", { name: "Track 15" }).waitFor();
    await axe(page, "many tables");
    await page.getByLabel("Find").fill("nothing");
    await list(page).getByText("None has these words.").waitFor();
    await page.getByRole("combobox", { name: "Schema" }).selectOption("");
    await page.getByLabel("Find").fill("");
    await page.getByRole("button", { name: "Select all" }).click();
    await page.getByRole("button", { name: "Track 2000" }).waitFor();
  },

  async "Tables: by keys alone"({ page }) {
    await sql("CREATE TABLE key_one (id int PRIMARY KEY, note text); CREATE TABLE key_two (id int PRIMARY KEY)");
    try {
      await signIn(page);
      await page.goto(url + "/console/data");
      await list(page).getByRole("row", { name: "public.key_two" }).waitFor();
      await page.getByLabel("Find").focus();
      await page.keyboard.type("key_");
      await list(page).getByRole("row", { name: "public.article" }).waitFor({ state: "detached" });
      await page.keyboard.press("Tab"); // to what is shown
      await page.keyboard.press("Tab"); // to the list
      await focused(page, "public.key_one");
      await page.keyboard.press("Space");
      await page.keyboard.press("ArrowDown");
      await focused(page, "public.key_two");
      await page.keyboard.press("Space");
      await page.getByRole("button", { name: "Track 2", exact: true }).focus();
      await page.keyboard.press("Enter");
      await page.getByRole("button", { name: "Track 0", exact: true }).waitFor();
      await has(page.getByRole("button", { name: /^Untrack/ }), "Untrack 0…"); // nothing is chosen any more
      await list(page).getByRole("row", { name: "public.key_one" }).focus();
      await page.keyboard.press("Enter");
      await page.getByRole("heading", { name: "public.key_one" }).waitFor();
      await page.getByRole("tab", { name: "Rows" }).focus();
      await page.keyboard.press("ArrowRight");
      await page.getByRole("grid", { name: "Constraints" }).getByText("key_one_pkey").waitFor();
      await page.keyboard.press("ArrowLeft");
      await page.getByRole("button", { name: "Insert row" }).focus();
      await page.keyboard.press("Enter");
      const insert = page.getByRole("dialog", { name: "Insert row" });
      await insert.getByLabel("id", { exact: true }).focus();
      await page.keyboard.type("1");
      await insert.getByRole("button", { name: "Insert" }).focus();
      await page.keyboard.press("Enter");
      await insert.waitFor({ state: "detached" });
      await page.getByText("1 to 1 of 1").waitFor();
      // The dialog gives the focus back to what has opened it.
      await page.waitForFunction(() => document.activeElement.textContent === "Insert row");
      await page.getByRole("button", { name: "Filter", exact: true }).press("Enter");
      await page.getByLabel("Value of filter 1").focus();
      await page.keyboard.type("2");
      await page.getByText("0 to 0 of 0").waitFor();
      await axe(page, "a table by keys");
    } finally {
      await metadata("pg_untrack_tables", { tables: ["key_one", "key_two"].map((table) => ({ source: "default", table, cascade: true })) }).catch(() => {});
      await sql("DROP TABLE key_one, key_two", true);
    }
  },
};
