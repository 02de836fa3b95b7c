// What can happen to a page, for pages.mjs.
import assert from "node:assert/strict";
import { axe, has, open, schemaThere, secret, signIn, url } from "./harness.mjs";

/** Those that a page works without, and the one by which it finds out whether somebody may sign in. */
const optional = new Set(["/v1/version", "/v1alpha1/config", "/v1/metadata/changes"]);
const signing = "/v1/metadata list_source_kinds";

const broken = { message: "it broke", code: "unexpected", path: "$.args.what" };

/** kindOf is what a request of the API is for, undefined for a file. */
function kindOf(request) {
  const { pathname } = new URL(request.url());
  if (pathname.startsWith("/console")) return undefined;
  const type = request.postDataJSON()?.type;
  return type ? `${pathname} ${type}` : pathname;
}

/** answerBroken answers as the endpoint does with an error. */
function answerBroken(route) {
  const { message, code, path } = broken;
  return route.fulfill({ status: 500, json: new URL(route.request().url()).pathname === "/v1/graphql" ? { errors: [{ message, extensions: { code, path } }] } : { error: message, code, path } });
}

/** signed is a page that is signed in already, as one is that is loaded again. */
async function signed(context) {
  const page = await context.newPage();
  await page.addInitScript((value) => sessionStorage.setItem("query-engine-session", JSON.stringify({ kind: "secret", value })), secret);
  return page;
}

/** show opens a row. */
async function show(page, row) {
  await page.goto(url + row.path);
  for (const tab of row.tabs ?? []) await page.getByRole("tab", { name: tab, exact: true }).first().click();
  await row.steps?.(page);
  await row.ready(page).waitFor();
}

/** ready opens a row, and returns the requests that it made: texts of others are text, all is reached by keys, and nothing is wider than the window. */
export async function ready(page, row) {
  const requests = new Set();
  page.on("request", (r) => { const kind = kindOf(r); if (kind && kind !== signing && !optional.has(kind)) requests.add(kind); });
  await page.addInitScript((value) => sessionStorage.setItem("query-engine-session", JSON.stringify({ kind: "secret", value })), secret);
  await show(page, row);
  if (row.text) await has(page.locator("body"), row.text);
  const made = "main img, main script, main b, main i, main iframe, [role=dialog] img, [role=dialog] b";
  assert.equal(await page.locator(made).count(), 0, "text became HTML");
  assert.deepEqual(await page.evaluate(() => [document.scrollingElement, document.querySelector("main")].map((e) => e.scrollWidth - e.clientWidth)), [0, 0], "wider than the window");
  await axe(page, row.name);
  assert.deepEqual(await unreached(page), [], "not reached by keys");
  return requests;
}

/** stops bounds how often Tab is pressed: nothing has as many controls, so that the focus is caught. */
const stops = 400;

/** unreached are the controls that Tab doesn't get to; those of a list, a table or the like are reached by arrows from one of them. */
async function unreached(page) {
  await page.evaluate(() => {
    window.reached = new Set();
    document.addEventListener("focusin", (e) => window.reached.add(e.target));
    document.activeElement?.blur();
  });
  const dialog = await page.getByRole("dialog").count();
  let first;
  for (let n = 0; ; n++) {
    assert.ok(n < stops, "Tab doesn't come around");
    await page.keyboard.press("Tab");
    const at = await page.evaluate(() => {
      window.order ??= new Map();
      const e = document.activeElement;
      if (!window.order.has(e)) window.order.set(e, window.order.size);
      return e === document.body ? -1 : window.order.get(e);
    });
    if (at === first && n > 0) break;
    if (first === undefined && at >= 0) first = at;
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
    tabs: [...l.querySelectorAll("[role=tab]")].map((t) => ({ name: t.textContent.replace(/ (✓|\(inherited\))$/, ""), selected: t.getAttribute("aria-selected") === "true" })),
  })));
}

