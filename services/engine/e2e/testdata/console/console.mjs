// Tests of the console in a browser: node console.mjs BROWSER URL SECRET OPEN-URL REMOTE-URL. The server of URL has the
// tables author and article and a role reader; that of OPEN-URL lets anybody in as reader; the
// GraphQL server of REMOTE-URL has the type Position.
import { existsSync } from "node:fs";
import { launch, open, openURL, url, within } from "./harness.mjs";
import { inBrowser, journeys, tests } from "./scenarios.mjs";

/** recorded reports whether a test runs over simulated pages, too, as services/gateway/console/test has it. */
const recorded = (name) => existsSync(new URL(`recorded/${name.replace(/[^\w]+/g, "-").toLowerCase().slice(0, 100).replace(/-$/, "")}.json`, import.meta.url));

// ONLY is an expression that picks tests by their names, and JOURNEYS has only journeys and what isn't recorded, several at a time.
const only = new RegExp(process.env.ONLY ?? "");
const short = Boolean(process.env.JOURNEYS);
const queue = Object.entries(tests).filter(([name]) => only.test(name) && (!short || journeys.has(name) || !(recorded(name) || inBrowser.has(name))));
const browser = await launch();
const failed = [];

async function run(name, test) {
  const began = Date.now();
  const opened = await open(browser, name === "a role that isn't admin" ? openURL : url);
  try {
    await within(test({ ...opened, browser }));
    await opened.check();
  } catch (e) {
    failed.push(name);
    console.error(`${name}: ${e.stack}\n${(await opened.page.locator("body").innerText().catch(String)).slice(0, 3000)}`);
    if (process.env.SHOTS) await opened.page.screenshot({ path: `${process.env.SHOTS}/${name}.png` });
  } finally {
    await opened.close();
  }
  console.log(`${name}: ${Date.now() - began} ms`);
}

/** work runs tests until there are no more. */
async function work() {
  for (let next = queue.shift(); next; next = queue.shift()) await run(...next);
}

try {
  await Promise.all(Array.from({ length: short ? 3 : 1 }, work));
} finally {
  await browser.close();
}
process.exitCode = failed.length ? 1 : 0;
