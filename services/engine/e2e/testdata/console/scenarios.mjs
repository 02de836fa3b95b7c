// All tests of the console: of these, and of the other files, each of which has its own.
import assert from "node:assert/strict";
import { axe, documentation, has, openURL, secret, signIn, until, url } from "./harness.mjs";
import * as alter from "./alter.mjs";
import * as api from "./api.mjs";
import * as assistants from "./assistants.mjs";
import * as attacks from "./attacks.mjs";
import * as clicks from "./clicks.mjs";
import * as closing from "./closing.mjs";
import * as confirming from "./confirm.mjs";
import * as configuration from "./configuration.mjs";
import * as edits from "./edits.mjs";
import * as editor from "./editor.mjs";
import * as data from "./data.mjs";
import * as events from "./events.mjs";
import * as files from "./files.mjs";
import * as forms from "./forms.mjs";
import * as focus from "./focus.mjs";
import * as functions from "./functions.mjs";
import * as grid from "./grid.mjs";
import * as journey from "./journey.mjs";
import * as kinds from "./kinds.mjs";
import * as metadata from "./metadata.mjs";
import * as monitoring from "./monitoring.mjs";
import * as pending from "./pending.mjs";
import * as permissions from "./permissions.mjs";
import * as relationships from "./relationships.mjs";
import * as remotes from "./remotes.mjs";
import * as roles from "./roles.mjs";
import * as rows from "./rows.mjs";
import * as rules from "./rules.mjs";
import * as save from "./save.mjs";
import * as sessions from "./sessions.mjs";
import * as settings from "./settings.mjs";
import * as sources from "./sources.mjs";
import * as sqls from "./sql.mjs";
import * as stale from "./stale.mjs";
import * as structure from "./structure.mjs";
import * as tables from "./tables.mjs";
import * as transforms from "./transforms.mjs";
import * as types from "./types.mjs";

export { open, within } from "./harness.mjs";

