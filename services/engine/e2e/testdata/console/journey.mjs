// The whole way of somebody who is new, through all areas.
import assert from "node:assert/strict";
import { webhook } from "./fixture.mjs";
import { area, confirm, has, metadata, pick, schemaThere, signIn, sql, type, unfold, url, writing } from "./harness.mjs";

const schema = `CREATE SCHEMA library;
CREATE TABLE library.shelf (id int PRIMARY KEY, place text NOT NULL);
CREATE TABLE library.book (id int PRIMARY KEY, shelf_id int NOT NULL REFERENCES library.shelf, title text NOT NULL);
INSERT INTO library.shelf VALUES (1, 'north'), (2, 'south');
INSERT INTO library.book VALUES (1, 1, 'Of the north'), (2, 2, 'Of the south')`;

/** triggerOf is the event trigger as the metadata has it. */
async function triggerOf(name) {
  const { sources } = await metadata("export_metadata", {});
  return sources[0].tables.flatMap((t) => t.event_triggers ?? []).find((t) => t.name === name);
}

export const tests = {
  async "A new user: sign in, track, relate, permit, see rows; mend a delivery; go back"({ page }) {
    await webhook(async (address) => {
      await page.goto(url);
      await page.waitForURL("**/console*"); // which / leads to
      await signIn(page);
      await page.getByRole("heading", { name: "API" }).waitFor();

      await area(page, "SQL");
      await type(page, "Statements", schema);
      await writing(page);
      await page.getByRole("button", { name: /^Run/ }).click();
      await has(page.getByRole("status"), "5 statements in");

      await area(page, "Data");
      const tables = page.getByRole("grid", { name: "Tables and views" });
      for (const name of ["book", "shelf"]) await pick(tables.getByRole("row", { name: `library.${name}` }));
      await page.getByRole("button", { name: "Track 2", exact: true }).click();
      await page.getByRole("button", { name: "Open library.book" }).waitFor();
      await page.getByRole("tab", { name: "Foreign keys" }).click();
      const suggestions = page.getByRole("grid", { name: "Suggested relationships" });
      await has(suggestions, "library.book.shelf");
      await page.getByRole("button", { name: /^Add \d/ }).click();
      await has(suggestions, "None: all foreign keys");

      await area(page, "Permissions");
      await page.getByRole("searchbox", { name: "Find a table" }).fill("library.book");
      await page.getByLabel("New role").fill("librarian");
      await page.getByRole("button", { name: "Add the role" }).click();
      await page.getByRole("gridcell", { name: "library.book, librarian: nothing" }).click();
      await page.getByRole("button", { name: "Allow select" }).click();
      await page.getByRole("button", { name: "Columns: each" }).click();
      await page.getByRole("textbox", { name: "Rows as JSON" }).fill('{"shelf": {"place": {"_eq": "x-engine-place"}}}');
      await page.getByRole("button", { name: "Save…" }).click();
      await confirm(page, "Save", "select_permission");

      await area(page, "API");
      await page.getByRole("combobox", { name: "Run as role" }).fill("librarian");
      await page.keyboard.press("Escape");
      await page.getByRole("tab", { name: "Headers" }).click();
      await page.getByLabel("One in each line").fill("x-engine-place: north");
      await schemaThere(page);
      await type(page, "Operation", "{ library_book { title } }");
      await page.getByRole("button", { name: /^Run/ }).click();
      const result = page.getByLabel("Result of the operation");
      await has(result, "Of the north");
      assert.ok(!(await result.innerText()).includes("south"), "rows of others");

      await area(page, "Events");
      await page.getByRole("button", { name: "New event trigger" }).click();
      await page.getByLabel("Name", { exact: true }).fill("book_added");
      await page.getByLabel("Table", { exact: true }).selectOption("library.book");
      await page.getByLabel("Webhook", { exact: true }).fill(address + "/broken");
      await page.getByRole("button", { name: "Create" }).click();
      await page.getByRole("heading", { name: "book_added" }).waitFor();

      await area(page, "Data");
      await page.getByRole("button", { name: "Open library.book" }).click();
      await page.getByRole("button", { name: "Insert row" }).click();
      const form = page.getByRole("dialog");
      for (const [column, value] of Object.entries({ id: "3", shelf_id: "1", title: "New" })) await form.getByLabel(column, { exact: true }).fill(value);
      await form.getByRole("button", { name: "Insert" }).click();
      await form.waitFor({ state: "detached" });
      await has(page.getByRole("grid", { name: "Rows" }), "New");

      await area(page, "Events");
      await page.getByRole("button", { name: "book_added" }).click();
      const events = page.getByRole("list", { name: "Events" });
      await has(events, "failed");
      await page.getByRole("button", { name: /^INSERT/ }).click();
      await page.getByRole("list", { name: "Calls" }).getByText("failed with 500").click();
      await has(page.getByLabel("Response"), "at /broken");
      const { resource_version: before } = await metadata("list_metadata_versions", {});
      await page.getByRole("button", { name: "Change", exact: true }).click();
      await page.getByLabel("Webhook", { exact: true }).fill(address + "/well");
      await page.getByRole("button", { name: "Change…" }).click();
      await confirm(page, "Change", "change");
      await page.getByRole("button", { name: "Deliver again" }).click();
      await has(events, "delivered");
      await has(page.getByRole("list", { name: "Calls" }), "succeeded with 200");
      assert.equal((await triggerOf("book_added")).webhook, address + "/well");

      await area(page, "Metadata");
      await page.getByRole("tab", { name: "History" }).click();
      await page.getByRole("button", { name: `Version ${before}`, exact: true }).click();
      const difference = page.getByRole("region", { name: "Difference" });
      await has(difference.getByRole("listitem"), "change table default.library.book");
      await unfold(difference);
      await has(difference.getByLabel("What differs"), "/broken");
      await has(difference.getByLabel("What differs"), "/well");
      await page.getByRole("button", { name: "Go back to it…" }).click();
      const dialog = page.getByRole("dialog");
      await has(dialog.getByRole("listitem"), "change table default.library.book");
      await dialog.getByRole("button", { name: `Go back to version ${before}` }).click();
      await dialog.waitFor({ state: "detached" });
      await has(difference, "Nothing of the metadata changes.");
      assert.equal((await triggerOf("book_added")).webhook, address + "/broken");
      await page.getByRole("button", { name: "Sign out" }).click();
      await page.getByLabel("Admin secret", { exact: true }).waitFor();
    });
    await sql("DROP SCHEMA library CASCADE", true);
  },
};