/** areas are the addresses of the navigation. */
export async function areas(browser) {
  const { page, close } = await open(browser);
  await signIn(page);
  const list = await page.getByRole("navigation", { name: "Areas" }).getByRole("link").evaluateAll((links) => links.map((l) => l.getAttribute("href")));
  await close();
  return { areas: list };
}

/** failing opens a row when one of its requests fails: the error is shown with its code and path. */
export async function failing(context, row, request) {
  const page = await signed(context);
  await page.route("**/*", (route) => (kindOf(route.request()) === request ? answerBroken(route) : route.continue()));
  void show(page, row).catch(() => {}); // ends with the page
  const alert = page.getByRole("alert").filter({ hasText: broken.message }).first();
  await alert.waitFor().catch((e) => { throw new Error(`nothing is said when ${request} fails`, { cause: e }); });
  for (const part of [broken.code, broken.path]) await has(alert, part);
  await page.close();
}

/** slow opens a row of a server that doesn't answer: progress is shown, and the page can be left. */
export async function slow(context, row) {
  const page = await signed(context);
  const held = [];
  await page.route("**/*", (route) => {
    const kind = kindOf(route.request());
    if (!kind || kind === signing) return route.continue();
    held.push(route);
  });
  void show(page, row).catch(() => {});
  await page.getByRole("progressbar", { name: "Waiting for the server" }).waitFor();
  await axe(page, `${row.name}, slow`);
  const other = row.path.startsWith("/console/actions") ? "Metadata" : "Actions";
  await page.getByRole("navigation", { name: "Areas" }).getByRole("link", { name: other, exact: true }).click();
  await page.getByRole("heading", { name: other, exact: true, level: 1 }).waitFor();
  await Promise.all(held.map((route) => route.continue().catch(() => {}))); // some aren't wanted any more
  await page.close();
}

/** gone opens a row without a server, and again when the server is back. */
export async function gone(context, row) {
  const page = await signed(context);
  let back = false;
  await page.route("**/*", (route) => {
    const kind = kindOf(route.request());
    return back || !kind || kind === signing ? route.continue() : route.abort("connectionrefused");
  });
  const shown = show(page, row);
  shown.catch(() => {});
  await has(page.getByRole("alert"), "The server can't be reached.");
  await axe(page, `${row.name}, without a server`);
  back = true;
  const again = page.getByRole("button", { name: "Try again" }).first();
  const done = shown.then(() => true);
  while (!(await Promise.race([done, again.waitFor().then(() => false)]))) await again.click({ timeout: 1000 }).catch(() => {}); // it may be gone
  await page.close();
}

/** once presses a control that sends while the server doesn't answer. */
export async function once(page, send) {
  let hold = false;
  const held = [];
  await page.addInitScript((value) => sessionStorage.setItem("query-engine-session", JSON.stringify({ kind: "secret", value })), secret);
  let tell;
  const sent = new Promise((r) => (tell = r));
  await page.route("**/*", (route) => {
    if (!hold || !kindOf(route.request())) return route.continue();
    held.push(route);
    tell();
  });
  await page.goto(url + send.path);
  await send.before?.(page);
  const control = send.control(page);
  await control.and(page.locator(":enabled")).waitFor();
  hold = true;
  await control.click();
  await sent;
  await control.and(page.locator(":disabled, [aria-disabled=true]")).waitFor();
  const kinds = held.map((route) => kindOf(route.request()));
  if (send.keys) await page.keyboard.press(send.keys);
  assert.equal(new Set(kinds).size, held.length, "the same is sent twice");
  hold = false;
  await answerBroken(held[0]);
  await Promise.all(held.slice(1).map((route) => route.continue()));
  const alert = page.getByRole("alert").filter({ hasText: broken.message }).first();
  for (const part of [broken.code, broken.path]) await has(alert, part);
  await control.and(page.locator(":enabled:not([aria-disabled=true])")).waitFor();
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