export const tests = {
  async "sign in and out"({ page }) {
    await page.goto(url + "/console");
    await page.getByLabel("Admin secret", { exact: true }).fill("wrong");
    await page.getByRole("button", { name: "Sign in" }).click();
    await has(page.getByRole("alert"), "access-denied");
    await page.getByLabel("Admin secret", { exact: true }).fill(secret);
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: "API" }).waitFor();

    const kept = await page.evaluate(() => [JSON.stringify(localStorage), document.cookie, location.href, JSON.stringify(sessionStorage)]);
    assert.deepEqual(kept.map((s) => s.includes(secret)), [false, false, false, true]);
    await page.reload();
    await page.getByRole("heading", { name: "API" }).waitFor();
    await page.getByRole("button", { name: "Sign out" }).click();
    await page.getByLabel("Admin secret", { exact: true }).waitFor();
    assert.equal(await page.evaluate(() => JSON.stringify(sessionStorage)), "{}");
  },

  async "a role that isn't admin"({ page }) {
    await page.goto(openURL + "/console");
    await page.getByText("Nothing", { exact: true }).click();
    await page.getByRole("button", { name: "Sign in" }).click();
    await page.getByRole("heading", { name: "API" }).waitFor();
    assert.deepEqual(await page.getByRole("navigation", { name: "Areas" }).getByRole("link").allTextContents(), ["API"]);
    await documentation(page);
    await page.getByRole("button", { name: "query_root" }).click();
    await has(page.getByRole("region", { name: "Documentation of the schema" }), "author");
    assert.equal(await page.getByText("article_aggregate").count(), 0, "a field that the role hasn't");
  },

  async "keys"({ page }) {
    await signIn(page);
    await page.getByRole("heading", { name: "API" }).waitFor();
    await page.keyboard.press("Control+k");
    const search = page.getByRole("dialog", { name: "Search" });
    await search.getByRole("searchbox").fill("api");
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Enter");
    await search.waitFor({ state: "detached" });
    // Objects are found, too, and the title says which one is open.
    await page.keyboard.press("Control+k");
    await search.getByRole("searchbox").fill("reader");
    await has(search.getByRole("menuitem"), "role");
    await search.getByRole("searchbox").fill("public.article");
    await search.getByRole("menuitem", { name: "public.article" }).click();
    await page.waitForURL(/table=article/);
    await page.waitForFunction(() => document.title === "article · Data · Query Engine");
    await page.getByRole("heading", { name: "public.article" }).waitFor();
    await page.locator("main").focus();
    await page.keyboard.press("?");
    const keys = page.getByRole("dialog", { name: "Keys" });
    await has(keys, "Leave the editor");
    await axe(page, "keys");
    await page.keyboard.press("Escape");
    await keys.waitFor({ state: "detached" });
    await page.keyboard.press("Control+k");
    await search.getByRole("searchbox").press("?");
    await until(async () => (await search.getByRole("searchbox").inputValue()) === "?", "in a field it is a text");
    assert.equal(await keys.count(), 0);
    await page.keyboard.press("Escape");
    await page.keyboard.press("Escape");
    await page.goto(url + "/console/none");
    await page.getByRole("heading", { name: "There is no such page" }).waitFor();
    await axe(page, "no such page");
    await page.getByRole("link", { name: "Open API" }).click();
    await page.getByRole("heading", { name: "API" }).waitFor();
    assert.match(await page.locator("link[rel=icon]").getAttribute("href"), /^\/console\/assets\/icon-/);
    await page.getByRole("button", { name: "Theme: system" }).click();
    await page.getByRole("button", { name: "Theme: light" }).click();
    assert.equal(await page.evaluate(() => document.documentElement.dataset.theme), "dark");
  },

  ...alter.tests,
  ...attacks.tests,
  ...api.tests,
  ...assistants.tests,
  ...clicks.tests,
  ...closing.tests,
  ...configuration.tests,
  ...confirming.tests,
  ...data.tests,
  ...edits.tests,
  ...editor.tests,
  ...events.tests,
  ...files.tests,
  ...forms.tests,
  ...focus.tests,
  ...functions.tests,
  ...grid.tests,
  ...kinds.tests,
  ...metadata.tests,
  ...monitoring.tests,
  ...pending.tests,
  ...permissions.tests,
  ...relationships.tests,
  ...remotes.tests,
  ...roles.tests,
  ...rows.tests,
  ...rules.tests,
  ...save.tests,
  ...sessions.tests,
  ...settings.tests,
  ...sources.tests,
  ...sqls.tests,
  ...stale.tests,
  ...structure.tests,
  ...tables.tests,
  ...transforms.tests,
  ...types.tests,
  ...journey.tests,
};

/** inBrowser are the tests that need a browser: its policies, its network, several tabs, or sizes of what is drawn. */
export const inBrowser = new Set([
  ...Object.keys(attacks.tests), ...Object.keys(clicks.tests), ...Object.keys(journey.tests), "API: a subscription", "API: a stream keeps the last results alone", "API: the history, and panes as wide as they were made", "Files: rows are imported from CSV and downloaded, and large values are shown in part",
  "Focus: a button that becomes disabled keeps it", "Grid: columns are moved, widened and hidden by keys, and a link has the view", "Kinds: SQL, tables, rows and root fields of SQLite, SQL Server and BigQuery", "Monitoring: with much of everything, the page fits",
  "SQL: a running statement is cancelled in the database", "Tables: 2000 of them are found, walked through and chosen", "Transforms: of an event trigger, tried with an event of its log", "Types: values are found by what is shown of them, and copied as they are", "keys",
]);

/** long are the tests that only the long form has: they take a minute in a browser. */
export const long = new Set(["Kinds: rows of SQLite are shown, found, and written", "Monitoring: with much of everything, the page fits"]);

/** journeys are the tests that each run of all tests has in a browser, those of inBrowser among them. */
export const journeys = new Set([...inBrowser, "Events: a delivery fails, is mended, and made again", "Grid: cells are edited by keys, and saved together", "Permissions: a new role, by keys alone"]);
