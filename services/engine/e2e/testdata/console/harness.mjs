// What the tests of the console share: a browser, pages that watch for what must never happen, and axe.
import assert from "node:assert/strict";
import { setTimeout as sleep } from "node:timers/promises";
import { area, axeOf, pause, secret, signIn, url } from "./driver.mjs";

export { area, axeOf, launch, openURL, others, remoteURL, secret, serve, signIn, url } from "./driver.mjs";

/** The limit is for what never comes; nothing waits as long. */
export const limit = 120_000;

/** html is text that would run a script if it were taken for HTML. */
export const html = "<img src=x onerror=alert(1)>";

/**
 * open makes a page in a profile of its own. check fails when that page, or another one of the profile, has broken a rule: an
 * error that nobody handles, a dialog, a request to another host, the secret in an address or in what outlives the session.
 */
export async function open(browser, base = url) {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 } });
  context.setDefaultTimeout(limit);
  const faults = [];
  const address = (text) => {
    const asked = new URL(text);
    if (!["data:", "blob:"].includes(asked.protocol) && asked.host !== new URL(base).host) faults.push("a request to " + asked.host);
    if (decodeURIComponent(text).includes(secret)) faults.push("the secret is in " + text);
  };
  // What goes wrong on purpose, with the server, is said on the console, too.
  const expected = /Failed to load resource|WebSocket connection to|This page can't be loaded/;
  context.on("console", (m) => m.type() === "error" && !expected.test(m.text()) && faults.push(m.text()));
  context.on("weberror", (e) => faults.push(String(e.error())));
  context.on("dialog", (d) => {
    if (d.type() === "beforeunload") return void d.accept(); // a page with unsaved edits is left for another address
    faults.push("a dialog: " + d.message());
    void d.dismiss();
  });
  context.on("request", (r) => address(r.url()));
  context.on("page", (p) => p.on("websocket", (w) => address(w.url())));
  const page = await context.newPage();
  return {
    page,
    context,
    async check() {
      const { cookies, origins } = await context.storageState();
      if (JSON.stringify([cookies, origins]).includes(secret)) faults.push("the secret is in a cookie or in the local storage");
      assert.deepEqual(faults, []);
    },
    close: () => context.close(),
  };
}

/** within fails when a test doesn't end: a page that hangs answers to nothing that is evaluated in it, which has no limit of its own. */
export async function within(test, minutes = 15) {
  const end = new AbortController();
  const late = sleep(minutes * 60_000, undefined, { signal: end.signal }).then(() => assert.fail(`not done after ${minutes} minutes`));
  try {
    await Promise.race([test, late]);
  } finally {
    late.catch(() => {});
    end.abort();
  }
}

/** until waits for what no page shows. */
export async function until(holds, what) {
  for (const end = Date.now() + limit; !(await holds()); await pause()) assert.ok(Date.now() < end, what);
}

/** axe asserts that nothing on the page is in the way of anybody, in light and in dark. */
export function axe(page, what) {
  return axeOf(page, what, "html");
}

/** type replaces what an editor has. */
export async function type(page, label, text) {
  const editor = page.getByRole("textbox", { name: label, exact: true });
  await editor.focus(); // the middle of a long text is out of sight
  await editor.press("ControlOrMeta+a");
  // Browsers give text that takes the place of another one its style, inline, which the policy refuses.
  await editor.press("Backspace");
  await page.keyboard.insertText(text);
}

export async function metadata(type, args) {
  const response = await fetch(url + "/v1/metadata", { method: "POST", headers: { "x-engine-admin-secret": secret }, body: JSON.stringify({ type, args }) });
  assert.equal(response.status, 200, `${type}: ${await response.clone().text()}`);
  return response.json();
}

/** sql runs statements in the database, and returns the rows of the last one. */
export async function sql(text, cascade = false, check = undefined) {
  const response = await fetch(url + "/v2/query", { method: "POST", headers: { "x-engine-admin-secret": secret }, body: JSON.stringify({ type: "run_sql", args: { sql: text, cascade, check_metadata_consistency: check } }) });
  assert.equal(response.status, 200, `${text}: ${await response.clone().text()}`);
  return (await response.json()).result?.slice(1);
}

export async function graphql(query) {
  const response = await fetch(url + "/v1/graphql", { method: "POST", headers: { "x-engine-admin-secret": secret }, body: JSON.stringify({ query }) });
  const answer = await response.json();
  assert.equal(answer.errors, undefined);
  return answer.data;
}

/** drawn types into a search and takes it back, and prints how long each letter took until it was drawn, for docs/console-development.md. */
export async function drawn(page, search, what) {
  await page.evaluate(() => {
    const times = (window.times = []);
    addEventListener("input", () => {
      const began = performance.now();
      requestAnimationFrame(() => setTimeout(() => times.push(Math.round(performance.now() - began))));
    }, true);
  });
  await search.focus();
  const keys = ["1", "2", "3", "Backspace", "Backspace", "Backspace"];
  for (const key of keys) await page.keyboard.press(key);
  await page.waitForFunction((n) => window.times.length === n, keys.length);
  console.log(`${what}: ${(await page.evaluate(() => window.times)).join(", ")} ms`);
}

/** answered prints how long it took from a press until what it opens was drawn, for docs/console-development.md. What is opened is found by a selector, and isn't there yet. */
export async function answered(page, what, press, selector) {
  await page.evaluate((opened) => {
    window.answered = new Promise((done) => {
      const begin = () => {
        for (const kind of ["click", "keydown"]) removeEventListener(kind, begin, true);
        const began = performance.now();
        const look = () => requestAnimationFrame(() => (document.querySelector(opened) ? setTimeout(() => done(Math.round(performance.now() - began))) : look()));
        look();
      };
      for (const kind of ["click", "keydown"]) addEventListener(kind, begin, true);
    });
  }, selector);
  await press();
  console.log(`${what}: ${await page.evaluate(() => window.answered)} ms`);
}

