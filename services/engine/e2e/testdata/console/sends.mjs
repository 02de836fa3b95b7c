// What pages send: the control is disabled until there is an answer, and an error of the server is shown.
import { type } from "./harness.mjs";

const button = (name) => (page) => page.getByRole("button", { name });
const fill = (values) => async (page) => {
  for (const [label, value] of Object.entries(values)) await page.getByLabel(label, { exact: true }).fill(value);
};
const dialog = (name) => (page) => page.getByRole("dialog").getByRole("button", { name });

/** A row: the address, what is done before, and the control that sends. */
export const sends = [
  { name: "API, an operation", path: "/console/api", before: (page) => type(page, "Operation", "{ author { name } }"), control: button(/^Run/) },
  { name: "API, explain", path: "/console/api", before: (page) => type(page, "Operation", "{ author { name } }"), control: button("Explain") },
  { name: "Data, a row", path: "/console/data?source=default&schema=public&table=author", before: async (page) => { await button("Insert row")(page).click(); await page.getByRole("dialog").getByRole("textbox", { name: "name" }).fill("Eve"); }, control: dialog("Insert") },
  { name: "Data, cells", path: "/console/data?source=default&schema=public&table=author", before: async (page) => { await page.getByRole("grid", { name: "Rows" }).getByRole("row").nth(1).waitFor(); await page.getByRole("grid", { name: "Rows" }).focus(); for (const key of ["ArrowRight", "E"]) await page.keyboard.press(key); await page.getByRole("dialog", { name: "Cell of name" }).getByRole("textbox").press("Enter"); }, control: button("Save Ctrl S"), keys: "Control+s" },
  { name: "Data, relationships", path: "/console/data", before: (page) => page.getByRole("tab", { name: "Foreign keys" }).click(), control: button(/^Add \d/) },
  { name: "Permissions, a permission", path: "/console/permissions?source=default&schema=public&table=author&role=reader", before: (page) => page.getByLabel("Row limit").fill("7"), control: button("Save…") },
  { name: "SQL, statements", path: "/console/sql", before: (page) => type(page, "Statements", "SELECT 1"), control: button(/^Run/), keys: "Control+Enter" },
  { name: "Events, a trigger", path: "/console/events", before: async (page) => { await button("New event trigger")(page).click(); await fill({ Name: "second", Webhook: "http://127.0.0.1:1/" })(page); await page.getByLabel("Table", { exact: true }).selectOption("public.author"); }, control: button("Create") },
  { name: "Events, a delivery", path: "/console/events?kind=triggers&source=default&name=author_changed", before: (page) => button(/^INSERT/)(page).first().click(), control: button("Deliver again") },
  { name: "Events, a cron trigger", path: "/console/events?kind=cron", before: async (page) => { await button("New cron trigger")(page).click(); await fill({ Name: "hourly", Webhook: "http://127.0.0.1:1/" })(page); }, control: button("Create") },
  { name: "Events, a one-off event", path: "/console/events?kind=once", before: async (page) => { await button("New event")(page).click(); await fill({ Webhook: "http://127.0.0.1:1/" })(page); }, control: button("Plan it") },
  { name: "Actions, an action", path: "/console/actions", before: async (page) => { await button("New action")(page).click(); await fill({ Name: "again", Handler: "http://127.0.0.1:1/", "Output type": "Review" })(page); }, control: button("Create") },
  { name: "Actions, permission", path: "/console/actions?name=review", before: (page) => button("Drop…")(page).click(), control: dialog("Drop") },
  { name: "Remote schemas, reload", path: "/console/remote-schemas?name=charts", control: button("Reload") },
  { name: "Remote schemas, a new one", path: "/console/remote-schemas", before: async (page) => { await button("Add a remote schema")(page).click(); await fill({ Name: "more", Address: "http://127.0.0.1:1/" })(page); }, control: (page) => page.getByRole("button", { name: "Add", exact: true }) },
  { name: "Metadata, reload", path: "/console/metadata", control: button("Reload sources and remote schemas") },
  { name: "Metadata, export", path: "/console/metadata", control: button("Export") },
  { name: "Metadata, drop", path: "/console/metadata", before: (page) => button("Drop them…")(page).click(), control: dialog("Drop inconsistent objects") },
];
