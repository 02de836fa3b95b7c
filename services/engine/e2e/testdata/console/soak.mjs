// Streams into the API page for CONSOLE_SOAK minutes, ten times a second 20 rows, and prints what the page holds after garbage
// collections: node soak.mjs BROWSER URL SECRET. It fails when the end has more than the tenth of the way.
import assert from "node:assert/strict";
import { setTimeout as sleep } from "node:timers/promises";
import { graphql, launch, open, schemaThere, signIn, url } from "./harness.mjs";
import { received, streaming, usage } from "./stream.mjs";

const minutes = Number(process.env.CONSOLE_SOAK);
const samples = 60;
const rows = JSON.stringify(Array.from({ length: 20 }, (_, i) => i)).replace(/\d+/g, (i) => `{text: "a row of some length, number ${i} of its batch"}`);

const browser = await launch();
const { page, check } = await open(browser, url);
try {
  await signIn(page);
  await schemaThere(page);
  const found = [];
  await streaming(page, 20, async () => {
    const began = Date.now();
    for (let written = 0; found.length < samples; written++) {
      await graphql(`mutation { insert_tick(objects: ${rows}) { affected_rows } }`);
      await sleep(Math.max(0, began + 100 * (written + 1) - Date.now()));
      if (Date.now() - began < ((found.length + 1) * minutes * 60_000) / samples) continue;
      const now = await usage(page);
      found.push(now);
      console.log(`${Math.round((Date.now() - began) / 1000)} s, ${await received(page)} results: heap ${(now.heap / 1e6).toFixed(2)} MB, ${now.nodes} nodes, ${now.listeners} listeners`);
    }
  });
  await check();
  const mean = (list, of) => list.reduce((sum, f) => sum + of(f), 0) / list.length;
  const [early, late] = [found.slice(6, 16), found.slice(-10)];
  for (const what of ["heap", "nodes", "listeners"]) {
    const [from, to] = [mean(early, (f) => f[what]), mean(late, (f) => f[what])];
    console.log(`${what}: ${Math.round(from)} at first, ${Math.round(to)} at the end`);
    assert.ok(to <= from * 1.1, `${what} has grown`);
  }
} finally {
  await browser.close();
}
