// What can happen to a page, for pages.mjs. The server of a page is the proxy that its worker has.
import assert from "node:assert/strict";
import { axe, axeOf, has, open, schemaThere, secret, signIn } from "./harness.mjs";
import { brokenBy } from "./proxy.mjs";

/** Those that a page works without, and the one by which it finds out whether somebody may sign in. */
const optional = new Set(["/v1/version", "/v1alpha1/config", "/v1/metadata/changes"]);
const signing = "/v1/metadata list_source_kinds";

/** signed has the pages of a context signed in, with nothing else in their storage, as soon as they are loaded. */
export function signed(context) {
  return context.addInitScript((value) => {
    if (!location.protocol.startsWith("http")) return; // before the first page there is none
    localStorage.clear();
    sessionStorage.clear();
    localStorage.setItem("query-engine-asking", JSON.stringify("always"));
    sessionStorage.setItem("query-engine-session", JSON.stringify({ kind: "secret", value }));
  }, secret);
}

/** show opens a row. */
async function show(page, proxy, row) {
  await page.goto(proxy.url + row.path);
  for (const name of row.tabs ?? []) {
    const tab = page.getByRole("tab", { name, exact: true }).first();
    // While a page comes in, a press may miss what has moved.
    do await tab.click(); while ((await tab.getAttribute("aria-selected")) !== "true");
  }
  await row.steps?.(page);
  await row.ready(page).waitFor();
}

/** asWide is what is as wide as what users write or have in databases: rows, roles, code. */
const asWide = ".datagrid, .matrix, .cm-editor, pre, [aria-label^='Result'], [aria-label^='Rows']";

/** sideways are the page, and what else of it scrolls to the side. */
export function sideways(page) {
  return page.evaluate((except) => [...document.querySelectorAll("*")]
    .filter((e) => e === document.scrollingElement || ["auto", "scroll"].includes(getComputedStyle(e).overflowX))
    .filter((e) => e.scrollWidth > e.clientWidth && e.checkVisibility() && !e.closest(except))
    .map((e) => `${e.outerHTML.slice(0, 120)}: ${e.scrollWidth} of ${e.clientWidth} pixels`), asWide);
}

/** windows are the sizes that each page is opened at: those of phones, tablets and screens, and 1440 pixels at a zoom of 200 %. */
const windows = [[360, 740], [720, 450], [768, 1024], [1440, 900], [1920, 1080]];

/** narrow is the window that axe looks at, besides the usual one. */
const [narrow] = windows;

/** usual is the window that pages are opened in. */
const usual = { width: 1280, height: 800 };

/** overflowing are the page and its parts that are wider than they have room: tables and code scroll in themselves. */
function overflowing(page) {
  return page.evaluate(() => [document.scrollingElement, ...document.querySelectorAll("main, header, [role=dialog]")]
    .filter((e) => e.scrollWidth > e.clientWidth)
    .map((e) => {
      const right = e.getBoundingClientRect().left + e.clientWidth;
      const wide = [...e.querySelectorAll("*")].filter((p) => p.getBoundingClientRect().right > right + 1).slice(0, 3);
      return `${e.tagName}: ${e.scrollWidth} of ${e.clientWidth} pixels, by ${wide.map((p) => p.outerHTML.slice(0, 120)).join(" and ")}`;
    }));
}

/** fits asserts that a page has room in windows of all sizes. */
async function fits(page, { name: what, covers }) {
  for (const [width, height] of windows) {
    await page.setViewportSize({ width, height });
    let wide = await overflowing(page);
    // A grid measures its columns again after its window has changed.
    for (const end = Date.now() + 5000; wide.length > 0 && Date.now() < end; wide = await overflowing(page));
    assert.deepEqual(wide, [], `${what}: wider than ${width} pixels`);
    if (width === narrow[0] && !covers) await axe(page, `${what}, ${width} pixels wide`);
  }
  await page.setViewportSize(usual);
}

/** begin leaves what a page shows, which may go on to ask its server, and counts the kinds of requests from there. */
async function begin(page, proxy) {
  await page.goto("about:blank");
  proxy.kinds.clear();
}

