// Tests of dialogs whose request is running: they keep the focus, and Escape leaves them as Cancel does.
import assert from "node:assert/strict";
import { axeOf, discard, metadata, pick, schemaThere, signIn, sql, type, url } from "./harness.mjs";
import { held } from "./closing.mjs";

const button = (page, name) => page.getByRole("button", { name, exact: true }).first();
const dialogs = (page) => page.getByRole("dialog");
const fill = (page, label, text) => page.getByLabel(label, { exact: true }).fill(text);
const rows = "/console/data?source=default&schema=public&table=pending_row";
const events = "/console/events?kind=triggers&source=default&name=pending_events";
const first = (page) => page.getByRole("grid", { name: "Rows" }).getByRole("row").nth(1);
const text = (page) => dialogs(page).getByRole("textbox", { name: "text" });

/**
 * cases: where, what is done before, what opens the dialog, what is done in it, what agrees, and what is done before it is opened
 * again. edited is that leaving it asks, as something is typed in it; left is how many dialogs it is in.
 */
const cases = {
  "of events": {
    "a form that asks": {
      path: events, type: "pg_create_event_trigger", opener: "Change…", agree: "Change",
      before: async (p) => { await button(p, "Change").click(); await fill(p, "Webhook", "http://127.0.0.1:2/"); },
    },
    "a change": { path: events, type: "pause_event_triggers", opener: "Pause…", agree: "Pause" },
    "a clean-up": { path: events, type: "cleanup_event_trigger_logs", opener: "Clean up…", agree: "Clean up" },
    "a one-off event": {
      path: "/console/events?kind=once", type: "delete_scheduled_event", opener: "Delete…", agree: "Delete the event",
      before: (p) => p.getByRole("list", { name: "Events" }).getByRole("button").filter({ hasText: "2100" }).first().click(),
    },
  },
  "of metadata": {
    "reloading": { path: "/console/metadata", type: "reload_metadata", opener: "Reload options…", agree: "Reload", within: (p) => dialogs(p).getByText("default", { exact: true }).first().click(), edited: true },
    "SQL of a form": {
      path: rows, type: "pg_run_sql", opener: "Review SQL…", agree: "Run",
      before: async (p) => { await p.getByRole("tab", { name: "Structure" }).click(); await button(p, "Comment on the table").click(); await fill(p, "Comment", "kept"); },
    },
    "custom types": {
      path: "/console/actions", type: "set_custom_types", opener: "Set the types…", agree: "Set the types",
      before: async (p) => { await p.getByRole("tab", { name: "Types" }).click(); await type(p, "Types", "scalar Pending"); },
      after: (p) => type(p, "Types", "scalar Pending\nscalar Later"),
    },
    "an operation": {
      path: "/console/api", type: "create_query_collection", opener: "Save…", agree: "Save", left: 1,
      before: async (p) => {
        await schemaThere(p);
        await type(p, "Operation", "query pending { author { name } }");
        await button(p, "Save…").click();
        await fill(p, "Collection", "pending");
      },
      open: (p) => dialogs(p).getByRole("button", { name: "Save…", exact: true }),
    },
  },
  "of rows": {
    "an insert": { path: rows, type: "insert", opener: "Insert row", agree: "Insert", within: (p) => text(p).fill("new"), edited: true },
    "a change of a row": { path: rows, type: "update", opener: "Edit row", agree: "Change", before: (p) => pick(first(p)), within: (p) => text(p).fill("new"), edited: true },
    "a change of a row that is another one": {
      path: rows, type: "update", opener: "Edit row", agree: "Write yours", before: (p) => pick(first(p)), edited: true,
      within: async (p) => {
        await text(p).fill("newer");
        await sql("UPDATE pending_row SET text = text || '!'");
        await button(p, "Change").press("Enter");
        await button(p, "Write yours").waitFor();
        await focused(dialogs(p), "the focus left the dialog");
      },
    },
    "a column of rows": {
      path: rows, type: "update", opener: "Bulk edit…", agree: /^Set in \d/, edited: true,
      within: async (p) => { await dialogs(p).getByLabel("Column", { exact: true }).selectOption("text"); await text(p).fill("all"); },
    },
    "a file": { path: rows, type: "insert", opener: "Import CSV…", agree: /^Insert \d+ rows/, within: (p) => dialogs(p).getByLabel("File").setInputFiles({ name: "rows.csv", mimeType: "text/csv", buffer: Buffer.from("text\nfile\n") }), edited: true },
    "a deletion of rows": { path: rows, type: "delete", opener: "Delete 1…", agree: "Delete", before: (p) => pick(first(p)) },
  },
};

