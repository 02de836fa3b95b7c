// Tests of unsaved edits: whatever leads away from a form asks once before they go, and nobody else takes them away.
import assert from "node:assert/strict";
import { area, axe, confirm, has, html, metadata, pick, remoteURL, signIn, sql, type, url } from "./harness.mjs";

const author = { source: "default", table: "author" };
const unsaved = (page) => page.getByRole("alertdialog", { name: "Unsaved changes" });
const cell = (role) => `/console/permissions?source=default&schema=public&table=author&role=${role}`;
const filled = (label, text = "typed") => ({
  edit: (page) => page.getByLabel(label, { exact: true }).fill(text),
  kept: async (page) => assert.equal(await page.getByLabel(label, { exact: true }).inputValue(), text),
});
const comment = (page) => page.getByRole("textbox", { name: "Comment on edits", exact: true });
const commented = (text) => ({ edit: (page) => comment(page).fill(text), kept: async (page) => assert.equal(await comment(page).inputValue(), text) });
const press = (page, name) => page.getByRole("button", { name, exact: true }).click();

/** begin makes what the forms are about; each has names of its own. */
async function begin() {
  await metadata("pg_create_select_permission", { ...author, role: "edits", permission: { columns: ["id"], filter: {} } });
  await metadata("pg_create_event_trigger", { ...author, name: "edits_events", webhook: "http://127.0.0.1:1/", enable_manual: true });
  await metadata("create_cron_trigger", { name: "edits_cron", webhook: "http://127.0.0.1:1/", schedule: "0 3 * * *", include_in_metadata: true });
  await metadata("create_action", { name: "edits_action", definition: { handler: "http://127.0.0.1:1/", output_type: "String" } });
  await metadata("create_action_permission", { action: "edits_action", role: "edits", comment: "before" });
  await metadata("add_remote_schema", { name: "edits_remote", definition: { url: remoteURL } });
  await metadata("add_inherited_role", { role_name: "edits_heir", role_set: ["reader"] });
  await sql("CREATE TABLE edits_row (id int PRIMARY KEY, note text); INSERT INTO edits_row VALUES (1, 'before')");
  await metadata("pg_track_table", { source: "default", table: "edits_row" });
  await metadata("pg_track_logical_model", { source: "default", name: "edits_model", fields: [{ name: "id", type: { scalar: "integer" } }] });
}

async function end() {
  for (const [type, args] of [
    ["pg_untrack_logical_model", { source: "default", name: "edits_model" }], ["drop_inherited_role", { role_name: "edits_heir" }], ["pg_drop_select_permission", { ...author, role: "edits" }], ["pg_delete_event_trigger", { source: "default", name: "edits_events" }],
    ["delete_cron_trigger", { name: "edits_cron" }], ["drop_action", { name: "edits_action" }], ["remove_remote_schema", { name: "edits_remote" }],
  ]) await metadata(type, args).catch(() => {}); // a test that fails leaves some of them deleted
  await sql("DROP TABLE IF EXISTS edits_row", true);
}

const rowsOf = "/console/data?source=default&schema=public&table=edits_row";
const grid = (page) => page.getByRole("grid", { name: "Rows", exact: true });
const within = (page) => page.getByRole("dialog");
const typed = (label, text = "typed") => ({
  edit: (page) => within(page).getByLabel(label, { exact: true }).fill(text),
  kept: async (page) => assert.equal(await within(page).getByLabel(label, { exact: true }).inputValue(), text),
});
const closing = (button = "Cancel") => [(page) => within(page).getByRole("button", { name: button, exact: true }).press("Escape"), (page) => within(page).getByRole("button", { name: button, exact: true }).click()];
/** readIn waits until a file of rows was read. */
const readIn = (page) => within(page).getByRole("button", { name: "Insert 1 rows" }).waitFor();
const file = { name: "rows.csv", mimeType: "text/csv", buffer: Buffer.from("id,note\n7,seven\n") };

/**
 * forms are those of each page: the address, what opens it there, what is typed, what shows that it is kept, and what leads to
 * another part of the page.
 */
