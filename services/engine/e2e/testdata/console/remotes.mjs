// Tests of the pages for actions and remote schemas.
import assert from "node:assert/strict";
import { area, axe, broken, confirm, graphql, has, metadata, signIn, type, url, remoteURL } from "./harness.mjs";

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
    await page.getByRole("tab", { name: "JSON" }).click();
    await type(page, "Relationships as JSON", '{"Review": [{"name": "author"');
    assert.equal(await page.getByRole("tab", { name: "Form" }).getAttribute("aria-disabled"), "true"); // what can't be read stays
    await page.getByRole("button", { name: "Set the types…" }).click();
    await has(page.getByRole("alert").filter({ hasText: "relationships" }), "The relationships can't be read.");
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

    // A relationship by the form, also of a type that isn't set yet.
    const relationship = (n) => page.getByRole("region", { name: `Relationship ${n}`, exact: true });
    assert.equal(await relationship(1).getByLabel("To the table").locator("option:checked").innerText(), "public.author");
    assert.equal(await relationship(1).getByLabel("Column 1 there").inputValue(), "id");
    await type(page, "Types", "type Review { author_id: Int!, text: String } type Writer { writer: Int! }");
    await page.getByRole("button", { name: "Add a relationship" }).click();
    await page.getByRole("button", { name: "Set the types…" }).click();
    await has(page.getByRole("alert"), "without an object type");
    await relationship(2).getByLabel("Object type").selectOption("Writer");
    await relationship(2).getByLabel("Name", { exact: true }).fill("articles");
    await relationship(2).getByLabel("Kind").selectOption("array");
    await relationship(2).getByLabel("To the source").selectOption("default");
    await relationship(2).getByLabel("To the table").selectOption({ label: "public.article" });
    await relationship(2).getByLabel("Column 1 here").fill("writer");
    await relationship(2).getByLabel("Column 1 there").fill("author_id");
    await axe(page, "Actions with the form of a relationship");
    await page.getByRole("tab", { name: "JSON" }).click();
    await has(page.getByRole("textbox", { name: "Relationships as JSON" }), '"articles"');
    await page.getByRole("tab", { name: "Form" }).click();
    await page.getByRole("button", { name: "Remove relationship 1" }).click();
    assert.equal(await relationship(1).getByLabel("Column 1 there").inputValue(), "author_id");
    await page.getByRole("button", { name: "Set the types…" }).click();
    await confirm(page, "Set the types", "custom_types");
    assert.deepEqual((await metadata("export_metadata", {})).custom_types.objects.map((o) => o.relationships), [
      undefined,
      [{ name: "articles", type: "array", source: "default", remote_table: { schema: "public", name: "article" }, field_mapping: { writer: "author_id" } }],
    ]);

    await type(page, "Types", `"${html}" type Review { author_id: Int!, text: String } enum Mood { CALM LOUD @deprecated } input Wish { mood: Mood }`);
    await page.getByRole("button", { name: "Remove relationship 1" }).click();
    await page.getByRole("button", { name: "Set the types…" }).click();
    await confirm(page, "Set the types", "custom_types");

    await page.getByRole("tab", { name: "Actions" }).click();
    await page.getByRole("button", { name: "New action" }).click();
    await page.getByLabel("Name", { exact: true }).fill("review");
    await page.getByLabel("Handler", { exact: true }).fill("http://127.0.0.1:1/review");
    await page.getByRole("button", { name: "Add an argument" }).click();
    await page.getByLabel("Name of argument 1").fill("wish");
    await page.getByLabel("Type of argument 1").fill("Wish!");
    await page.getByLabel("Output type").fill("None");
    await page.getByLabel("Comment", { exact: true }).fill(html);
    await axe(page, "Actions with a form");
    await page.getByRole("button", { name: "Create" }).click();
    await has(page.getByRole("alert"), "None");
    await page.getByLabel("Output type").fill("[Review!]!");
    await page.getByRole("button", { name: "Create" }).click();
    await page.getByRole("heading", { name: "review" }).waitFor();
    await page.getByLabel("Role", { exact: true }).fill("<b>guest</b>");
    await page.getByLabel("Comment on the role", { exact: true }).fill("<b>writes</b>");
    await page.getByRole("button", { name: "Allow…" }).click();
    await confirm(page, "Allow it", "review");
    const allowed = page.getByRole("region", { name: "Roles", exact: true }).getByRole("listitem");
    await has(allowed, "<b>writes</b>");
    const permissions = async () => (await metadata("export_metadata", {})).actions[0].permissions;
    assert.deepEqual(await permissions(), [{ role: "<b>guest</b>", comment: "<b>writes</b>" }]);
    const commenting = page.getByRole("region", { name: "Comment on <b>guest</b>" });
    for (const comment of ["<b>reads</b>", ""]) {
      await page.getByRole("button", { name: "Comment on <b>guest</b>" }).click();
      await commenting.getByRole("textbox").fill(comment);
      if (comment) await axe(page, "Actions with a comment of a permission");
      await page.getByRole("button", { name: "Change the comment…" }).click();
      await confirm(page, "Change the comment", "review");
      await commenting.waitFor({ state: "detached" });
      assert.deepEqual(await permissions(), [{ role: "<b>guest</b>", ...(comment && { comment }) }]);
    }
    await axe(page, "Actions with an action");
    await page.getByRole("button", { name: "Revoke from <b>guest</b>" }).click();
    await confirm(page, "Revoke it", "review");
    await page.getByLabel("Seconds until a call has failed").fill("7");
    await page.getByRole("button", { name: "Change…" }).click();
    await confirm(page, "Change", "review");
    assert.equal((await metadata("export_metadata", {})).actions[0].definition.timeout, 7);
    assert.equal(await page.locator("main img, main b").count(), 0);
    // Whether the log of its calls is kept is said as it is dropped.
    const { permissions: _, ...again } = (await metadata("export_metadata", {})).actions[0];
    for (const keeps of [true, false]) {
      await page.getByRole("button", { name: "Drop…" }).click();
      if (keeps) {
        await page.getByRole("dialog", { name: "Drop" }).getByLabel("Keep the log of its asynchronous calls, which goes with it otherwise").check();
        await axe(page, "Actions with one that is dropped");
      }
      const sent = page.waitForRequest((r) => r.url().endsWith("/v1/metadata") && !r.postDataJSON().dry_run && r.postData().includes("drop_action"));
      await confirm(page, "Drop", "review");
      const { args } = (await sent).postDataJSON();
      assert.deepEqual((args[0]?.args ?? args).clear_data, keeps ? false : undefined);
      await page.getByText("None: an action").waitFor();
      if (!keeps) continue;
      await metadata("create_action", again);
      await page.goto(`${url}/console/actions?name=review`);
    }
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
    await page.getByRole("button", { name: "Revoke from reader" }).click();
    await confirm(page, "Revoke it", "charts");

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

    // To another remote schema, which is this one: the way to its field, with a field of the type.
    await page.getByRole("button", { name: "Add one to a remote schema" }).click();
    await page.getByLabel("Type of the remote").fill("Position");
    await page.getByLabel("Name of the relationship").fill("next");
    await page.getByLabel("To the other remote schema").selectOption("<i>charts</i>");
    await page.getByLabel("Field of Query, level 1").selectOption("position");
    await page.getByLabel("Argument artist of position: what it gets").selectOption("a field");
    await page.getByLabel("Argument artist of position: field").selectOption("place");
    await axe(page, "Remote schemas with the way to a field");
    await page.getByRole("button", { name: "Add", exact: true }).click();
    await page.getByRole("button", { name: "Change Position.next" }).waitFor();
    const { position } = await graphql("{ position(artist: 2) { next { place chart } } }");
    assert.deepEqual(position, { next: { place: 200, chart: "world" } });
    await page.getByRole("button", { name: "Delete Position.next" }).click();
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