/** ready opens a row, and returns the requests that it made: texts of others are text, all is reached by keys, and nothing is wider than the window. */
export async function ready(page, proxy, row) {
  await begin(page, proxy);
  await show(page, proxy, row);
  const requests = [...proxy.kinds].filter((kind) => kind !== signing && !optional.has(kind));
  if (row.text) await has(page.locator("body"), row.text);
  const made = "main img, main script, main b, main i, main iframe, [role=dialog] img, [role=dialog] b";
  assert.equal(await page.locator(made).count(), 0, "text became HTML");
  for (const colorScheme of ["light", "dark"]) {
    await page.emulateMedia({ colorScheme });
    assert.deepEqual(await sideways(page), [], `wider than the window, ${colorScheme}`);
  }
  await axe(page, row.name);
  await fits(page, row);
  // Tab ends the editing of a cell. What is drawn anew while Tab goes around is reached the second time.
  if (!row.tabLeaves && (await unreached(page)).length > 0) assert.deepEqual(await unreached(page), [], "not reached by keys");
  return requests;
}

/** stops bounds how often Tab is pressed: nothing has as many controls, so that the focus is caught. */
const stops = 400;

/** atOnce is how often Tab is pressed before the page is asked where the focus has been. */
const atOnce = 10;

/** unreached are the controls that Tab doesn't get to; those of a list, a table or the like are reached by arrows from one of them. */
async function unreached(page) {
  await page.evaluate(() => {
    window.rounds?.abort();
    window.rounds = new AbortController();
    window.reached = new Set();
    window.around = false;
    const { signal } = window.rounds;
    document.addEventListener("focusin", (e) => window.reached.add(e.target), { signal });
    let first;
    document.addEventListener("keyup", () => {
      const now = document.activeElement;
      if (now === first) window.around = true;
      if (now !== document.body && !first?.isConnected) first = now; // what was first may be drawn anew
    }, { capture: true, signal });
    document.activeElement?.blur();
  });
  const dialog = await page.getByRole("dialog").count();
  for (let n = 0; !(await page.evaluate(() => window.around)); n += atOnce) {
    assert.ok(n < stops, "Tab doesn't come around");
    for (let i = 0; i < atOnce; i++) await page.keyboard.press("Tab");
  }
  return page.evaluate((inDialog) => {
    const composite = "[role=tablist],[role=grid],[role=treegrid],[role=listbox],[role=radiogroup],[role=tree],[role=menu]";
    const part = inDialog ? document.querySelector("[role=dialog]") : document.body;
    return [...part.querySelectorAll("button, a[href], input, select, textarea, summary, [contenteditable=true], [tabindex='0']")]
      .filter((e) => e.tabIndex >= 0 && !e.disabled && e.checkVisibility() && !e.closest("[aria-hidden=true],[inert]"))
      .filter((e) => !window.reached.has(e) && ![...window.reached].some((r) => e.closest(composite)?.contains(r)))
      // Of radio buttons one is reached, and the others by arrows.
      .filter((e) => e.type !== "radio" || ![...window.reached].some((r) => r.name === e.name))
      .map((e) => e.outerHTML.slice(0, 200));
  }, dialog > 0);
}

/** tabs are those that are shown, by their lists. */
export async function tabs(page) {
  return page.getByRole("tablist").evaluateAll((lists) => lists.map((l) => ({
    list: l.getAttribute("aria-label"),
    tabs: [...l.querySelectorAll("[role=tab]")].map((t) => ({ name: t.textContent.replace(/ (✓|\((inherited|in conflict)\))$/, ""), selected: t.getAttribute("aria-selected") === "true" })),
  })));
}

/** areas are the addresses of the navigation. */
export async function areas(browser) {
  const { page, close } = await open(browser);
  await signIn(page);
  const list = await page.getByRole("navigation", { name: "Areas" }).getByRole("link").evaluateAll((links) => links.map((l) => l.getAttribute("href")));
  await close();
  return list;
}

/** alertOf is the alert that shows that a request of a kind has failed. */
const alertOf = (page, kind) => page.getByRole("alert").filter({ hasText: brokenBy(kind).message }).first();

/** told waits until a failed request is shown with its code and path. */
async function told(page, kind) {
  const { code, path } = brokenBy(kind);
  for (const part of [code, path]) await has(alertOf(page, kind), part);
}

/**
 * failing opens a row while requests fail, and returns those that nothing is said about. All fail in the first round, and in each
 * other one those that couldn't be told yet, as they were never made, or as the error of another one was in their place. Then the
 * page waits for the server, and is left.
 */
