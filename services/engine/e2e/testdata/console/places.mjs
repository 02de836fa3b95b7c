// The rows of pages.mjs: what each page is opened by, what shows that it is there, and a text on it that is HTML.
import { html, transforming, type } from "./harness.mjs";

const table = "/console/data?source=default&schema=public&table=author";
const cell = (name, role) => `/console/permissions?source=default&schema=public&table=${name}&role=${encodeURIComponent(role)}`;
const object = (kind, name) => `/console/permissions?source=default&kind=${encodeURIComponent(kind)}&name=${name}&role=reader`;
const grid = (name) => (page) => page.getByRole("grid", { name, exact: true });
const button = (name) => (page) => page.getByRole("button", { name, exact: true }).first();
const heading = (name) => (page) => page.getByRole("heading", { name, exact: true });
const label = (name) => (page) => page.getByLabel(name, { exact: true });
const row = (of) => (page) => of(page).getByRole("row").nth(1);
const press = (name) => (page) => button(name)(page).click();

/** editName opens the cell of the name of the first author. */
async function editName(page) {
  await row(grid("Rows"))(page).waitFor();
  await grid("Rows")(page).focus();
  for (const key of ["ArrowRight", "Enter"]) await page.keyboard.press(key);
  await page.getByRole("dialog", { name: "Cell of name" }).getByRole("textbox").waitFor();
}

/** asReader chooses the role that assistants are tried as. */
async function asReader(page) {
  await page.getByRole("combobox", { name: "Run as role" }).fill("reader");
  await page.keyboard.press("Escape");
}

/**
 * A row: the address, the tabs that are chosen one after the other and what is pressed then, what shows that the page is there, and
 * the text that must be there as it is.
 */
