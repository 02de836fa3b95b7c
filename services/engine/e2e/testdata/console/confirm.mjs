// Tests of what is asked for before a change is made, and of what is made at once and can be undone.
import assert from "node:assert/strict";
import { axe, has, metadata, signIn, until, url } from "./harness.mjs";

const table = (name) => `${url}/console/data?source=default&schema=public&table=${encodeURIComponent(name)}`;
const last = (page) => page.getByRole("status", { name: "Last change" });

/** tracked reports whether a table is. */
const tracked = async (name) => (await metadata("export_metadata", {})).sources[0].tables.some((t) => t.table.name === name);

export const tests = {
  async "Confirming: what can be undone is made at once, and what drops or allows more asks in words"({ page }) {
    await signIn(page);
    await page.goto(`${url}/console/settings?view=browser`);
    await page.getByLabel("Confirm changes of the metadata").selectOption("Only those that remove something or allow more");
    await page.goto(table("<b>odd</b>"));
    await page.getByRole("button", { name: "Track…" }).click();
    await has(last(page), "Table tracked");
    assert.equal(await page.getByRole("dialog").count(), 0);
    assert.ok(await tracked("<b>odd</b>"));
    await axe(page, "what was made at once");
    await last(page).getByRole("button", { name: "Undo" }).click();
    await has(last(page), "Metadata restored");
    assert.ok(!(await tracked("<b>odd</b>")));

    // What a role may do is said in words, all rows above all, and what is a slip more often than not.
    await page.goto(`${table("author")}&tab=permissions`);
    await page.getByLabel("New role").fill("<i>guest</i>");
    await page.getByRole("button", { name: "Add role" }).click();
    await page.getByRole("button", { name: "Allow select" }).click();
    await page.getByRole("button", { name: "Save…" }).click();
    const dialog = page.getByRole("dialog", { name: "Save" });
    await has(dialog, "<i>guest</i> may select all rows of public.author.");
    await has(dialog, "No column is allowed.");
    await axe(page, "a permission that is asked for");
    await dialog.getByRole("button", { name: "Cancel" }).click();
    await page.getByRole("button", { name: "Columns: each" }).click();
    await page.getByRole("textbox", { name: "Rows as JSON" }).fill('{"name": {"_eq": ""}}');
    // The rows of the rule are shown while it is edited.
    await page.getByText("Preview the rows").click();
    await page.getByText("The rule lets 0 of 2 rows through.").waitFor();
    await page.getByRole("textbox", { name: "Rows as JSON" }).fill('{"name": {"_eq": "x-engine-name"}}');
    await page.getByLabel("x-engine-name", { exact: true }).fill("Ann");
    await page.getByText("The rule lets 1 of 2 rows through.").waitFor();
    await has(page.getByRole("grid", { name: "Rows of the rule" }), "Ann");
    await axe(page, "the rows of a rule");
    await page.getByRole("textbox", { name: "Rows as JSON" }).fill('{"name": {"_eq": ""}}');
    await page.getByRole("button", { name: "Save…" }).click();
    await has(dialog, "The rule compares with an empty text.");
    await dialog.getByText("Show the change").click();
    await has(dialog.getByRole("listitem"), "change table default.public.author");
    await dialog.getByRole("button", { name: "Save" }).click();
    await dialog.waitFor({ state: "detached" });
    await page.getByRole("button", { name: "<i>guest</i> select: in part" }).waitFor();

    await page.getByRole("button", { name: "Revoke select…" }).click();
    const revoke = page.getByRole("dialog", { name: "Revoke" });
    await has(revoke, "table public.author");
    await axe(page, "what removes something");
    await revoke.getByRole("button", { name: "Revoke" }).click();
    await revoke.waitFor({ state: "detached" });
    await until(async () => !JSON.stringify(await metadata("export_metadata", {})).includes("guest"), "the permission is revoked");
  },
};
