// Tests of how rows are found: by conditions, in an order, and by pages.
import assert from "node:assert/strict";
import { axe, condition, has, metadata, opened, signIn, sql } from "./harness.mjs";

const rows = (page) => page.getByRole("grid", { name: "Rows" });

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
};
