// The pages of the console, each with all that can happen to it: node pages.mjs BROWSER URL SECRET OPEN-URL REMOTE-URL, with
// ONLY and JOURNEYS as in console.mjs. A tab of the console that no row here opens is a fault.
import assert from "node:assert/strict";
import { hostile, missing, shop, webhook } from "./fixture.mjs";
import { launch, open, url, within } from "./harness.mjs";
import * as faults from "./faults.mjs";
import { rows } from "./places.mjs";
import { Proxy } from "./proxy.mjs";
import { sends } from "./sends.mjs";

/** short is whether a part of the pages is opened, and no requests are broken. */
const short = Boolean(process.env.JOURNEYS);
/** drafts is the list of tabs that the user has made. */
const drafts = "/console/api: Operations";
/** form is the list of tabs that every form has. */
const form = "Form or text";
/** workers is how many pages are tried at the same time. */
const workers = 3;

const only = new RegExp(process.env.ONLY ?? "");
const failed = [];
const seen = new Set();
const shown = new Set();
// A request is made for the same on all pages of an area: what becomes of it is tried on the first one that makes it.
const tried = new Set();

/** tryRow tries all of a row. */
async function tryRow(context, page, proxy, row) {
  const requests = await faults.ready(page, proxy, row);
  const place = new URL(page.url()).pathname;
  for (const { list, tabs } of await faults.tabs(page)) {
    if (`${place}: ${list}` === drafts) continue;
    const where = list === form ? "every form" : place;
    for (const { name, selected } of tabs) (selected ? shown : seen).add(`${where}: ${list}: ${name}`);
  }
  const first = requests.filter((r) => !tried.has(`${place} ${r}`));
  for (const r of first) tried.add(`${place} ${r}`);
  if (short || first.length === 0) return;
  await faults.slowThenGone(page, proxy, row);
  assert.deepEqual(await faults.failing(context, proxy, row, first), [], "requests that fail, and nothing is said");
}

const areaOf = ({ path }) => path.split("?")[0];

/** chosen are the rows of an area: all, or the first one and each third after it. */
const chosen = (area) => rows.filter((row) => areaOf(row) === area).filter((_, i) => !short || i % 3 === 0 || process.env.EVERY);

/** queue has what is tried by one worker in this order: the rows of an area, or one control that sends. Areas with many rows come first. */
const queue = [
  ...[...new Set(rows.map(areaOf))].map((area) => chosen(area).map((row) => ({ name: row.name, run: (context, page, proxy) => tryRow(context, page, proxy, row) }))),
  ...(short ? [] : sends).map((send) => [{ name: `${send.name}: sent once`, run: (_, page, proxy) => faults.once(page, proxy, send) }]),
].map((tests) => tests.filter(({ name }) => only.test(name))).sort((a, b) => b.length - a.length);

/** test runs one test, and returns whether its pages can be used for others. */
async function test(name, opened, run) {
  const began = Date.now();
  try {
    await within(run());
    await opened.check();
    return true;
  } catch (e) {
    failed.push(name);
    const page = opened.context.pages().at(-1);
    console.error(`${name}: ${e.stack}\n${(await page?.locator("body").innerText().catch(String))?.slice(0, 3000)}`);
    if (process.env.SHOTS) await page?.screenshot({ path: `${process.env.SHOTS}/${name.replace(/\W+/g, "-")}.png` }).catch(() => {});
    return false;
  } finally {
    console.log(`${name}: ${Date.now() - began} ms`);
  }
}

/** work runs tests until there are no more, in one profile with one proxy as long as they succeed. */
async function work(browser) {
  let tests = [];
  const next = () => {
    while (tests.length === 0 && queue.length > 0) tests = queue.shift();
    return tests.shift();
  };
  for (let now = next(); now; ) {
    const proxy = await new Proxy(url).start();
    const opened = await open(browser, proxy.url);
    try {
      await faults.signed(opened.context);
      for (let well = true; well && now; now = next()) well = await test(now.name, opened, () => now.run(opened.context, opened.page, proxy));
    } finally {
      await opened.close();
      proxy.close();
    }
  }
}

const browser = await launch("--process-per-site"); // pages of a profile share what is compiled
try {
  await webhook(async (address) => {
    await shop(address);
    await hostile(address);
    await missing();
    await Promise.all(Array.from({ length: workers }, () => work(browser)));
    const files = "The server goes away with the files of the pages";
    if (!short && only.test(files)) {
      const opened = await open(browser);
      await test(files, opened, () => faults.withoutFiles(opened.page));
      await opened.close();
    }
    if (!process.env.ONLY && !short) {
      const missed = [...seen].filter((t) => !shown.has(t));
      assert.deepEqual(missed, [], "tabs that no row opens");
      const areas = await faults.areas(browser);
      assert.deepEqual(areas.filter((a) => !rows.some((r) => r.path === a)), [], "areas that no row opens");
    }
  });
} finally {
  await browser.close();
}
process.exitCode = failed.length ? 1 : 0;
