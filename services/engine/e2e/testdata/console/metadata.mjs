// Tests of the page for metadata.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { area, axe, broken, confirm, has, metadata, secret, signIn, sql, unfold, until, url } from "./harness.mjs";

export const tests = {
  async "Metadata: history and going back"({ page }) {
    const before = await metadata("list_metadata_versions", {});
    await metadata("pg_drop_select_permission", { source: "default", table: "author", role: "reader" });
    await signIn(page);
    await area(page, "Metadata");
    await page.getByText("Metadata is consistent.").waitFor();
    await axe(page, "Metadata");
    await page.getByRole("tab", { name: "History" }).click();
    await page.getByRole("button", { name: `Version ${before.resource_version}`, exact: true }).click();
    const difference = page.getByRole("region", { name: "Difference" });
    await has(difference.getByLabel("What differs"), "select_permissions"); // the only change is open
    await axe(page, "Metadata with a difference");
    await page.getByRole("button", { name: "Go back to it…" }).click();
    const dialog = page.getByRole("dialog");
    await has(dialog.getByLabel("What differs"), "select_permissions"); // without a click
    await axe(page, "Metadata with a dialog");
    await dialog.getByRole("button", { name: `Go back to version ${before.resource_version}` }).click();
    await dialog.waitFor({ state: "detached" });
    await has(page.getByRole("list", { name: "Versions" }), "rollback_metadata");
    await has(difference, "Nothing of the metadata changes.");

    // Between any two, in both directions.
    await difference.getByLabel("Up to version").fill(String(before.resource_version + 1));
    await has(difference.getByRole("heading"), `From version ${before.resource_version} to ${before.resource_version + 1}`);
    await has(difference.getByRole("listitem"), "change table default.public.author");
    await page.getByRole("button", { name: `Version ${before.resource_version + 1}`, exact: true }).click();
    await has(difference, "Nothing of the metadata changes.");
    await difference.getByLabel("Up to version").fill(String(before.resource_version));
    await has(difference.getByLabel("What differs"), "select_permissions");
    await axe(page, "Metadata with two versions");
    await difference.getByLabel("Up to version").fill("1000000");
    await has(difference.getByRole("alert"), "1000000");
  },

  async "Metadata: changes of others as they happen, and who has made them"({ page }) {
    await signIn(page);
    await area(page, "Metadata");
    await page.getByRole("tab", { name: "History" }).click();
    const list = page.getByRole("list", { name: "Versions" });
    await list.getByRole("listitem").first().waitFor();
    // By another client, whose session names a user.
    const response = await fetch(url + "/v1/metadata", {
      method: "POST",
      headers: { "x-engine-admin-secret": secret, "x-engine-user-id": "<b>kim</b>" },
      body: JSON.stringify({ type: "set_metrics_config", args: { analyze_query_variables: true, analyze_response_body: false } }),
    });
    assert.equal(response.status, 200);
    const first = list.getByRole("listitem").first();
    await has(first, "set_metrics_config");
    await has(first, "by <b>kim</b> as admin");
    await has(first, "metrics_config");
    assert.equal(await list.locator("b").count(), 0);
    await axe(page, "Metadata with its history");
    await page.getByLabel("Show changes as they happen").uncheck();
    await metadata("remove_metrics_config", {});
    await page.getByLabel("Show changes as they happen").check();
    await has(first, "remove_metrics_config");
  },

  async "Metadata: changes of others reach every page, and leave what is typed"({ page, context }) {
    const asked = [];
    context.on("request", (r) => r.url() === url + "/v1/metadata" && asked.push(r.postDataJSON().type));
    const following = page.waitForResponse((r) => r.url().startsWith(url + "/v1/metadata/changes"));
    await signIn(page);
    await following;
    await metadata("create_action", { name: "seen", definition: { handler: "http://127.0.0.1:1/", output_type: "Boolean", arguments: [] } });
    await area(page, "Actions");
    await page.getByRole("button", { name: "seen", exact: true }).click();
    await page.getByLabel("Handler", { exact: true }).waitFor();
    const change = (comment) => metadata("update_action", { name: "seen", comment, definition: { handler: "http://127.0.0.1:1/", output_type: "Boolean", arguments: [] } });
    await change("by another one");
    const comment = page.getByLabel("Comment", { exact: true });
    await until(async () => (await comment.inputValue()) === "by another one", "the change is shown");
    await comment.fill("mine");
    await change("by another one again");
    await page.getByText("This has been changed since.").waitFor();
    assert.equal(await comment.inputValue(), "mine");
    await axe(page, "Actions with a change of another one");
    await page.getByRole("button", { name: "Show what it is now" }).click();
    assert.equal(await comment.inputValue(), "by another one again");
    // One's own change is taken over.
    await comment.fill("mine");
    await page.getByRole("button", { name: "Change…" }).click();
    await confirm(page, "Change", "change");
    await page.getByText("This has been changed since.").waitFor({ state: "detached" });
    assert.equal(await comment.inputValue(), "mine");
    await metadata("drop_action", { name: "seen" });
    await page.getByRole("button", { name: "seen", exact: true }).waitFor({ state: "detached" });

    // The history isn't asked for as long as nothing changes.
    await area(page, "Metadata");
    await page.getByRole("tab", { name: "History" }).click();
    const first = page.getByRole("list", { name: "Versions" }).getByRole("listitem").first();
    await has(first, "drop_action");
    const before = asked.filter((t) => t === "list_metadata_versions").length;
    await metadata("set_metrics_config", { analyze_query_variables: true, analyze_response_body: false });
    await has(first, "set_metrics_config");
    assert.ok(asked.filter((t) => t === "list_metadata_versions").length <= before + 2);
    await metadata("remove_metrics_config", {});
    await has(first, "remove_metrics_config");
  },

  async "Metadata: a server that doesn't tell of changes is asked"({ page }) {
    await page.route(/metadata\/changes/, (route) => route.fulfill({ status: 404, json: { error: "resource does not exist", code: "not-found", path: "$" } }));
    await signIn(page);
    await area(page, "Metadata");
    await page.getByRole("tab", { name: "History" }).click();
    const first = page.getByRole("list", { name: "Versions" }).getByRole("listitem").first();
    await first.waitFor();
    await metadata("set_metrics_config", { analyze_query_variables: true, analyze_response_body: false });
    await has(first, "set_metrics_config");
    await metadata("remove_metrics_config", {});
    await has(first, "remove_metrics_config");
  },

  async "Metadata: a change is undone, and done again"({ page }) {
    await signIn(page);
    await area(page, "Events");
    await page.getByRole("tab", { name: "Cron triggers" }).click();
    await page.getByRole("button", { name: "New cron trigger" }).click();
    await page.getByLabel("Name", { exact: true }).fill("undone");
    await page.getByLabel("Webhook", { exact: true }).fill("http://127.0.0.1:1/");
    await page.getByRole("button", { name: "Create" }).click();
    await page.getByRole("heading", { name: "undone" }).waitFor();
    const last = page.getByRole("status", { name: "Last change" });
    await has(last, "Cron trigger created");
    await axe(page, "Events after a change");
    await last.getByRole("button", { name: "Undo" }).click();
    await page.getByText("None: a cron trigger").waitFor();
    await has(last, "Metadata restored");
    await last.getByRole("button", { name: "Undo" }).click();
    await page.getByRole("list").getByText("undone").first().waitFor();

    // What somebody else has changed since isn't undone.
    await has(last, "Metadata restored");
    await metadata("delete_cron_trigger", { name: "undone" });
    await last.getByRole("button", { name: "Undo" }).click();
    await has(last.getByRole("alert"), "conflict");
    await axe(page, "a change that can't be undone");
    await last.getByRole("button", { name: "Dismiss" }).click();
    assert.equal(await last.textContent(), "");
  },

  async "Metadata: the history is found by who, what and object"({ page }) {
    await metadata("create_cron_trigger", { name: "sought", webhook: "http://127.0.0.1:1/", schedule: "0 0 1 1 *", include_in_metadata: true });
    await metadata("delete_cron_trigger", { name: "sought" });
    await signIn(page);
    await area(page, "Metadata");
    await page.getByRole("tab", { name: "History" }).click();
    const list = page.getByRole("list", { name: "Versions" });
    const found = list.getByRole("button", { name: /^Version/ });
    await found.nth(1).waitFor();
    await page.getByLabel("Search history").fill("admin SOUGHT");
    await until(async () => (await found.count()) === 2, "both versions, and no others");
    await page.getByLabel("Search history").fill("sought delete_cron");
    await until(async () => (await found.count()) === 1, "the one");
    await axe(page, "Metadata with a searched history");
    await page.getByLabel("Search history").fill("nobody at all");
    await list.getByText("No version has all of these words.").waitFor();
  },

  async "Metadata: parts are reloaded, all of it is cleared and brought back"({ page }) {
    const document = async () => JSON.stringify((await metadata("export_metadata", {})).sources);
    const before = await document();
    await sql("CREATE TABLE late (id int PRIMARY KEY)");
    try {
      await signIn(page);
      await area(page, "Metadata");
      await page.getByRole("button", { name: "Reload options…" }).click();
      const dialog = page.getByRole("dialog", { name: "Reload" });
      await dialog.getByText("Nothing is chosen").waitFor();
      await dialog.getByRole("group", { name: "Sources" }).getByText("default", { exact: true }).click();
      await has(dialog.getByRole("status"), "of default again");
      await axe(page, "reloading some");
      const asked = page.waitForRequest((r) => r.postDataJSON()?.type === "reload_metadata");
      await dialog.getByRole("button", { name: "Reload" }).click();
      assert.deepEqual((await asked).postDataJSON().args, { reload_sources: ["default"], reload_remote_schemas: [], recreate_event_triggers: [] });
      await dialog.waitFor({ state: "detached" });

      await page.getByRole("button", { name: "Clear…" }).click();
      await has(page.getByRole("dialog").getByRole("listitem"), "remove table default.public.author");
      await axe(page, "clearing");
      await confirm(page, "Clear the metadata", "The history keeps this version");
      assert.equal((await metadata("export_metadata", {})).sources[0].tables.length, 0);
      await page.getByRole("status", { name: "Last change" }).getByRole("button", { name: "Undo" }).click();
      await until(async () => (await document()) === before, "the metadata is back");
    } finally {
      await sql("DROP TABLE late", true);
    }
  },

  async "Metadata: a difference of 2,000 tables"({ page }) {
    const { resource_version: version } = await metadata("list_metadata_versions", { limit: 1 });
    await page.route("**/v1/metadata", (route) => {
      if (route.request().postDataJSON().type !== "diff_metadata_versions") return route.continue();
      const table = (n, role) => ({ table: { schema: "public", name: `t${n}` }, select_permissions: Array.from({ length: 50 }, (_, i) => ({ role: `r${i}`, permission: { columns: ["id", `c${i}`], filter: {} } })).concat({ role, permission: {} }) });
      const changes = Array.from({ length: 2000 }, (_, n) => ({ op: "change", kind: "table", source: "default", schema: "public", name: `t${n}`, before: table(n, "before"), after: table(n, "after") }));
      return route.fulfill({ json: { from: 1, to: version, changes } });
    });
    await signIn(page);
    await area(page, "Metadata");
    await page.getByRole("tab", { name: "History" }).click();
    await page.getByRole("list", { name: "Versions" }).getByRole("button", { name: /^Version/ }).first().click();
    const difference = page.getByRole("region", { name: "Difference" });
    const items = difference.getByRole("list", { name: "Changes" }).getByRole("listitem");
    await items.nth(199).waitFor();
    assert.equal(await items.count(), 200);
    assert.equal(await difference.locator("pre").count(), 0, "what differs is drawn when it is opened");
    await difference.getByText("2000 changed").waitFor();
    await difference.getByRole("button", { name: "Show 200 more" }).click();
    await items.nth(399).waitFor();
    await difference.getByLabel("Find a change").fill("public.t1999");
    await until(async () => (await items.count()) === 1, "one change is left");
    await unfold(difference);
    const differs = difference.getByLabel("What differs");
    await has(differs.locator(".added"), '"role": "after"');
    await has(differs.locator(".removed"), '"role": "before"');
    assert.ok((await differs.innerText()).split("\n").length < 20, "what is the same is left out");
    await axe(page, "Metadata with a long difference");
  },

  async "Metadata: export and import"({ page }) {
    await signIn(page);
    await area(page, "Metadata");
    const [download] = await Promise.all([page.waitForEvent("download"), page.getByRole("button", { name: "Export" }).click()]);
    const exported = JSON.parse(readFileSync(await download.path(), "utf8"));
    assert.equal(exported.metadata.sources[0].name, "default");

    exported.metadata.sources[0].tables.push({ table: { schema: "public", name: "<i>none</i>" } });
    const choose = async (document) => {
      const [chooser] = await Promise.all([page.waitForEvent("filechooser"), page.getByRole("button", { name: "Import…" }).click()]);
      await chooser.setFiles({ name: "metadata.json", mimeType: "application/json", buffer: Buffer.from(document) });
    };
    await choose("no JSON");
    await has(page.getByRole("alert"), "JSON");
    await choose(JSON.stringify(exported));
    const dialog = page.getByRole("dialog");
    await has(dialog, "<i>none</i>");
    await dialog.getByRole("button", { name: "Replace the metadata" }).click();
    await dialog.waitFor({ state: "detached" });
    await has(page.locator("main").getByRole("listitem"), "<i>none</i>");
    assert.equal(await page.locator("main i").count(), 0);
    await axe(page, "Metadata with an inconsistency");
    await page.locator("main").getByRole("link", { name: "<i>none</i>" }).click();
    await page.waitForURL(/\/console\/data\?.*table=%3Ci%3Enone/);
    await page.goBack();
    await page.getByRole("button", { name: "Drop them…" }).click();
    await has(dialog.getByRole("listitem"), "remove table");
    await dialog.getByRole("button", { name: "Drop inconsistent objects" }).click();
    await page.getByText("Metadata is consistent.").waitFor();
    await page.getByRole("button", { name: "Reload sources" }).click();
    await page.getByText("Reloaded", { exact: true }).waitFor();
  },

  async "Metadata: a server that fails, is gone, or is slow"({ page }) {
    await signIn(page);
    await broken(page, "Metadata", url + "/v1/metadata", () => page.getByText("Metadata is consistent.").waitFor());
  },
};