const forms = {
  "a permission": { path: cell("edits"), ...filled("Row limit", "7"), aside: [(p) => p.getByRole("tab", { name: "insert" }).click(), (p) => p.getByRole("gridcell", { name: /^public.article, edits:/ }).click(), (p) => p.getByRole("tab", { name: "Inherited roles" }).click()] },
  "a rule": { path: cell("edits"), edit: (p) => p.getByRole("textbox", { name: "Rows as JSON" }).fill('{"id": {"_gt": 7}, '), kept: async (p) => assert.equal(await p.getByRole("textbox", { name: "Rows as JSON" }).inputValue(), '{"id": {"_gt": 7}, '), aside: [(p) => p.getByRole("tab", { name: "What it sees" }).click()] },
  "a new permission": { path: cell("edits"), open: async (p) => { await p.getByRole("tab", { name: "delete" }).click(); await press(p, "Allow delete"); }, ...filled("Comment"), aside: [(p) => p.getByRole("tab", { name: "select" }).click(), (p) => press(p, "Cancel")] },
  "a permission on a logical model": { path: "/console/permissions?source=default&kind=logical%20model&name=edits_model&role=edits", open: (p) => press(p, "Allow select"), ...filled("Comment"), aside: [(p) => p.getByRole("tab", { name: "Tables and roles" }).click()] },
  "an inherited role": { path: "/console/permissions", open: async (p) => { await p.getByRole("tab", { name: "Inherited roles" }).click(); await press(p, "Change edits_heir"); }, ...filled("Made of the roles", "reader, edits, typed"), aside: [(p) => press(p, "Change edits_heir"), (p) => press(p, "Cancel"), (p) => p.getByRole("tab", { name: "Roles", exact: true }).click()] },
  "a new event trigger": { path: "/console/events", open: (p) => press(p, "New event trigger"), ...filled("Webhook", "http://127.0.0.1:2/"), aside: [(p) => press(p, "Cancel"), (p) => press(p, "edits_events"), (p) => p.getByRole("tab", { name: "Cron triggers" }).click()] },
  "an event trigger": { path: "/console/events?kind=triggers&source=default&name=edits_events", open: (p) => press(p, "Change"), ...filled("Webhook", "http://127.0.0.1:2/"), aside: [(p) => p.getByRole("button", { name: "Change", exact: true }).first().click(), (p) => press(p, "New event trigger")] },
  "an event by hand": { path: "/console/events?kind=triggers&source=default&name=edits_events", open: (p) => press(p, "Make an event"), ...filled("Payload", '{"half": '), aside: [(p) => press(p, "Make an event"), (p) => p.getByRole("tab", { name: "Throughput" }).click()] },
  "a cron trigger": { path: "/console/events?kind=cron&name=edits_cron", open: (p) => press(p, "Change"), ...filled("Comment"), aside: [(p) => press(p, "Cancel"), (p) => press(p, "New cron trigger")] },
  "a one-off event": { path: "/console/events?kind=once", open: (p) => press(p, "New event"), ...filled("Comment"), aside: [(p) => press(p, "New event"), (p) => p.getByRole("tab", { name: "Event triggers" }).click()] },
  "an action": { path: "/console/actions?name=edits_action", ...filled("Handler", "http://127.0.0.1:2/"), aside: [(p) => press(p, "New action"), (p) => p.getByRole("tab", { name: "Types" }).click()] },
  "an action as JSON": { path: "/console/actions?name=edits_action", open: (p) => p.getByRole("tab", { name: "JSON" }).click(), edit: (p) => type(p, "Arguments as JSON", '{"half'), kept: (p) => has(p.getByRole("textbox", { name: "Arguments as JSON" }), '{"half'), aside: [(p) => press(p, "New action")] },
  "a comment on a permission": { path: "/console/actions?name=edits_action", open: (p) => press(p, "Comment on edits"), ...commented("typed"), aside: [(p) => p.getByRole("region", { name: "Comment on edits" }).getByRole("button", { name: "Cancel" }).click(), (p) => press(p, "New action")] },
  "custom types": { path: "/console/actions", open: (p) => p.getByRole("tab", { name: "Types" }).click(), edit: (p) => type(p, "Types", "scalar Typed"), kept: (p) => has(p.getByRole("textbox", { name: "Types", exact: true }), "scalar Typed"), aside: [(p) => p.getByRole("tab", { name: "Actions" }).click()] },
  "a relationship of custom types": { path: "/console/actions", open: (p) => p.getByRole("tab", { name: "Types" }).click(), edit: async (p) => { await press(p, "Add a relationship"); await p.getByLabel("Name", { exact: true }).fill("typed"); }, kept: async (p) => assert.equal(await p.getByLabel("Name", { exact: true }).inputValue(), "typed"), aside: [(p) => p.getByRole("tab", { name: "Actions" }).click()] },
  "a remote schema": { path: "/console/remote-schemas?name=edits_remote", open: (p) => p.getByRole("tab", { name: "Definition" }).click(), ...filled("Comment"), aside: [(p) => p.getByRole("tab", { name: "Schema", exact: true }).click(), (p) => press(p, "Add a remote schema")] },
  "a source": { path: "/console/data?source=default&view=sources", open: (p) => press(p, "Rename"), ...filled("Name"), aside: [(p) => press(p, "Rename"), (p) => press(p, "Add a source")] },
  "a relationship": { path: "/console/data?source=default&schema=public&table=author", open: async (p) => { await p.getByRole("tab", { name: "Relationships", exact: true }).click(); await press(p, "By columns"); }, ...filled("Name"), aside: [(p) => press(p, "By columns"), (p) => p.getByRole("tab", { name: "Structure" }).click(), (p) => press(p, "Open public.article")] },
  "cells of rows": {
    path: rowsOf,
    edit: async (p) => {
      await grid(p).getByText("before", { exact: true }).dblclick();
      await p.getByRole("dialog", { name: "Cell of note" }).getByRole("textbox").fill("typed");
      await p.keyboard.press("Enter");
    },
    kept: (p) => p.getByText("1 change in 1 row").waitFor(),
    aside: [(p) => p.getByRole("tab", { name: "Structure" }).click(), (p) => press(p, "Open public.article")],
  },
  "a role to copy to": { path: "/console/permissions", open: async (p) => { await p.getByRole("tab", { name: "Roles", exact: true }).click(); await press(p, "Copy to a role…: edits"); }, ...filled("To the role"), aside: [(p) => press(p, "Copy to a role…: edits"), (p) => p.getByRole("tab", { name: "Inherited roles" }).click()] },
  "permissions for others": { path: cell("edits"), open: (p) => p.getByText("Copy or revoke in bulk").click(), ...filled("New role to copy to"), aside: [(p) => p.getByRole("gridcell", { name: /^public.article, edits:/ }).click()] },
  settings: { path: "/console/settings", open: (p) => p.getByRole("tab", { name: "Introspection" }).click(), ...filled("Roles without introspection", "edits"), aside: [(p) => p.getByRole("tab", { name: "Metrics" }).click()] },
};