/** has waits until something has a text. */
export async function has(locator, text) {
  await locator.filter({ hasText: text }).first().waitFor();
}

/** addCondition adds a condition to a rule, about what has a name. */
export async function addCondition(page, rule, name) {
  await page.getByRole("button", { name: `${rule}: add a condition`, exact: true }).click();
  const offered = page.getByRole("dialog", { name: "Add a condition" });
  await offered.getByRole("searchbox").fill(name);
  await offered.getByRole("menuitem").filter({ has: page.getByText(name, { exact: true }) }).click();
  await offered.waitFor({ state: "detached" });
}

/** pick selects a row of a list, or lets go of it. */
export async function pick(row) {
  await row.locator(".tick").click();
}

/** unfold opens the changes that are listed closed: those of which there are few are open. */
export async function unfold(part) {
  await part.getByRole("list", { name: "Changes" }).getByRole("listitem").first().waitFor();
  for (const closed = part.locator(".changes details:not([open]) > summary"); (await closed.count()) > 0; ) await closed.first().click();
}

/** announces waits until a dialog says a text, above what it lists or in one of the changes, which are drawn when they are opened. */
export async function announces(dialog, agree, text) {
  await agree.and(dialog.locator(":not([aria-disabled=true])")).waitFor(); // then the server has tried it
  if (!(await dialog.innerText()).includes(text) && (await dialog.getByRole("list", { name: "Changes" }).count()) > 0) await unfold(dialog);
  await has(dialog, text);
}

/** confirm agrees to what a dialog shows, which has to contain a text. */
export async function confirm(page, title, text) {
  const dialog = page.getByRole("dialog", { name: title });
  const agree = dialog.getByRole("button", { name: title });
  await announces(dialog, agree, text);
  await agree.click();
  await dialog.waitFor({ state: "detached" });
}

/** transforming opens the transforms of a form, and changes the request. */
export async function transforming(page) {
  await page.getByText("Request and response transform").click();
  await page.getByLabel("Change the request", { exact: true }).check();
}

/** discard lets unsaved edits go, when that is asked. */
export async function discard(page) {
  const asked = page.getByRole("alertdialog", { name: "Unsaved changes" });
  await asked.getByRole("button", { name: "Discard the changes" }).click();
  await asked.waitFor({ state: "detached" });
}

/** opened opens a part of a tracked table. */
export async function opened(page, name, part) {
  await page.goto(`${url}/console/data?source=default&schema=public&table=${name}`);
  await page.getByRole("tab", { name: part, exact: true }).click();
}

/** schemaThere waits until the API page knows the schema. */
export async function schemaThere(page) {
  await page.getByRole("searchbox", { name: "Find a field" }).or(page.getByRole("button", { name: "query_root" })).first().waitFor();
}

/** documentation opens that of the schema. */
export async function documentation(page) {
  await page.getByRole("tab", { name: "Documentation" }).click();
  await page.getByRole("button", { name: "query_root" }).waitFor();
}

/** broken shows an area with a server that fails, then one that is gone, then a slow one, and one that is well again. */
export async function broken(page, name, pattern, ready) {
  let now = "fails";
  let ask, release;
  const asked = new Promise((r) => (ask = r));
  const released = new Promise((r) => (release = r));
  await area(page, name);
  await page.route(pattern, async (route) => {
    if (route.request().postDataJSON().type === "list_source_kinds") return route.continue(); // by which one signs in
    if (now === "fails") return route.fulfill({ status: 500, json: { error: "it broke", code: "unexpected", path: "$.args" } });
    if (now === "gone") return route.abort("connectionrefused");
    if (now === "slow") {
      ask();
      await released;
    }
    return route.continue();
  });
  await page.reload(); // nothing is cached
  await has(page.getByRole("alert"), "it broke");
  await has(page.getByRole("alert"), "$.args");
  await axe(page, name + " with an error");
  now = "gone";
  await page.getByRole("button", { name: "Try again" }).first().click();
  await has(page.getByRole("alert"), "The server can't be reached.");
  now = "slow";
  await page.getByRole("button", { name: "Try again" }).first().click();
  await asked;
  await page.getByRole("progressbar").waitFor();
  await axe(page, name + " while it waits");
  now = "well";
  release();
  await ready();
}

/** writing lets statements write on the SQL page, which remembers it. */
export async function writing(page) {
  const box = page.getByRole("checkbox", { name: "Read-only" });
  await box.waitFor({ state: "attached" });
  if (await box.evaluate((e) => e.checked)) await page.getByText("Read-only", { exact: true }).click();
}

/** exporting presses a button of the list of what rows are copied and written as. */
export async function exporting(page, name) {
  const list = page.getByRole("dialog", { name: "Export" });
  if ((await list.count()) === 0) await page.getByRole("button", { name: "Export", exact: true }).click();
  await list.getByRole("button", { name, exact: true }).click();
}

/** condition adds a condition to those of the shown rows, or changes what it is. */
export async function condition(page, number, column, operator, value) {
  const line = page.getByLabel(`Column of filter ${number}`);
  if ((await line.count()) === 0) await page.getByRole("button", { name: number === 1 ? "Filter" : "Add filter", exact: true }).click();
  await line.selectOption(column);
  await page.getByLabel(`Operator of filter ${number}`).selectOption(operator);
  const control = page.getByLabel(`Value of filter ${number}`);
  if (value === undefined) return;
  if ((await control.evaluate((e) => e.tagName)) === "SELECT") await control.selectOption(value);
  else await control.fill(value);
}
