// Tests of forms and dialogs whose answer comes late: what was opened meanwhile stays.
import assert from "node:assert/strict";
import { discard, metadata, signIn, sql, url } from "./harness.mjs";

const operations = /\/v[12]\/(metadata|query)$/;
const press = (page, name) => page.getByRole("button", { name, exact: true }).first().click();
const trigger = { source: "default", table: "closing_row", name: "closing_events" };
const events = "/console/events?kind=triggers&source=default&name=closing_events";
const cron = "/console/events?kind=cron&name=closing_cron";

/** held keeps the answer to a request back, or the request itself, until it is released. All that it leads to is there when release is done. */
export async function held(page, type, unsent = false) {
  let answer, asked;
  const waits = new Promise((done) => { asked = done; });
  const released = new Promise((done) => { answer = done; });
  const open = new Set();
  let begun = false;
  const began = (r) => {
    if (!operations.test(r.url())) return; // the stream of changes never ends
    open.add(r);
    begun = true;
  };
  const ended = (r) => open.delete(r);
  page.on("request", began);
  page.on("requestfinished", ended);
  page.on("requestfailed", ended);
  await page.route(operations, async (route) => {
    const { type: of, args, dry_run } = route.request().postDataJSON();
    if (of !== type || dry_run || args.dry_run) return route.fallback();
    const response = !unsent && (await route.fetch());
    asked();
    await released;
    return response ? route.fulfill({ response }) : route.continue();
  });
  return {
    waits,
    async release() {
      begun = false;
      answer();
      // Everything is read again, and then the form closes.
      for (let quiet = 0; quiet < 3; quiet = begun && open.size === 0 ? quiet + 1 : 0) await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
      await page.unrouteAll();
      page.off("request", began);
      page.off("requestfinished", ended);
      page.off("requestfailed", ended);
    },
  };
}

/** agree confirms what a dialog asks, whose answer is held back, and closes it. */
async function agree(page, title, button = title) {
  const dialog = page.getByRole("dialog", { name: title, exact: true });
  await dialog.getByRole("button", { name: button, exact: true }).click();
}

async function leaveDialog(page) {
  await page.getByRole("dialog").getByRole("button", { name: "Cancel", exact: true }).click();
  await page.getByRole("dialog").waitFor({ state: "detached" });
}

const filled = (label, text) => async (page) => page.getByLabel(label, { exact: true }).fill(text);
const keeps = (label, text) => async (page) => assert.equal(await page.getByLabel(label, { exact: true }).inputValue(), text);
const dialogStays = (title) => (page) => page.getByRole("dialog", { name: title, exact: true }).waitFor();