/** dialogs are above the page, so that only keys and what they have themselves lead away from them. */
const dialogs = {
  "a new row": { path: rowsOf, open: (p) => press(p, "Insert row"), ...typed("note"), aside: closing() },
  "a row": { path: rowsOf, open: async (p) => { await pick(grid(p).getByRole("row").nth(1)); await press(p, "Edit row"); }, ...typed("note"), aside: closing() },
  "a column of many rows": { path: rowsOf, open: async (p) => { await press(p, "Bulk edit…"); await within(p).getByLabel("Column", { exact: true }).selectOption("note"); }, ...typed("note"), aside: closing() },
  "a file of rows": { path: rowsOf, open: (p) => press(p, "Import CSV…"), edit: (p) => within(p).getByLabel("File").setInputFiles(file).then(() => readIn(p)), kept: readIn, aside: closing() },
  "an operation to save": { path: "/console/api", open: async (p) => { await type(p, "Operation", "query edits { author { id } }"); await press(p, "Save…"); }, ...typed("Name"), aside: closing("Close") },
  "a clean-up": { path: "/console/events?kind=triggers&source=default&name=edits_events", open: (p) => press(p, "Clean up…"), ...typed("Older than, in hours", "7"), aside: closing() },
  "what to reload": { path: "/console/metadata", open: (p) => press(p, "Reload options…"), edit: (p) => within(p).getByText("edits_remote", { exact: true }).click(), kept: (p) => has(within(p), "asks edits_remote for the schema again"), aside: closing() },
};

/** ways lead away from any form. */
const ways = {
  "a link": (page) => page.getByRole("navigation", { name: "Areas" }).getByRole("link", { name: "Monitoring", exact: true }).click(),
  // What is opened may be an entry of the same address, to which Back leads without leaving anything.
  "back": (page) => page.evaluate(() => history.go(window.indexBefore - history.state.__TSR_index)),
  "the palette": async (page) => {
    await page.keyboard.press("Control+k");
    await page.getByRole("dialog", { name: "Search" }).getByRole("searchbox").fill("Monitoring");
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Enter");
  },
  "signing out": (page) => press(page, "Sign out"),
};

