// The pages of the console, each with all that can happen to it: node pages.mjs BROWSER URL SECRET OPEN-URL REMOTE-URL, with
// ONLY as in console.mjs. A tab of the console that no row here opens is a fault.
import assert from "node:assert/strict";
import { hostile, missing, shop, webhook } from "./fixture.mjs";
import { launch, open } from "./harness.mjs";
import * as faults from "./faults.mjs";
import { rows } from "./places.mjs";
import { sends } from "./sends.mjs";

/** drafts is the list of tabs that the user has made. */
const drafts = "/console/api: Operations";
/** form is the list of tabs that every form has. */
const form = "Form or text";

const only = new RegExp(process.env.ONLY ?? "");
const failed = [];
const seen = new Set();
const shown = new Set();

async function test(browser, name, use) {
  if (!only.test(name)) return;
  const began = Date.now();
  const opened = await open(browser);
  try {
    await use(opened);
    await opened.check();
  } catch (e) {
    failed.push(name);
    const page = opened.context.pages().at(-1);
    console.error(`${name}: ${e.stack}\n${(await page?.locator("body").innerText().catch(String))?.slice(0, 3000)}`);
    if (process.env.SHOTS) await page?.screenshot({ path: `${process.env.SHOTS}/${name.replace(/\W+/g, "-")}.png` }).catch(() => {});
  } finally {
    await opened.close();
  }
  console.log(`${name}: ${Date.now() - began} ms`);
}

const browser = await launch();
try {
  await webhook(async (address) => {
    await shop(address);
    await hostile(address);
    await missing();
    // A request is made for the same on all pages of an area: what becomes of it is tried on the first one that makes it.
    const tried = new Set();
    for (const row of rows) {
      await test(browser, row.name, async ({ context, page }) => {
        const requests = await faults.ready(page, row);
        const place = new URL(page.url()).pathname;
        for (const { list, tabs } of await faults.tabs(page)) {
          if (`${place}: ${list}` === drafts) continue;
          const where = list === form ? "every form" : place;
          for (const { name, selected } of tabs) (selected ? shown : seen).add(`${where}: ${list}: ${name}`);
        }
        await page.close();
        const first = [...requests].filter((r) => !tried.has(`${place} ${r}`));
        for (const r of first) tried.add(`${place} ${r}`);
        const silent = [];
        for (const r of first) await faults.failing(context, row, r).catch((e) => silent.push(`${r}: ${e.message}`));
        if (first.length > 0) {
          await faults.slow(context, row);
          await faults.gone(context, row);
        }
        assert.deepEqual(silent, [], "requests that fail");
      });
    }
    for (const send of sends) await test(browser, `${send.name}: sent once`, ({ page }) => faults.once(page, send));
    await test(browser, "The server goes away with the files of the pages", ({ page }) => faults.withoutFiles(page));
    if (!process.env.ONLY) {
      const missed = [...seen].filter((t) => !shown.has(t));
      assert.deepEqual(missed, [], "tabs that no row opens");
      const { areas } = await faults.areas(browser);
      assert.deepEqual(areas.filter((a) => !rows.some((r) => r.path === a)), [], "areas that no row opens");
    }
  });
} finally {
  await browser.close();
}
process.exitCode = failed.length ? 1 : 0;