/** cases: where, what is sent by which steps, what is opened while its answer is under way, and how one sees that it is there still. */
const cases = {
  "an event by hand": {
    path: events, type: "pg_invoke_event_trigger",
    send: async (p) => { await press(p, "Make an event"); await filled("Payload", "{}")(p); await press(p, "Make it"); },
    next: async (p) => { await press(p, "Make an event"); await press(p, "Make an event"); await filled("Payload", '{"next": 1}')(p); },
    stays: keeps("Payload", '{"next": 1}'),
  },
  "a clean-up, then a pause": {
    path: events, type: "cleanup_event_trigger_logs",
    send: async (p) => { await press(p, "Clean up…"); await agree(p, "Clean up"); },
    next: async (p) => { await leaveDialog(p); await press(p, "Pause…"); },
    stays: dialogStays("Pause"),
  },
  "a change of an event trigger, then its clean-up": {
    path: events, type: "pg_create_event_trigger",
    send: async (p) => { await press(p, "Change"); await filled("Webhook", "http://127.0.0.1:2/")(p); await press(p, "Change…"); await agree(p, "Change"); },
    next: async (p) => { await leaveDialog(p); await press(p, "Cancel"); await discard(p); await press(p, "Clean up…"); },
    stays: dialogStays("Clean up"),
  },
  "a deleted event trigger, then another one": {
    path: events, type: "pg_delete_event_trigger",
    send: async (p) => { await press(p, "Delete…"); await agree(p, "Delete"); },
    // That it is gone is told before the answer comes; the dialog goes with it.
    next: async (p) => { await p.getByRole("dialog").waitFor({ state: "detached" }); await press(p, "closing_other"); },
    stays: (p) => p.getByRole("heading", { name: "closing_other" }).waitFor(),
  },
  "a new cron trigger, then one that is there": {
    path: "/console/events?kind=cron", type: "create_cron_trigger",
    send: async (p) => { await press(p, "New cron trigger"); await filled("Name", "closing_new")(p); await filled("Webhook", "http://127.0.0.1:1/")(p); await press(p, "Create"); },
    next: async (p) => { await press(p, "closing_cron"); await discard(p); },
    stays: (p) => p.getByRole("heading", { name: "closing_cron" }).waitFor(),
  },
  "a new action, then the form of another one": {
    path: "/console/actions", type: "create_action",
    send: async (p) => { await press(p, "New action"); await filled("Name", "closing_action")(p); await filled("Handler", "http://127.0.0.1:1/")(p); await filled("Output type", "String")(p); await press(p, "Create"); },
    next: async (p) => { await press(p, "Cancel"); await discard(p); await press(p, "New action"); await filled("Name", "closing_second")(p); },
    stays: keeps("Name", "closing_second"),
  },
  "a change of a cron trigger, then a pause": {
    path: cron, type: "create_cron_trigger",
    send: async (p) => { await press(p, "Change"); await filled("Comment", "changed")(p); await press(p, "Change…"); await agree(p, "Change"); },
    next: async (p) => { await leaveDialog(p); await press(p, "Pause…"); await discard(p); },
    stays: dialogStays("Pause"),
  },
  "a one-off event": {
    path: "/console/events?kind=once", type: "create_scheduled_event",
    send: async (p) => { await press(p, "New event"); await filled("Webhook", "http://127.0.0.1:1/")(p); await filled("Time", "2100-01-01T09:00:00Z")(p); await press(p, "Plan it"); },
    next: async (p) => { await press(p, "New event"); await discard(p); await press(p, "New event"); await filled("Webhook", "http://127.0.0.1:3/")(p); },
    stays: keeps("Webhook", "http://127.0.0.1:3/"),
  },
  "a comment on a table, then another form": {
    path: "/console/data?source=default&schema=public&table=closing_row", type: "pg_run_sql",
    send: async (p) => { await p.getByRole("tab", { name: "Structure" }).click(); await press(p, "Comment on the table"); await filled("Comment", "kept")(p); await press(p, "Review SQL…"); await agree(p, "Comment on the table", "Run"); },
    next: async (p) => { await leaveDialog(p); await press(p, "Rename the table"); await discard(p); await filled("Name", "closing_later")(p); },
    stays: keeps("Name", "closing_later"),
  },
  "a dropped table, of which the metadata tells first": {
    path: "/console/data?source=default&schema=public&table=closing_gone", type: "pg_run_sql",
    send: async (p) => {
      await p.getByRole("tab", { name: "Structure" }).click();
      await press(p, "Drop the table…");
      await agree(p, "Drop the table", "Run");
    },
    next: (p) => p.getByText("The table isn't tracked").waitFor(),
    stays: (p) => p.getByText("Open a table to see its rows").waitFor(),
  },
};

export const tests = {
  async "Forms: one that is done leaves what was opened after it"({ page }) {
    await sql("CREATE TABLE closing_row (id int PRIMARY KEY); CREATE TABLE closing_gone (id int PRIMARY KEY)");
    for (const table of ["closing_row", "closing_gone"]) await metadata("pg_track_table", { source: "default", table });
    for (const name of ["closing_events", "closing_other"]) await metadata("pg_create_event_trigger", { ...trigger, name, webhook: "http://127.0.0.1:1/", enable_manual: true });
    await metadata("create_cron_trigger", { name: "closing_cron", schedule: "0 0 1 1 *", webhook: "http://127.0.0.1:1/", include_in_metadata: true });
    try {
      await signIn(page);
      for (const [name, { path, type, send, next, stays }] of Object.entries(cases)) {
        await page.goto(url + path);
        const late = await held(page, type);
        await send(page);
        await late.waits;
        await next(page);
        await late.release();
        await stays(page).catch((e) => { throw new Error(`${name}: ${e.message}`); });
      }
    } finally {
      for (const [type, args] of [["delete_cron_trigger", { name: "closing_cron" }], ["delete_cron_trigger", { name: "closing_new" }], ["drop_action", { name: "closing_action" }]]) await metadata(type, args).catch(() => {});
      // Other tests list all one-off events.
      const { events: planned } = await metadata("get_scheduled_events", { type: "one_off", status: ["scheduled"] });
      for (const { id } of planned.filter((e) => e.scheduled_time.startsWith("2100-01-01T09:00"))) await metadata("delete_scheduled_event", { type: "one_off", event_id: id });
      await sql("DROP TABLE closing_row; DROP TABLE IF EXISTS closing_gone", true);
    }
  },

  async "Forms: a new object adds nothing to the history until it is there"({ page }) {
    await signIn(page);
    await page.goto(url + "/console/sql");
    for (const [area, button] of [["Events", "New event trigger"], ["Actions", "New action"], ["Remote schemas", "Add a remote schema"]]) {
      await page.getByRole("navigation", { name: "Areas" }).getByRole("link", { name: area, exact: true }).click();
      await press(page, button);
      await page.getByRole("button", { name: "Cancel", exact: true }).waitFor();
      await page.goBack();
      await page.getByRole("heading", { name: "SQL", exact: true }).waitFor();
    }
  },
};