const keyWays = { back: ways.back, "the palette": ways["the palette"] };

/** stays asserts that a way asks, and that the answer to stay keeps what was typed, and the focus in its dialog. */
async function stays(page, form, way, what, inDialog) {
  await way(page);
  await unsaved(page).waitFor();
  await unsaved(page).getByRole("button", { name: "Stay" }).click();
  await unsaved(page).waitFor({ state: "detached" });
  await form.kept(page).catch((e) => { throw new Error(`${what}: ${e.message}`); });
  if (inDialog) await page.waitForFunction(() => document.activeElement.closest("[role=dialog]")); // where the focus was
}

/** asked tries some of the forms, and all that leads away from them. */
async function asked(page, some) {
  try {
    await begin();
    await signIn(page);
    for (const [name, form] of some) {
      await page.goto(url + "/console/sql"); // where Back leads to
      await page.getByRole("heading", { name: "SQL", exact: true }).waitFor();
      await page.evaluate((path) => {
        window.indexBefore = history.state.__TSR_index;
        history.pushState({ ...history.state, __TSR_index: window.indexBefore + 1 }, "", path); // as the router does
      }, form.path);
      await form.open?.(page);
      assert.ok(await page.evaluate(() => dispatchEvent(new Event("beforeunload", { cancelable: true }))), `${name}: nothing is edited yet`);
      await form.edit(page);
      for (const [way, go] of Object.entries(name in dialogs ? keyWays : ways)) await stays(page, form, go, `${name}, ${way}`, name in dialogs);
      for (const [i, go] of form.aside.entries()) await stays(page, form, go, `${name}, aside ${i}`, name in dialogs);
      assert.equal(await page.evaluate(() => dispatchEvent(new Event("beforeunload", { cancelable: true }))), false, `${name}: the tab can be closed without a question`);
      if (name === "a permission") await axe(page, "A form with unsaved edits");
      // It is asked once: what is discarded isn't asked for again.
      await form.aside[0](page);
      await unsaved(page).getByRole("button", { name: "Discard the changes" }).click();
      await unsaved(page).waitFor({ state: "detached" });
      await area(page, "Monitoring");
      assert.equal(await unsaved(page).count(), 0, name);
    }
  } finally {
    await end();
  }
}

/** subjects are the pages whose forms one test is about. */
const subjects = { permissions: "permissions", events: "events", actions: "actions", "other pages": "data|remote-schemas|settings" };