/** focused waits until something, or something in it, has the focus. It asks by time, as a test may have changed what frames do. */
export async function focused(part, what) {
  const handle = await part.elementHandle();
  await part.page().waitForFunction((e) => e.contains(document.activeElement), handle, { polling: 100 }).catch(async () => {
    assert.fail(`${what}: ${await part.page().evaluate(() => document.activeElement.outerHTML.slice(0, 200))} has it`);
  });
}

/** opened opens the dialog of a case by a key, and does what is done in it. */
async function opened(page, { opener, open = (p) => button(p, opener), within, left = 0 }) {
  await open(page).and(page.locator(":not([aria-disabled=true])")).waitFor();
  await open(page).press("Enter");
  await dialogs(page).nth(left).waitFor();
  await within?.(page);
}

async function leave(page, edited, left = 0) {
  await page.keyboard.press("Escape");
  if (edited) await discard(page);
  await dialogs(page).nth(left).waitFor({ state: "detached" });
}

async function tryCase(page, name, of) {
  const { path, before, agree, edited, opener, open = (p) => button(p, opener), after, left } = of;
  await page.goto(url + path);
  await before?.(page);
  await opened(page, of);
  const late = await held(page, of.type, true);
  const send = dialogs(page).last().getByRole("button", { name: agree, exact: true });
  await send.and(page.locator(":not([aria-disabled=true])")).waitFor();
  await send.press("Enter");
  await late.waits;
  await focused(send, `${name}: the focus isn't kept`);
  assert.equal(await send.getAttribute("aria-disabled"), "true", name);
  await axeOf(page, `${name}, running`, "[role=dialog]");
  await leave(page, edited, left);
  await focused(open(page), `${name}: the focus doesn't come back`);
  await after?.(page);
  await open(page).press("Enter");
  await dialogs(page).nth(left ?? 0).waitFor();
  await late.release();
  assert.equal(await dialogs(page).count(), (left ?? 0) + 1, `${name}: the late answer closes what was opened after it`);
  await leave(page, false, left);
}

/** tried tries cases, with what they need. */
async function tried(page, of) {
  await sql(`CREATE TABLE pending_row (id int GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY, text text); CREATE TABLE pending_other (id int PRIMARY KEY);
    INSERT INTO pending_row (text) VALUES ('a'), ('b'), ('c')`);
  await metadata("pg_track_table", { source: "default", table: "pending_row" });
  await metadata("pg_create_event_trigger", { source: "default", table: "pending_row", name: "pending_events", webhook: "http://127.0.0.1:1/", enable_manual: true });
  await metadata("create_scheduled_event", { webhook: "http://127.0.0.1:1/", schedule_at: "2100-01-02T09:00:00Z" });
  const wrong = [];
  try {
    await signIn(page);
    for (const [name, one] of Object.entries(of)) {
      await tryCase(page, name, one).catch((e) => wrong.push(e.message));
      await page.unrouteAll({ behavior: "ignoreErrors" });
    }
    assert.deepEqual(wrong, []);
  } finally {
    await metadata("set_custom_types", {});
    await metadata("drop_query_collection", { collection: "pending", cascade: true }).catch(() => {});
    const { events: planned } = await metadata("get_scheduled_events", { type: "one_off", status: ["scheduled"] });
    for (const { id } of planned.filter((e) => e.scheduled_time.startsWith("2100-01-02T09:00"))) await metadata("delete_scheduled_event", { type: "one_off", event_id: id });
    await sql("DROP TABLE pending_row, pending_other", true);
  }
}

export const tests = Object.fromEntries(Object.entries(cases).map(([group, of]) => [`Dialogs ${group}: Escape leaves one whose request is running`, ({ page }) => tried(page, of)]));
