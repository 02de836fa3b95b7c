// Tests of how rows are found: by conditions, in an order, and by pages.
import assert from "node:assert/strict";
import { made } from "./grid.mjs";
import { axe, condition, has, metadata, opened, signIn, sql, until } from "./harness.mjs";

const rows = (page) => page.getByRole("grid", { name: "Rows" });

export const tests = {
  async "Rows: one of several values, whatever is in them"({ page }) {
    await made(`CREATE TABLE listed (id int PRIMARY KEY, word text);
      INSERT INTO listed VALUES (1, 'a'), (2, 'a, b'), (3, 'b'), (4, 'say "hi"'), (5, '"a"'), (6, ' a '), (7, ''), (8, E'a\\nb'), (9, NULL)`, ["listed"], async () => {
      await signIn(page);
      await opened(page, "listed", "Rows");
      const shown = (ids) => until(async () => (await rows(page).getByRole("rowheader").allTextContents()).join() === ids, ids);
      for (const [typed, ids] of [
        ["a, b", "1,3"], ['"a, b"', "2"], ['b , "a, b",a', "1,2,3"],
        ['say "hi", b', "3,4"], ['"say ""hi"""', "4"], ['"""a"""', "5"],
        ['" a "', "6"], [' a ,', "1"], ['""', "7"], ['a, ""', "1,7"], ["a,,b,", "1,3"],
        ["a\nb\n", "1,3"], ['a,\n"b"', "1,3"], ['"a\nb"', "8"],
        ["", "1,2,3,4,5,6,7,8,9"], ["b", "3"], [" , ", "1,2,3,4,5,6,7,8,9"],
      ]) {
        await condition(page, 1, "word", "one of", typed);
        await shown(ids);
      }
      await condition(page, 1, "word", "none of", 'a, "a, b", ""');
      await shown("3,4,5,6,8");
      await condition(page, 1, "word", "one of", 'b, "a');
      await has(page.getByRole("group", { name: "Filters" }), "A value that begins with a quote ends with one");
      await axe(page, "rows with a list that is wrong");
    });
  },

  async "Rows: several conditions, an order of columns, and the size of pages"({ page }) {
    await sql(`CREATE TABLE part (id int PRIMARY KEY, kind text NOT NULL, size numeric, sold boolean NOT NULL, made date);
      INSERT INTO part SELECT i, CASE i % 3 WHEN 0 THEN '<b>bolt</b>' WHEN 1 THEN 'nut' ELSE 'Nail' END, CASE WHEN i % 10 = 0 THEN NULL ELSE i % 4 END, i % 2 = 0, '2024-01-01'::date + i FROM generate_series(1, 120) i`);
    await metadata("pg_track_table", { table: "part" });
    try {
      await signIn(page);
      await opened(page, "part", "Rows");
      await page.getByText("1 to 50 of 120").waitFor();
      await page.getByLabel("Rows per page").selectOption("100");
      await page.getByText("1 to 100 of 120").waitFor();
      await page.getByRole("button", { name: "Next" }).click();
      await page.getByText("101 to 120 of 120").waitFor();
      await page.getByLabel("Rows per page").selectOption("20");
      await page.getByText("1 to 20 of 120").waitFor();
      await page.reload();
      await page.getByText("1 to 20 of 120").waitFor(); // the browser keeps it

      await condition(page, 1, "kind", "=", "<b>bolt</b>");
      await page.getByText("1 to 20 of 40").waitFor();
      await condition(page, 2, "sold", "=", "true");
      await page.getByText("1 to 20 of 20").waitFor();
      await page.getByRole("group", { name: "Filters" }).getByRole("combobox", { name: "Rows that meet" }).selectOption("any filter");
      await page.getByText("1 to 20 of 80").waitFor();
      await condition(page, 3, "size", "is NULL");
      await axe(page, "rows with conditions");
      await page.getByRole("combobox", { name: "Rows that meet" }).selectOption("all filters");
      await page.getByText("1 to 4 of 4").waitFor();
      await page.getByRole("button", { name: "Remove filter 3" }).click();
      await page.getByText("1 to 20 of 20").waitFor();
      await condition(page, 2, "id", "one of", "3, 6, 9");
      await page.getByText("1 to 3 of 3").waitFor();
      await condition(page, 1, "kind", "not like", "N%");
      await condition(page, 2, "made", "<", "<i>soon</i>");
      await has(page.getByRole("alert"), "invalid input syntax for type date");
      await axe(page, "rows with a condition that is wrong");
      await condition(page, 2, "made", "<", "2024-01-05");
      await page.getByText("1 to 1 of 1").waitFor();
      await page.getByRole("button", { name: "Clear filters" }).click();
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
