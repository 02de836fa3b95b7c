// Tests of buttons that become disabled while they have the focus, or while a dialog has it that they have opened: they keep it, or get it back.
import assert from "node:assert/strict";
import { has, metadata, pick, signIn, sql, type, until, url } from "./harness.mjs";
import { focused } from "./pending.mjs";

const button = (name) => (page) => page.getByRole("button", { name, exact: true });
const tab = (page, name) => page.getByRole("tab", { name, exact: true }).click();
const rows = "/console/data?source=default&schema=public&table=focus_row";
const events = "/console/events?kind=triggers&source=default&name=focus_events";
const permission = "/console/permissions?source=default&schema=public&table=focus_row&role=focus_reader";

/** choose chooses a table in the list. */
async function choose(page) {
  await page.getByRole("searchbox", { name: "Find" }).fill("focus_new");
  await pick(page.getByRole("grid", { name: "Tables and views" }).getByRole("row", { name: "public.focus_new" }));
}

/** run runs an operation on the API page. */
async function run(page, text, answer) {
  await type(page, "Operation", text);
  await page.keyboard.press("Control+Enter");
  await has(page.getByRole("region", { name: "Result" }), answer);
}

/** cases: where, what is done before, the controls that are pressed one after the other until they are disabled, what agrees in the dialog that one opens, and what has the focus when the control is gone. */
const cases = {
  "pages of rows": { path: rows, controls: [button("Next"), button("Previous")] },
  "pages of events": { path: events, controls: [button("Older"), button("Newer")] },
  "pages of calls": { path: events, before: (p) => tab(p, "Calls"), controls: [button("Older"), button("Newer")] },
  "pages of planned events": { path: "/console/events?kind=cron&name=focus_cron", before: (p) => p.getByText("100 events").waitFor(), controls: [button("Next"), button("Previous")] },
  "pages of versions": {
    path: "/console/metadata", controls: [button("Older"), button("Newest")],
    before: async (p) => { await tab(p, "History"); await p.getByLabel("Search history").fill("focus_row"); },
  },
  "deleting rows": {
    path: rows, before: (p) => pick(p.getByRole("grid", { name: "Rows" }).getByRole("row").nth(1)), controls: [button(/^Delete \d+…/)], agree: "Delete",
    leads: (p) => p.getByRole("grid", { name: "Rows" }),
  },
  "delivering events": { path: events, before: (p) => p.getByRole("list", { name: "Events" }).getByRole("checkbox").first().check(), controls: [button(/^Deliver (\d+|them) again/)] },
  "tracking": { path: "/console/data", before: choose, controls: [button(/^Track \d/)] },
  "adding suggestions": {
    path: "/console/data", controls: [button(/^Add \d/)],
    before: async (p) => {
      await p.route("**/v1/metadata", async (route) => {
        if (!/suggest/.test(route.request().postDataJSON().type)) return route.continue();
        const response = await route.fetch();
        const { relationships } = await response.json();
        return route.fulfill({ response, json: { relationships: relationships.filter((r) => JSON.stringify(r).includes("focus_")) } });
      });
      await tab(p, "Foreign keys");
    },
  },
  "untracking": { path: "/console/data", before: choose, controls: [button(/^Untrack \d/)], agree: "Untrack" },
  "adding a role": { path: "/console/permissions", before: (p) => p.getByLabel("New role", { exact: true }).fill("focus_added"), controls: [button("Add the role")] },
  "choosing a role": {
    path: permission, controls: [button("Choose it")],
    before: async (p) => { await p.getByText("Copy or revoke in bulk").click(); await p.getByLabel("New role to copy to").fill("focus_added"); },
  },
  "withdrawing permissions": {
    path: permission, controls: [button(/^Revoke \d others/)], agree: "Revoke them",
    before: async (p) => { await p.getByText("Copy or revoke in bulk").click(); await p.getByRole("checkbox", { name: "focus_other" }).check(); },
  },
  "stopping a subscription": { path: "/console/api", before: (p) => run(p, "subscription { author { id } }", '"author"'), controls: [button("Stop")] },
  "clearing a history": {
    path: "/console/api", controls: [button("Clear")],
    before: async (p) => {
      await run(p, "query FocusKept { author { id } }", '"author"');
      await run(p, "query FocusGone { article { id } }", '"article"');
      await tab(p, "History");
      await button("Keep FocusKept")(p).click();
    },
  },
};

async function tryCase(page, name, { path, before, controls, agree, leads }) {
  await page.goto(url + path);
  await before?.(page);
  for (const of of controls) {
    const control = of(page);
    await control.and(page.locator(":not([data-disabled])")).waitFor();
    await control.press("Enter");
    if (agree) {
      const dialog = page.getByRole("dialog");
      const sure = dialog.getByRole("button", { name: agree, exact: true });
      await sure.and(page.locator(":not([data-disabled])")).waitFor();
      // On a busy machine frames come before the effects of a dialog that is gone.
      await page.evaluate(() => {
        window.frame = window.requestAnimationFrame.bind(window);
        window.requestAnimationFrame = (f) => (queueMicrotask(() => f(performance.now())), 0);
      });
      await sure.press("Enter");
      await dialog.waitFor({ state: "detached" });
    }
    if (leads) {
      await control.waitFor({ state: "detached" });
      await focused(leads(page), name);
      continue;
    }
    await control.and(page.locator("[data-disabled]")).waitFor();
    // Browsers take the focus away when they draw.
    await page.evaluate(() => {
      const frame = window.frame ?? window.requestAnimationFrame.bind(window);
      return new Promise((drawn) => frame(() => frame(drawn)));
    });
    await focused(control, name);
  }
}

export const tests = {
  async "Focus: a button that becomes disabled keeps it"({ page }) {
    await sql("CREATE TABLE focus_row (id int PRIMARY KEY); CREATE TABLE focus_new (id int PRIMARY KEY, row_id int REFERENCES focus_row)");
    const row = { source: "default", table: "focus_row" };
    const wrong = [];
    try {
      await metadata("pg_track_table", row);
      await metadata("pg_create_event_trigger", { ...row, name: "focus_events", webhook: "http://127.0.0.1:1/", insert: { columns: "*" } });
      await metadata("create_cron_trigger", { name: "focus_cron", webhook: "http://127.0.0.1:1/", schedule: "0 3 * * *", include_in_metadata: true });
      for (const role of ["focus_reader", "focus_other"]) await metadata("pg_create_select_permission", { ...row, role, permission: { columns: "*", filter: {} } });
      await sql("INSERT INTO focus_row SELECT generate_series(1, 60)");
      for (let i = 0; i < 51; i++) await metadata("pg_set_table_customization", { ...row, configuration: { comment: `version ${i}` } });
      await until(async () => (await metadata("pg_get_event_invocation_logs", { name: "focus_events", limit: 60 })).length === 60, "60 calls");
      await signIn(page);
      for (const [name, of] of Object.entries(cases)) {
        await tryCase(page, name, of).catch((e) => wrong.push(`${name}: ${e.message}`));
        await page.unrouteAll({ behavior: "ignoreErrors" });
      }
      assert.deepEqual(wrong, []);
    } finally {
      await metadata("delete_cron_trigger", { name: "focus_cron" }).catch(() => {});
      await sql("DROP TABLE focus_new, focus_row", true);
    }
  },
};