export const rows = [
  { name: "API", path: "/console/api", ready: label("Find a field") },
  { name: "API, documentation", path: "/console/api", tabs: ["Documentation"], ready: button("query_root") },
  { name: "API, type", path: "/console/api", tabs: ["Documentation"], steps: async (page) => { await button("query_root")(page).click(); await button("[author!]!")(page).click(); }, ready: (page) => page.getByText("shown_as").first(), text: html },
  { name: "API, headers", path: "/console/api", tabs: ["Headers"], ready: (page) => page.getByLabel("One in each line") },
  { name: "API, history", path: "/console/api", tabs: ["History"], ready: (page) => page.getByText("What you run is listed here.") },
  { name: "API, code", path: "/console/api", tabs: ["Code"], ready: button("curl") },
  { name: "API, saving", path: "/console/api", steps: press("Save…"), ready: (page) => page.getByRole("dialog").getByText("Hostile").or(page.getByRole("dialog").getByRole("button", { name: "Save" })).first() },

  { name: "Data", path: "/console/data", ready: button("Open public.author"), text: "<b>odd</b>" },
  { name: "Data, connecting a database", path: "/console/data?view=connect", ready: label("Connection string") },
  { name: "Data, a database that was connected", path: "/console/data?source=default&view=found", ready: label("Result of the first query") },
  { name: "Data, sources", path: "/console/data?view=sources", ready: (page) => page.getByRole("button", { name: "default" }).first() },
  { name: "Data, a source", path: "/console/data?source=default&view=sources", ready: (page) => page.getByRole("heading", { name: "default" }) },
  { name: "Data, an untracked table", path: "/console/data?source=default&schema=public&table=bare", ready: (page) => page.getByRole("heading", { name: "public.bare" }) },
  { name: "Data, functions", path: "/console/data", tabs: ["Functions"], ready: button("Open public.found_authors") },
  { name: "Data, suggestions", path: "/console/data", tabs: ["Foreign keys"], ready: (page) => page.getByText("array · ").first() },
  { name: "Data, native queries", path: "/console/data?source=default&view=queries", ready: heading("Logical models"), text: html },
  { name: "Data, a function", path: "/console/data?source=default&schema=public&function=found_authors", ready: heading("Names and arguments"), text: html },
  { name: "Data, rows", path: table, ready: row(grid("Rows")), text: html },
  { name: "Data, long names", path: "/console/data?source=default&schema=public&table=a_name_of_sixty_three_letters_which_is_as_long_as_names_may_be_", ready: row(grid("Rows")) },
  { name: "Data, a cell", path: table, steps: (page) => editName(page), ready: (page) => page.getByRole("dialog", { name: "Cell of name" }), text: html, tabLeaves: true },
  { name: "Data, changes", path: table, steps: async (page) => { await editName(page); await page.keyboard.type("!"); await page.keyboard.press("Enter"); }, ready: (page) => page.getByRole("region", { name: "Changes that aren't saved" }), text: html },
  { name: "Data, columns that are shown", path: table, covers: true, steps: async (page) => { await row(grid("Rows"))(page).waitFor(); await page.getByText("Columns: all of 2").click(); }, ready: (page) => page.getByRole("grid", { name: "Columns", exact: true }) },
  { name: "Data, a column of many rows", path: table, steps: async (page) => { await row(grid("Rows"))(page).waitFor(); await press("Bulk edit…")(page); }, ready: (page) => page.getByRole("dialog").getByText(/rows get/) },
  { name: "Data, insert", path: table, steps: async (page) => { await row(grid("Rows"))(page).waitFor(); await press("Insert row")(page); }, ready: (page) => page.getByRole("dialog") },
  { name: "Data, import", path: table, steps: async (page) => { await row(grid("Rows"))(page).waitFor(); await press("Import CSV…")(page); }, ready: (page) => page.getByRole("dialog").getByLabel("File") },
  { name: "Data, columns", path: table, tabs: ["Structure"], ready: row(grid("Columns")), text: html },
  { name: "Data, a new table", path: "/console/data?source=default&view=new", steps: press("Unique key"), ready: label("Name of column 1") },
  { name: "Data, a column to change", path: table, tabs: ["Structure"], steps: press("Change the column name"), ready: (page) => page.getByRole("region", { name: "Change the column name" }), text: html },
  { name: "Data, SQL that waits", path: table, tabs: ["Structure"], steps: press("Drop the column name"), ready: (page) => page.getByRole("dialog").getByText("Cascade metadata") },
  { name: "Data, configuration", path: table, tabs: ["Settings"], ready: (page) => page.getByRole("tabpanel", { name: "Settings" }).getByRole("button", { name: /^Change/ }).first() },
  { name: "Data, relationships", path: table, tabs: ["Relationships"], ready: button("By columns") },
  { name: "Data, computed fields", path: table, tabs: ["Settings"], steps: (page) => page.getByText("Computed fields", { exact: true }).click(), ready: (page) => page.getByText("shown_as").first(), text: html },
  { name: "Data, permissions of a table", path: table, tabs: ["Permissions"], ready: (page) => page.getByRole("button", { name: "reader select: all" }), text: html },
  { name: "Data, permissions of a role", path: `${table}&tab=permissions&role=reader`, ready: label("Row limit") },
  { name: "Data, as a role", path: table, tabs: ["Permissions"], steps: press("Preview as role"), ready: (page) => page.getByRole("combobox").last() },
  { name: "Data, events of a table", path: table, tabs: ["Events"], ready: (page) => page.getByRole("link", { name: "author_changed" }) },

  { name: "Permissions", path: "/console/permissions", ready: (page) => page.getByRole("gridcell", { name: "public.author, reader: select" }), text: html },
  { name: "Permissions, select", path: cell("author", html), ready: label("Row limit"), text: html },
  { name: "Permissions, what a rule can be about", path: cell("author", html), steps: press("Rows: add a condition"), ready: (page) => page.getByRole("menuitem").first() },
  { name: "Permissions, unsaved edits", path: cell("author", html), steps: async (page) => { await label("Row limit")(page).fill("7"); await page.getByRole("tab", { name: "insert" }).click(); }, ready: button("Discard the changes") },
  ...["insert", "update", "delete"].map((o) => ({ name: `Permissions, ${o}`, path: cell("author", "reader"), tabs: [o], ready: button(`Allow ${o}`) })),
  { name: "Permissions, what a role sees", path: cell("author", html), tabs: ["What it sees"], ready: row(grid("Rows that the role sees")), text: html },
  { name: "Permissions, objects", path: "/console/permissions", tabs: ["Functions, actions and more"], ready: (page) => page.getByRole("gridcell", { name: /^function public.found_authors, reader/ }), text: html },
  { name: "Permissions, an action", path: object("action", "review"), ready: (page) => page.getByRole("button", { name: /^Revoke/ }) },
  { name: "Permissions, a remote schema", path: object("remote schema", "charts"), ready: button("Allow query") },
  { name: "Permissions, inherited roles", path: "/console/permissions", tabs: ["Inherited roles"], ready: (page) => page.getByText("<i>all</i>").first(), text: html },
  { name: "Permissions, roles", path: "/console/permissions", tabs: ["Roles"], ready: (page) => page.getByRole("list", { name: "Roles" }).getByRole("listitem").first(), text: html },
  { name: "Permissions, what is inherited", path: cell("author", "<i>all</i>"), ready: (page) => page.getByRole("region", { name: "What is inherited" }), text: html },

  { name: "SQL", path: "/console/sql", steps: async (page) => { await type(page, "Statements", "SELECT * FROM author"); await page.getByRole("button", { name: /^Run/ }).click(); }, ready: row(grid("Result")), text: html },
  { name: "SQL, a plan", path: "/console/sql", steps: async (page) => { await type(page, "Statements", "SELECT * FROM author"); await press("Explain")(page); }, ready: (page) => page.getByRole("list", { name: "Steps" }) },
  { name: "SQL, history", path: "/console/sql", tabs: ["History"], ready: (page) => page.getByText("What you run is listed here.") },

  { name: "Events", path: "/console/events", ready: button("author_changed") },
  { name: "Events, a new trigger", path: "/console/events", steps: press("New event trigger"), ready: label("Webhook") },
  { name: "Events, a trigger", path: "/console/events?kind=triggers&source=default&name=author_changed", steps: async (page) => { await page.getByRole("button", { name: /^INSERT/ }).first().click(); await page.getByText("failed with 500").first().click(); }, ready: label("Response"), text: html },
  { name: "Events, calls", path: "/console/events?kind=triggers&source=default&name=author_changed", tabs: ["Calls"], steps: (page) => page.getByText("failed with 500").first().click(), ready: (page) => label("Response")(page).first(), text: html },
  { name: "Events, throughput", path: "/console/events?kind=triggers&source=default&name=author_changed", tabs: ["Throughput"], ready: row(grid("Times of deliveries")) },
  {
    name: "Events, the form of a trigger", path: "/console/events?kind=triggers&source=default&name=author_changed", text: html,
    steps: async (page) => {
      await page.getByRole("button", { name: "Change", exact: true }).click();
      await page.getByText("Clean-up of old events", { exact: true }).click();
      await transforming(page);
    },
    ready: label("Resulting request"),
  },
  { name: "Events, cron triggers", path: "/console/events?kind=cron", ready: button("<b>nightly</b>"), text: html },
  { name: "Events, a cron trigger", path: `/console/events?kind=cron&name=${encodeURIComponent("<b>nightly</b>")}`, ready: (page) => page.getByText("100 events"), text: "<b>nightly</b>" },
  { name: "Events, one-off events", path: "/console/events?kind=once", steps: (page) => page.getByRole("list", { name: "Events" }).getByRole("button").first().click(), ready: label("Event"), text: html },

  { name: "Actions", path: "/console/actions", ready: button("review") },
  { name: "Actions, one", path: "/console/actions?name=review", ready: label("Handler") },
  { name: "Actions, transforms", path: "/console/actions?name=review", steps: transforming, ready: label("Resulting request") },
  { name: "Actions, types", path: "/console/actions", tabs: ["Types"], ready: (page) => page.getByRole("textbox").first(), text: html },
  { name: "Actions, a relationship of types", path: "/console/actions", tabs: ["Types"], steps: press("Add a relationship"), ready: label("Object type") },
  { name: "Actions, relationships of types as JSON", path: "/console/actions", tabs: ["Types", "JSON"], ready: label("Relationships as JSON") },

  { name: "Remote schemas", path: "/console/remote-schemas", ready: button("charts"), text: html },
  { name: "Remote schemas, one", path: "/console/remote-schemas?name=charts", ready: (page) => page.getByRole("textbox", { name: "Schema of the remote" }) },
  { name: "Remote schemas, permissions", path: "/console/remote-schemas?name=charts", tabs: ["Permissions"], ready: (page) => page.getByText("--enable-remote-schema-permissions") },
  { name: "Remote schemas, relationships", path: "/console/remote-schemas?name=charts", tabs: ["Relationships"], ready: (page) => page.getByRole("tabpanel", { name: "Relationships" }) },
  { name: "Remote schemas, definition", path: "/console/remote-schemas?name=charts", tabs: ["Definition"], ready: label("Address") },

  { name: "Remote schemas, other names", path: "/console/remote-schemas?name=charts", tabs: ["Definition"], steps: (page) => page.getByText("Customization", { exact: true }).click(), ready: (page) => page.getByRole("region", { name: "What becomes of its names" }) },

  { name: "Assistants", path: "/console/assistants", ready: (page) => page.getByText("Choose a role.") },
  { name: "Assistants, a tool", path: "/console/assistants", steps: async (page) => { await asReader(page); await button("hostile")(page).click(); }, ready: button("Call as reader"), text: html },
  { name: "Assistants, a schema", path: "/console/assistants", steps: asReader, tabs: ["Schema"], ready: label("Schema of the role"), text: html },
  { name: "Assistants, prompts", path: "/console/assistants", steps: asReader, tabs: ["Prompts"], ready: (page) => page.getByRole("list", { name: "Prompts" }).getByRole("listitem").first(), text: html },
  { name: "Assistants, connecting", path: "/console/assistants", tabs: ["Connect"], ready: (page) => page.getByRole("combobox", { name: "Client" }) },

  { name: "Metadata", path: "/console/metadata", ready: button("Drop them…") },
  { name: "Metadata, history", path: "/console/metadata", tabs: ["History"], steps: (page) => page.getByRole("listitem").filter({ hasText: "pg_track_logical_model" }).getByRole("button", { name: /^Version/ }).click(), ready: (page) => page.getByRole("region", { name: "Difference" }).getByRole("listitem").first() },

  { name: "Metadata, reloading some", path: "/console/metadata", steps: press("Reload options…"), ready: (page) => page.getByRole("dialog").getByText("Nothing is chosen") },
  { name: "Metadata, clearing", path: "/console/metadata", steps: press("Clear…"), ready: (page) => page.getByRole("dialog").getByRole("listitem").first() },

  { name: "Settings", path: "/console/settings", ready: button("Set…") },
  { name: "Settings, introspection", path: "/console/settings", tabs: ["Introspection"], ready: label("Roles without introspection") },
  { name: "Settings, allow list", path: "/console/settings", tabs: ["Allow list"], ready: button("Allow a collection") },
  { name: "Settings, metrics", path: "/console/settings", tabs: ["Metrics"], ready: label("Answers") },
  { name: "Settings, OpenTelemetry", path: "/console/settings", tabs: ["OpenTelemetry"], ready: label("Address for traces") },
  { name: "Settings, TLS hosts", path: "/console/settings", tabs: ["TLS hosts"], ready: button("Add a host") },
  { name: "Settings, published changes", path: "/console/settings", tabs: ["Published changes"], ready: button("Publish changes") },

  { name: "Components", path: "/console/components", ready: heading("Components") },

  { name: "Monitoring", path: "/console/monitoring", steps: (page) => row(grid("Event triggers"))(page).waitFor(), ready: (page) => page.getByRole("figure").last() },
];

// A form can be written as JSON; its tabs are those of every form.
rows.push({ name: "Actions, as JSON", path: "/console/actions?name=review", tabs: ["JSON"], ready: label("Arguments as JSON"), text: html });