export const tests = {
  ...Object.fromEntries(Object.entries(subjects).map(([of, pages]) => [
    `Unsaved edits: forms of ${of}, and all that leads away from them`,
    ({ page }) => asked(page, Object.entries(forms).filter(([, { path }]) => new RegExp(`^/console/(${pages})\\b`).test(path))),
  ])),
  "Unsaved edits: dialogs, and all that leads away from them": ({ page }) => asked(page, Object.entries(dialogs)),

  async "Unsaved edits: the question, by keys and with axe, and what is saved isn't asked for"({ page }) {
    const place = { ...author, role: "edits_once" };
    await metadata("pg_create_select_permission", { ...place, permission: { columns: ["id"], filter: {} } });
    try {
      await signIn(page);
      await page.goto(url + cell("edits_once"));
      const limit = page.getByLabel("Row limit");
      await limit.fill("5");
      await ways["a link"](page);
      await unsaved(page).waitFor();
      await axe(page, "The question for unsaved edits");
      assert.equal(await page.evaluate(() => document.activeElement.textContent), "Stay");
      await page.keyboard.press("Escape");
      await unsaved(page).waitFor({ state: "detached" });
      assert.equal(await limit.inputValue(), "5");
      await press(page, "Save…");
      await confirm(page, "Save", "change table default.public.author");
      await area(page, "Monitoring");
      await page.goto(url + cell("edits_once"));
      await limit.fill("6");
      await limit.fill("5"); // which is what there is
      await area(page, "Monitoring");
    } finally {
      await metadata("pg_drop_select_permission", place);
    }
  },

  async "Unsaved edits: an object that somebody else deletes stays with what was typed, and is made anew"({ page }) {
    const gone = (text) => page.getByRole("status").filter({ hasText: text });
    try {
      await begin();
      await metadata("add_remote_schema_permissions", { remote_schema: "edits_remote", role: "edits", definition: { schema: "type Query { charts: [String!] }" }, comment: "before" });
      const definition = { to_source: { source: "default", table: "author", relationship_type: "object", field_mapping: { artist: "id" } } };
      await metadata("create_remote_schema_remote_relationship", { remote_schema: "edits_remote", type_name: "Position", name: "edits_author", definition });
      await signIn(page);
      for (const [name, { path, open, label, text, drop, title, asks = true, saved, box = (p) => p.getByLabel(label, { exact: true }) }] of Object.entries({
        "a permission": {
          path: cell("edits"), label: "Row limit", text: "7", drop: ["pg_drop_select_permission", { ...author, role: "edits" }], title: "Save",
          saved: async (d) => d.sources[0].tables.find((t) => t.table.name === "author").select_permissions.find((p) => p.role === "edits").permission.limit === 7,
        },
        "an event trigger": {
          path: "/console/events?kind=triggers&source=default&name=edits_events", open: (p) => press(p, "Change"), label: "Webhook", text: "http://127.0.0.1:3/", drop: ["pg_delete_event_trigger", { source: "default", name: "edits_events" }], title: "Create it again",
          saved: async (d) => d.sources[0].tables.find((t) => t.table.name === "author").event_triggers.find((e) => e.name === "edits_events").webhook === "http://127.0.0.1:3/",
        },
        "a comment on a permission": {
          path: "/console/actions?name=edits_action", open: (p) => press(p, "Comment on edits"), box: comment, text: html, drop: ["drop_action_permission", { action: "edits_action", role: "edits" }], title: "Allow it again",
          saved: async (d) => d.actions.find((a) => a.name === "edits_action").permissions.find((p) => p.role === "edits").comment === html,
        },
        "an action": {
          path: "/console/actions?name=edits_action", label: "Handler", text: "http://127.0.0.1:3/", drop: ["drop_action", { name: "edits_action" }], title: "Create it again",
          saved: async (d) => d.actions.some((a) => a.name === "edits_action" && a.definition.handler === "http://127.0.0.1:3/" && a.permissions[0].comment === html),
        },
        "a remote schema": {
          path: "/console/remote-schemas?name=edits_remote", open: (p) => p.getByRole("tab", { name: "Definition" }).click(), label: "Comment", text: html, drop: ["remove_remote_schema", { name: "edits_remote" }], title: "Create it again", asks: false,
          saved: async (d) => d.remote_schemas.some((r) => r.name === "edits_remote" && r.comment === html && r.permissions[0].comment === "before" && r.remote_relationships[0].relationships[0].name === "edits_author"),
        },
        "a cron trigger": {
          path: "/console/events?kind=cron&name=edits_cron", open: (p) => press(p, "Change"), label: "Comment", text: html, drop: ["delete_cron_trigger", { name: "edits_cron" }], title: "Create it again",
          saved: async (d) => d.cron_triggers.find((c) => c.name === "edits_cron").comment === html,
        },
        "an inherited role": {
          path: "/console/permissions", open: async (p) => { await p.getByRole("tab", { name: "Inherited roles" }).click(); await press(p, "Change edits_heir"); }, label: "Made of the roles", text: "reader, edits", drop: ["drop_inherited_role", { role_name: "edits_heir" }], title: "Create it again",
          saved: async (d) => d.inherited_roles.find((r) => r.role_name === "edits_heir").role_set.length === 2,
        },
      })) {
        await page.goto(url + path);
        await open?.(page);
        await box(page).fill(text);
        await metadata(...drop);
        await gone("was deleted by somebody").waitFor();
        assert.equal(await box(page).inputValue(), text, name);
        if (name === "an action") await axe(page, "A form whose object is gone");
        await press(page, asks ? `${title}…` : title);
        if (asks) await confirm(page, title, title.startsWith("Save") || ["an event trigger", "a comment on a permission"].includes(name) ? "change" : "add"); // both are a part of something
        await gone("was deleted by somebody").waitFor({ state: "detached" });
        assert.ok(await saved((await metadata("export_metadata", {}))), name);
      }
      // Discarding it leaves nothing behind.
      await page.goto(url + "/console/actions?name=edits_action");
      await page.getByLabel("Handler", { exact: true }).fill("http://127.0.0.1:4/");
      await metadata("drop_action", { name: "edits_action" });
      await press(page, "Discard it");
      await page.getByText("None: an action").waitFor();
      await area(page, "Monitoring");
      await metadata("create_action", { name: "edits_action", definition: { handler: "http://127.0.0.1:1/", output_type: "String" } });
    } finally {
      await end();
    }
  },
};
