// Tests of the pages for actions and remote schemas.
import assert from "node:assert/strict";
import { area, axe, broken, confirm, has, metadata, signIn, type, url, remoteURL } from "./harness.mjs";

const html = "<img src=x onerror=alert(1)>";

export const tests = {
  async "Actions: types, an action, and who may use it"({ page }) {
    await signIn(page);
    await area(page, "Actions");
    await page.getByRole("tab", { name: "Types" }).click();
    await type(page, "Types", "type Review { author_id: Int! text(length: Int): String }");
    await page.getByRole("button", { name: "Set the types…" }).click();
    await has(page.getByRole("alert"), "The field text has arguments");
    await type(page, "Types", `"${html}" type Review { author_id: Int!, text: String } enum Mood { CALM LOUD @deprecated } input Wish { mood: Mood }`);
    await type(page, "Relationships as JSON", '{"Review": [{"name": "author", "type": "object", "source": "default", "remote_table": "author", "field_mapping": {"author_id": "id"}}]}');
    await page.getByRole("button", { name: "Set the types…" }).click();
    await confirm(page, "Set the types", "custom_types");
    await axe(page, "Actions with types");
    const { custom_types: types } = await metadata("export_metadata", {});
    assert.deepEqual(types.objects[0].fields.map((f) => `${f.name}: ${f.type}`), ["author_id: Int!", "text: String"]);
    assert.equal(types.objects[0].description, html);
    assert.deepEqual(types.objects[0].relationships[0].field_mapping, { author_id: "id" });
    assert.deepEqual(types.enums[0].values.map((v) => v.is_deprecated ?? false), [false, true]);
    await page.reload(); // what is written is what was read
    await page.getByRole("tab", { name: "Types" }).click();
    await has(page.getByRole("textbox", { name: "Types" }), html);

    await page.getByRole("tab", { name: "Actions" }).click();
    await page.getByRole("button", { name: "New action" }).click();
    await page.getByLabel("Name", { exact: true }).fill("review");
    await page.getByLabel("Handler", { exact: true }).fill("http://127.0.0.1:1/review");
    await page.getByRole("button", { name: "Add an argument" }).click();
    await page.getByLabel("Name of argument 1").fill("wish");
    await page.getByLabel("Type of argument 1").fill("Wish!");
    await page.getByLabel("Type of the answer").fill("None");
    await page.getByLabel("Comment", { exact: true }).fill(html);
    await axe(page, "Actions with a form");
    await page.getByRole("button", { name: "Create" }).click();
    await has(page.getByRole("alert"), "None");
    await page.getByLabel("Type of the answer").fill("[Review!]!");
    await page.getByRole("button", { name: "Create" }).click();
    await page.getByRole("heading", { name: "review" }).waitFor();
    await page.getByLabel("Role", { exact: true }).fill("<b>guest</b>");
    await page.getByRole("button", { name: "Allow…" }).click();
    await confirm(page, "Allow it", "review");
    await axe(page, "Actions with an action");
    await page.getByRole("button", { name: "Withdraw from <b>guest</b>" }).click();
    await confirm(page, "Withdraw it", "review");
    await page.getByLabel("Seconds until a call has failed").fill("7");
    await page.getByRole("button", { name: "Change…" }).click();
    await confirm(page, "Change", "review");
    assert.equal((await metadata("export_metadata", {})).actions[0].definition.timeout, 7);
    assert.equal(await page.locator("main img, main b").count(), 0);
    await page.getByRole("button", { name: "Drop…" }).click();
    await confirm(page, "Drop", "review");
    await page.getByText("None: an action").waitFor();
    await metadata("set_custom_types", {});
  },

  async "Remote schemas: add, permit, relate, reload, remove"({ page }) {
    await signIn(page);
    await area(page, "Remote schemas");
    await page.getByRole("button", { name: "Add a remote schema" }).click();
    await page.getByLabel("Name", { exact: true }).fill("<i>charts</i>");
    await page.getByLabel("Address", { exact: true }).fill("http://127.0.0.1:1/");
    await page.getByRole("button", { name: "Add", exact: true }).click();
    await page.getByRole("alert").waitFor();
    await axe(page, "Remote schemas with an error");
    await page.getByLabel("Address", { exact: true }).fill(remoteURL);
    await page.getByLabel("Comment", { exact: true }).fill(html);
    await page.getByRole("button", { name: "Add", exact: true }).click();
    await page.getByRole("heading", { name: "<i>charts</i>" }).waitFor();
    await has(page.getByRole("textbox", { name: "Schema of the remote" }), "type Position");
    assert.equal(await page.getByText('""""""').count(), 0, "descriptions that are empty");
    await axe(page, "Remote schemas with a schema");
    await page.getByRole("button", { name: "Reload", exact: true }).click();
    await page.getByText("Reloaded", { exact: true }).waitFor();

    await page.getByRole("tab", { name: "Permissions" }).click();
    await page.getByLabel("Role", { exact: true }).fill("reader");
    await page.getByRole("button", { name: "Allow…" }).click();
    await type(page, "Schema of the role", "type Query { none: Int }");
    await page.getByRole("button", { name: "Set the permission…" }).click();
    await has(page.getByRole("alert"), "none");
    await type(page, "Schema of the role", "type Query {");
    await page.getByText("The tree is shown when the text can be read.").waitFor();
    await has(page.getByRole("alert"), "Syntax Error");
    await axe(page, "Remote schemas with a text that can't be read");
    await type(page, "Schema of the role", "type Query { charts: [String!] }");
    await page.getByRole("button", { name: "Set the permission…" }).click();
    await confirm(page, "Set the permission", "charts");
    await page.getByRole("button", { name: "Change what reader sees" }).click();
    await axe(page, "Remote schemas with permissions");
    await page.getByRole("button", { name: "Withdraw from reader" }).click();
    await confirm(page, "Withdraw it", "charts");

    await page.getByRole("tab", { name: "Relationships" }).click();
    await page.getByRole("button", { name: "Add one to a table" }).click();
    await page.getByLabel("Type of the remote").fill("Position");
    await page.getByLabel("Name of the relationship").fill("author");
    await page.getByLabel("To the source").selectOption("default");
    await page.getByLabel("Table", { exact: true }).selectOption("public.author");
    await page.getByLabel("Column 1 here").fill("artist");
    await page.getByLabel("Column 1 there").fill("id");
    await page.getByRole("button", { name: "Add", exact: true }).click();
    await page.getByRole("button", { name: "Change Position.author" }).click();
    await axe(page, "Remote schemas with a relationship");
    await page.getByRole("button", { name: "Delete Position.author" }).click();
    await confirm(page, "Delete", "charts");
    await page.getByText("None lead from its types.").waitFor();

    await page.getByRole("tab", { name: "Definition" }).click();
    await page.getByLabel("Seconds until a call has failed").fill("5");
    await page.getByRole("button", { name: "Change…" }).click();
    await confirm(page, "Change", "charts");
    assert.equal(await page.locator("main img, main i").count(), 0);
    await page.getByRole("button", { name: "Remove…" }).click();
    await confirm(page, "Remove", "charts");
    await page.getByText("None: a remote schema").waitFor();
  },

  async "Actions: a server that fails, is gone, or is slow"({ page }) {
    await signIn(page);
    await broken(page, "Actions", url + "/v1/metadata", () => page.getByRole("button", { name: "New action" }).waitFor());
  },

  async "Remote schemas: a server that fails, is gone, or is slow"({ page }) {
    await signIn(page);
    await broken(page, "Remote schemas", url + "/v1/metadata", () => page.getByRole("button", { name: "Add a remote schema" }).waitFor());
  },
};
