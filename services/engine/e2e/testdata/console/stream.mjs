// A streaming subscription on the API page, for the tests and for soak.mjs.
import { has, metadata, sql, type } from "./harness.mjs";

/** streaming subscribes to a table of its own, in batches of a size, while use runs. */
export async function streaming(page, batch, use) {
  await sql("CREATE TABLE tick (id bigserial PRIMARY KEY, text text NOT NULL, at timestamptz NOT NULL DEFAULT now())");
  try {
    await metadata("pg_track_table", { source: "default", table: "tick" });
    await type(page, "Operation", `subscription { tick_stream(batch_size: ${batch}, cursor: {initial_value: {id: 0}}) { id text at } }`);
    await page.getByRole("button", { name: "Run Ctrl Enter" }).click();
    await has(page.getByRole("status"), "Running…");
    await use();
    await page.getByRole("button", { name: "Stop" }).click();
  } finally {
    await sql("DROP TABLE tick", true);
  }
}

/** usage is what the page holds after garbage was collected. */
export async function usage(page) {
  const debuggerOf = await page.context().newCDPSession(page);
  await debuggerOf.send("HeapProfiler.collectGarbage");
  await debuggerOf.send("Performance.enable");
  const { metrics } = await debuggerOf.send("Performance.getMetrics");
  await debuggerOf.detach();
  const of = (name) => metrics.find((m) => m.name === name).value;
  return { heap: of("JSHeapUsedSize"), nodes: of("Nodes"), listeners: of("JSEventListeners") };
}

/** received is how many results the page has had. */
export async function received(page) {
  return Number(/(\d+) results/.exec(await page.getByRole("status").filter({ hasText: "results" }).first().innerText())?.[1] ?? 0);
}