export async function failing(context, proxy, row, requests) {
  let left = [...requests];
  while (left.length > 0) {
    const page = await context.newPage();
    proxy.treat((kind) => (left.includes(kind) ? "fail" : "pass"));
    void show(page, proxy, row).catch(() => {}); // ends with the page
    const any = left.map((kind) => alertOf(page, kind)).reduce((a, b) => a.or(b)).first();
    const shown = await any.waitFor().then(() => true, () => false);
    const found = [];
    for (const kind of left) if (await alertOf(page, kind).isVisible()) found.push(kind);
    for (const kind of found) await told(page, kind);
    left = left.filter((kind) => !found.includes(kind));
    if (shown && left.length === 0) await leave(page, proxy, row);
    await page.close();
    if (!shown) break;
  }
  proxy.pass();
  return left;
}

/** tryAgain is a button that asks the server again. What a dialog has comes last, and nothing behind it can be pressed. */
const tryAgain = (page) => page.getByRole("button", { name: "Try again" }).last();

/** close closes a dialog, where there is one. */
async function close(page) {
  if (await page.getByRole("dialog").count()) await page.keyboard.press("Escape");
}

/** leave asks the server again, where the page offers that, or else opens it again, and leaves the page before there is an answer. */
async function leave(page, proxy, row) {
  proxy.treat((kind) => (kind === signing ? "pass" : "held"));
  const again = tryAgain(page);
  if (!(await again.isVisible())) await page.goto(proxy.url + row.path);
  // Nothing behind a dialog can be pressed, and what opens the row may open one yet.
  else while ((await again.isVisible()) && !(await again.click({ timeout: 1000 }).then(() => true, () => false))) await close(page);
  await proxy.held();
  await close(page);
  const other = row.path.startsWith("/console/actions") ? "Metadata" : "Actions";
  await page.getByRole("navigation", { name: "Areas" }).getByRole("link", { name: other, exact: true }).click();
  await page.getByRole("heading", { name: other, exact: true, level: 1 }).waitFor();
}

/** contents is where a page differs from the others of the same server. */
const contents = "main, [role=dialog]";

/** slowThenGone opens a row of a server that doesn't answer, that is gone then, and that is back at last. */
export async function slowThenGone(page, proxy, row) {
  proxy.treat((kind) => (kind === signing ? "pass" : "held"));
  const shown = show(page, proxy, row);
  shown.catch(() => {});
  await proxy.held();
  await page.getByRole("progressbar", { name: "Waiting for the server" }).waitFor();
  await axeOf(page, `${row.name}, slow`, contents);
  proxy.treat((kind) => (kind === signing ? "pass" : "gone"));
  proxy.release(() => "gone");
  await has(page.getByRole("alert"), "The server can't be reached.");
  await axeOf(page, `${row.name}, without a server`, contents);
  proxy.pass();
  const again = tryAgain(page);
  const done = shown.then(() => true);
  while (!(await Promise.race([done, again.waitFor().then(() => false)]))) await again.click({ timeout: 1000 }).catch(() => {}); // it may be gone
}

/** once presses a control that sends while the server doesn't answer. */
export async function once(page, proxy, send) {
  await begin(page, proxy);
  await page.goto(proxy.url + send.path);
  await send.before?.(page);
  const control = send.control(page);
  await control.and(page.locator(":not([aria-disabled=true])")).waitFor();
  const before = new Set(proxy.kinds);
  proxy.treat((kind) => (optional.has(kind) ? "pass" : "held"));
  await control.click();
  await proxy.held();
  await control.and(page.locator("[aria-disabled=true]")).waitFor();
  const kinds = await proxy.held();
  const sent = kinds.find((kind) => !before.has(kind)) ?? kinds[0]; // the page may have read something again
  if (send.keys) await page.keyboard.press(send.keys);
  assert.equal(new Set(kinds).size, kinds.length, "the same is sent twice");
  proxy.treat(() => "pass");
  proxy.release((kind) => (kind === sent ? "fail" : "pass"));
  await told(page, sent);
  await control.and(page.locator(":not([aria-disabled=true])")).waitFor();
}

/** withoutFiles goes through the areas when even their files can't be had, and again when the server is back. */
export async function withoutFiles(page) {
  await signIn(page);
  await schemaThere(page);
  const links = page.getByRole("navigation", { name: "Areas" }).getByRole("link");
  for (const name of (await links.allTextContents()).slice(1)) {
    await page.route("**/*", (route) => route.abort("connectionrefused"));
    await page.getByRole("navigation", { name: "Areas" }).getByRole("link", { name, exact: true }).click();
    const alert = page.getByRole("alert").first();
    await has(alert, "can't be reached");
    await page.unroute("**/*");
    await alert.getByRole("button", { name: "Try again" }).click();
    await page.getByRole("heading", { name, exact: true, level: 1 }).waitFor();
    await page.getByRole("alert").waitFor({ state: "detached" });
  }
}
