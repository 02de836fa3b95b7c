// Tests of the console in a browser: node console.mjs BROWSER URL SECRET OPEN-URL REMOTE-URL. The server of URL has the
// tables author and article and a role reader; that of OPEN-URL lets anybody in as reader; the
// GraphQL server of REMOTE-URL has the type Position.
import { existsSync } from "node:fs";
import { launch, open, openURL, url, within } from "./harness.mjs";
import { inBrowser, journeys, long, tests } from "./scenarios.mjs";

/** recorded reports whether a test runs over simulated pages, too, as services/gateway/console/test has it. */
const recorded = (name) => existsSync(new URL(`recorded/${name.replace(/[^\w]+/g, "-").toLowerCase().slice(0, 100).replace(/-$/, "")}.json`, import.meta.url));

// ONLY is an expression that picks tests by their names, JOURNEYS has only journeys and what isn't recorded, and PART, as in 0/2, is a part of them.
const only = new RegExp(process.env.ONLY ?? "");
const short = Boolean(process.env.JOURNEYS);
const [part, parts] = (process.env.PART ?? "0/1").split("/").map(Number);
const queue = Object.entries(tests).filter(([name]) => only.test(name) && (!short || !long.has(name) && (journeys.has(name) || !(recorded(name) || inBrowser.has(name))))).filter((_, i) => i % parts === part);
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

try {
  for (const [name, test] of queue) await run(name, test);
} finally {
  await browser.close();
}
process.exitCode = failed.length ? 1 : 0;
