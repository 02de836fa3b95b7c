// What the tests of the console need of a browser, and of the servers that they use. In tests over simulated pages, another module takes
// the place of this one: services/gateway/console/test/driver/scenario.ts.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import { createRequire } from "node:module";
import { setTimeout as sleep } from "node:timers/promises";
import { chromium } from "playwright-core";

export const [url, secret, openURL, remoteURL] = process.argv.slice(3);
/** others are addresses of sources of other kinds. */
export const others = JSON.parse(process.env.OTHER_SOURCES ?? "{}");
const axeSource = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

/** ofColors are the rules about colours, which are all that dark changes. */
const ofColors = ["color-contrast", "link-in-text-block"];

export async function launch(...args) {
  return chromium.launch({ executablePath: process.argv[2], args: ["--no-sandbox", "--disable-dev-shm-usage", "--disable-gpu", ...args] });
}

/** pause waits for a moment. */
export async function pause() {
  await sleep(50);
}

/** serve has a handler answer requests at the address that use is given. */
export async function serve(handler, use) {
  const server = createServer(handler);
  await new Promise((listening) => server.listen(0, "127.0.0.1", listening));
  try {
    await use(`http://127.0.0.1:${server.address().port}`);
  } finally {
    server.closeAllConnections();
    server.close();
  }
}

/** axeOf is axe for a part of the page. */
export async function axeOf(page, what, part) {
  // Completions, and what conditions can be about, are lists that are used from within a text, whose focus stays where it is.
  // What was announced of a button, by its id, stays for some seconds, in which the button may go.
  const context = { include: [part], exclude: [".cm-tooltip-autocomplete", ".offered .palette-list", "[data-live-announcer]"] };
  // By the debugger, as the page's policy allows no script of others. Its value isn't asked for, which would be all of axe.
  if (!(await page.evaluate("'axe' in window"))) await page.evaluate(`${axeSource}; undefined`);
  const rules = { light: { type: "tag", values: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"] }, dark: { type: "rule", values: ofColors } };
  for (const [scheme, runOnly] of Object.entries(rules)) {
    await page.emulateMedia({ colorScheme: scheme, reducedMotion: "reduce" });
    const found = await page.evaluate(`axe.run(${JSON.stringify(context)}, { resultTypes: ["violations"], runOnly: ${JSON.stringify(runOnly)} })
      .then((r) => r.violations.map((v) => v.id + ": " + v.nodes.map((n) => n.html + " " + n.failureSummary).join("; ")))`);
    assert.deepEqual(found, [], `${what}, ${scheme}`);
  }
  await page.emulateMedia({ colorScheme: null });
}

export async function signIn(page, base = url) {
  await page.goto(base + "/console");
  // What changes is shown before it does, unless a test is about what is made at once.
  await page.evaluate(() => localStorage.setItem("query-engine-asking", '"always"'));
  await page.getByLabel("Admin secret", { exact: true }).fill(secret);
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.getByRole("navigation", { name: "Areas" }).waitFor();
}

/** area opens an area by the navigation. */
export async function area(page, name) {
  await page.getByRole("navigation", { name: "Areas" }).getByRole("link", { name, exact: true }).click();
  await page.getByRole("heading", { name, exact: true }).waitFor();
}
