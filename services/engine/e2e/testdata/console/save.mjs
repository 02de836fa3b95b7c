// Tests of what is made of an operation: stored queries, REST endpoints and the allow list.
import assert from "node:assert/strict";
import { axe, confirm, has, metadata, schemaThere, signIn, type } from "./harness.mjs";

const exported = () => metadata("export_metadata", {});

export const tests = {
  async "API: save an operation, make an endpoint of it, allow it"({ page }) {
    await signIn(page);
    await schemaThere(page);
    await type(page, "Operation", "query Named($id: Int!, $like: String = \"%\") { author(where: {id: {_eq: $id}, name: {_like: $like}}) { name none } }");
    await type(page, "Variables", '{"id": 1, "like": "A%"}');
    await page.getByRole("button", { name: "Save…" }).click();
    const window = page.getByRole("dialog", { name: "Save the operation" });
    await window.getByLabel("Collection", { exact: true }).fill("<b>app</b>");
    assert.equal(await window.getByLabel("Name", { exact: true }).inputValue(), "Named");
    await window.getByRole("button", { name: "Save…" }).click();
    const asked = page.getByRole("dialog", { name: "Save", exact: true });
    await has(asked, "none"); // the field isn't there
    await axe(page, "an operation that can't be saved");
    await asked.getByRole("button", { name: "Cancel" }).click();
    await window.getByRole("button", { name: "Close" }).click();
    await page.getByRole("button", { name: "Discard the changes" }).click(); // the name of the collection

    const right = "query Named($id: Int!, $like: String = \"%\") { author(where: {id: {_eq: $id}, name: {_like: $like}}) { name } }";
    await type(page, "Operation", right);
    await page.getByRole("button", { name: "Save…" }).click();
    await window.getByLabel("Collection", { exact: true }).fill("<b>app</b>");
    await window.getByRole("button", { name: "Save…" }).click();
    await asked.getByRole("button", { name: "Save", exact: true }).click();
    await window.getByText("It is saved.").waitFor();
    assert.deepEqual((await exported()).query_collections, [{ name: "<b>app</b>", definition: { queries: [{ name: "Named", query: right }] } }]);

    await window.getByRole("button", { name: "Make an endpoint" }).click();
    await window.getByLabel("Path").fill("named/:id");
    await axe(page, "a REST endpoint");
    await window.getByRole("button", { name: "Add", exact: true }).click();
    await window.getByRole("button", { name: "Try Named" }).click();
    await has(window.getByLabel("Answer of Named"), '"name": "Ann"');
    await axe(page, "a saved operation");
    await window.getByRole("button", { name: "Change Named" }).click();
    await window.getByLabel("Methods").fill("POST");
    await window.getByRole("button", { name: "Change…" }).click();
    await confirm(page, "Change", "rest_endpoint");
    await has(window, "POST /api/rest/named/:id");
    await window.getByRole("button", { name: "Try Named" }).click();
    await has(window.getByLabel("Answer of Named"), '"name": "Ann"');

    await window.getByLabel("For all roles").uncheck();
    await window.getByLabel("For the roles").fill("reader, clerk");
    await window.getByRole("button", { name: "Allow the collection…" }).click();
    await confirm(page, "Allow the collection", "allowlist");
    await window.getByText("The collection is on it, for reader, clerk.").waitFor();
    await window.getByRole("button", { name: "Take it off the list…" }).click();
    await confirm(page, "Take it off", "allowlist");
    await window.getByText("The collection isn't on it.").waitFor();

    // Another text in its place: its endpoint stays.
    await window.getByRole("button", { name: "Close" }).click();
    await type(page, "Operation", right.replace("{ name }", "{ id name }"));
    await page.getByRole("button", { name: "Save…" }).click();
    await window.getByText("Another operation has this name.").waitFor();
    await window.getByRole("button", { name: "Save in its place…" }).click();
    await asked.getByRole("button", { name: "Save", exact: true }).click();
    await window.getByText("It is saved.").waitFor();
    await window.getByRole("button", { name: "Try Named" }).click();
    await has(window.getByLabel("Answer of Named"), '"id": 1');
    await window.getByRole("button", { name: "Delete Named" }).click();
    await confirm(page, "Delete", "rest_endpoint");
    await window.getByText("None runs this operation.").waitFor();
    assert.equal(await page.locator("main b").count(), 0);
    await metadata("drop_query_collection", { collection: "<b>app</b>", cascade: true });
  },
};
