// Tests of the page for monitoring.
import assert from "node:assert/strict";
import { area, axe, broken, graphql, has, metadata, signIn, url } from "./harness.mjs";

const services = ["event-delivery", "gateway", "metadata", "query-executor", "scheduler"];

export const tests = {
  async "Monitoring: services, operations and sources"({ page }) {
    await graphql('query Watched { author { name } }');
    await signIn(page);
    await page.clock.install();
    await area(page, "Monitoring");
    const instances = page.getByRole("grid", { name: "Instances" });
    for (const service of services) await has(instances.getByRole("row"), service);
    await has(instances, "healthy");
    await has(page.getByRole("grid", { name: "Operations" }).getByRole("row").filter({ hasText: "Watched" }), "admin");
    await has(page.getByRole("grid", { name: "Sources" }), "default");
    await has(page.getByRole("grid", { name: "Subscriptions" }), "live-query");
    await page.getByText("The plots begin").waitFor();
    await axe(page, "Monitoring");
    await page.clock.runFor(6000);
    await page.locator("canvas").nth(4).waitFor();
    await graphql('query Watched { author { name } }');
    await page.clock.runFor(6000);
    const rates = page.getByRole("figure", { name: "Operations per second" });
    await rates.locator("summary").click();
    await rates.getByRole("row").nth(2).waitFor();
    await axe(page, "Monitoring with plots");
  },

  async "Monitoring: what is wrong stands out"({ page }) {
    const well = await metadata("get_status", {});
    well.backlogs = [];
    for (const s of well.sources) Object.assign(s, { health: null, inconsistent: undefined, unreachable: undefined, backlog_error: undefined });
    let state = "well";
    await page.route("**/v1/metadata", async (route) => {
      if (route.request().postDataJSON().type !== "get_status") return route.continue();
      const status = structuredClone(well);
      status.at = new Date().toISOString();
      if (state === "well") return route.fulfill({ json: status });
      if (state === "gone") status.instances = status.instances.filter((i) => i.service !== "query-executor");
      if (state === "gone") return route.fulfill({ json: status });
      status.instances[0].metadata_version = status.metadata_version - 2;
      status.instances[1].responding = false;
      status.instances[2].healthy = false;
      status.instances[2].error = "<img src=x onerror=alert(1)>";
      status.sources[0].health = { status: "TIMEOUT" };
      status.sources[0].backlog_error = "the log can't be read";
      status.backlog_error = "no metadata database";
      status.backlogs = [{ kind: "event", source: "default", trigger: "<b>late</b>", pending: 5, in_flight: 2, oldest: new Date(new Date(status.at) - 600_000) }];
      return route.fulfill({ json: status });
    });
    await signIn(page);
    await page.clock.install();
    await area(page, "Monitoring");
    const instances = page.getByRole("grid", { name: "Instances" });
    const problems = page.getByRole("region", { name: "Problems" });
    await has(problems, "All services answer");
    state = "faulty";
    await page.clock.runFor(6000);
    const [first, second, third] = well.instances;
    for (const text of [
      `${first.service} ${first.instance} is 2 behind the metadata.`, `${second.service} ${second.instance} does not answer.`, `${third.service} ${third.instance} is not healthy: <img src=x onerror=alert(1)>`,
      `Source ${well.sources[0].name}: the health check says TIMEOUT.`, "can't be counted: the log can't be read", "Scheduled events can't be counted: no metadata database",
      "Events of <b>late</b> wait: 7, the oldest for 10 min.",
    ]) await has(problems.getByRole("listitem"), text);
    await has(instances, `${well.metadata_version - 2}, 2 behind`);
    await has(instances, "does not answer");
    await has(instances, "<img src=x onerror=alert(1)>");
    await has(page.getByRole("grid", { name: "Sources" }), "TIMEOUT");
    const late = page.getByRole("grid", { name: "Events to deliver" }).getByRole("row").filter({ hasText: "<b>late</b>" });
    assert.deepEqual((await late.getByRole("gridcell").allTextContents()).slice(-3), ["5", "2", "10 min"]);
    await has(page.getByRole("region", { name: "Events to deliver" }), "the log can't be read");
    await axe(page, "Monitoring with faults");
    state = "gone";
    await page.clock.runFor(6000);
    await has(problems.getByRole("listitem"), "No query-executor is running.");
    await has(problems.getByRole("listitem"), /query-executor .* is gone; it was there at/);
  },

  async "Monitoring: sources that can't be reached, operations that fail, and what clean-ups have removed"({ page }) {
    const well = await metadata("get_status", {});
    let looks = 0;
    await page.route("**/v1/metadata", async (route) => {
      if (route.request().postDataJSON().type !== "get_status") return route.continue();
      const now = structuredClone(well);
      looks++;
      now.at = new Date(Date.parse(well.at) + 5000 * looks).toISOString();
      now.backlogs = [];
      const source = (name, more = {}) => ({ name, kind: "postgres", health: null, ...more });
      now.sources = [source("gone", { unreachable: "<i>refused</i>" }), source("full"), source("well")];
      const here = now.instances.find((i) => i.service === "query-executor");
      here.metrics = [{ name: "engine_postgres_connection_error_total", labels: { source_name: "full" }, value: looks * 4 }];
      const operation = (operation_name, count, errors) => ({ role: "reader", operation_name, operation_type: "query", count, errors, seconds: 1, buckets: now.operation_bounds.concat(0).map(() => 0) });
      here.operations = [operation("<b>Broken</b>", 100 * looks, 30 * looks), operation("Rare", looks, looks), operation("Fine", 1000 * looks, looks), operation("Past", 500, 400)];
      const none = { count: 0, seconds: 0, bounds: [], buckets: [0] };
      now.instances.find((i) => i.service === "event-delivery").triggers = [{ kind: "event", source: "default", trigger: "<i>kept</i>", calls: 0, failed: 0, delivery: none, queue: none, webhook: none, cleanups: { count: 7, failed: 1, events: 12345, invocations: 23 } }];
      return route.fulfill({ json: now });
    });
    await signIn(page);
    await page.clock.install();
    await area(page, "Monitoring");
    const problems = page.getByRole("region", { name: "Problems" });
    await has(problems.getByRole("listitem"), "Source gone can't be reached: <i>refused</i>");
    await has(page.getByRole("grid", { name: "Sources" }).getByRole("row").filter({ hasText: "gone" }), "can't be reached");
    assert.equal(await problems.getByRole("listitem").count(), 1, "of failures, one look tells nothing");
    await page.clock.runFor(6000);
    await has(problems.getByRole("listitem"), "The query <b>Broken</b> of reader failed 30 of 100 times (30 %) in the last 5 s. The operations");
    await has(problems.getByRole("listitem"), "Source full: 4 attempts to connect have failed in the last 5 s.");
    assert.equal(await problems.getByRole("listitem").count(), 3);
    const cleaned = page.getByRole("grid", { name: "Clean-ups of events" }).getByRole("row").nth(1);
    await has(cleaned, "<i>kept</i>");
    assert.deepEqual(await cleaned.getByRole("gridcell").allTextContents(), ["default", "7", "1", "12,345", "23"]);
    await has(page.getByRole("region", { name: "Event triggers", exact: true }), "No calls");
    await axe(page, "Monitoring with operations that fail");
    await problems.getByRole("link", { name: "The operations" }).click();
    await page.waitForURL(/monitoring#operations$/);
    await problems.getByRole("listitem").filter({ hasText: "Source gone" }).getByRole("link", { name: "The source" }).click();
    await page.waitForURL(/source=gone/);
  },

  async "Monitoring: with much of everything, the page fits"({ page }) {
    const well = await metadata("get_status", {});
    const many = (n, of) => Array.from({ length: n }, (_, i) => of(i));
    const times = (i) => ({ count: 30, seconds: 2, bounds: [0.05, 0.1, 1], buckets: [10, 9 + i, 8, 3] });
    let looks = 0;
    await page.route("**/v1/metadata", async (route) => {
      if (route.request().postDataJSON().type !== "get_status") return route.continue();
      const now = structuredClone(well);
      looks++;
      now.at = new Date(Date.parse(well.at) + 5000 * looks).toISOString();
      now.sources = many(12, (i) => ({ name: `customers of region number ${i}`, kind: i % 3 ? "postgres" : "mssql", health: i % 4 ? null : { status: "OK" }, ...(i === 5 && { unreachable: "dial tcp 10.0.0.5:5432: connect: connection refused" }) }));
      const of = (service) => well.instances.find((i) => i.service === service);
      const executor = (i) => ({
        ...structuredClone(of("query-executor")), instance: `query-executor-7c9d8b6f5d-x${i}qv2`,
        metrics: now.sources.map((s, j) => ({ name: "engine_postgres_connections", labels: { source_name: s.name }, value: i + j })),
        operations: many(40, (j) => ({ role: ["customer", "employee of the warehouse", "auditor"][j % 3], operation_name: `CustomerOrdersWithItemsAndPayments${j}`, operation_type: j % 5 ? "query" : "mutation", count: looks * (400 - 9 * j), errors: j % 8 ? 0 : looks * 31, seconds: looks * (j + 1), buckets: now.operation_bounds.concat(0).map((_, k) => (k < 8 ? looks * (k + j) : 0)) })),
      });
      const rest = ["gateway", "metadata", "event-delivery", "scheduler"].flatMap((service) => many(service === "gateway" ? 6 : service === "metadata" ? 1 : 2, (i) => ({ ...structuredClone(of(service)), instance: `${service}-5f6b9d-a${i}k8c` })));
      now.instances = [...many(9, executor), ...rest];
      now.instances[3].responding = false;
      now.instances[4].metadata_version = now.metadata_version - 3;
      for (const i of now.instances) {
        if (i.service !== "event-delivery") continue;
        i.triggers = many(30, (j) => ({ kind: "event", source: now.sources[j % 12].name, trigger: `orders_of_customers_changed_${j}`, calls: 900 - j, failed: j % 7 ? 0 : 12, delivery: times(j), queue: times(j), webhook: times(j), ...(j < 9 && { cleanups: { count: 40, failed: j % 4 ? 0 : 1, events: 1234567 - j, invocations: 2345678 } }) }));
      }
      now.backlogs = many(30, (j) => ({ kind: "event", source: now.sources[j % 12].name, trigger: `orders_of_customers_changed_${j}`, pending: 1200 - j, in_flight: j, oldest: new Date(Date.parse(now.at) - 1000 * (5 + 2 * j)).toISOString() }));
      return route.fulfill({ json: now });
    });
    await signIn(page);
    await page.clock.install();
    await area(page, "Monitoring");
    await has(page.getByRole("region", { name: "Problems" }).getByRole("listitem"), "customers of region number 5 can't be reached");
    await page.clock.runFor(6000);
    await page.getByRole("figure").last().waitFor();
    await has(page.getByRole("region", { name: "Problems" }).getByRole("listitem"), "failed");
    await has(page.getByRole("region", { name: "Problems" }).getByRole("listitem"), "Events of 12 more triggers wait.");
    assert.ok((await page.getByRole("region", { name: "Problems" }).getByRole("listitem").count()) <= 15, "more than one takes in");
    await axe(page, "Monitoring with much of everything");
    for (const width of [1280, 1920]) {
      await page.setViewportSize({ width, height: 900 });
      assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), `at ${width} px the page is wider than the window`);
      for (const colorScheme of process.env.SHOTS ? ["light", "dark"] : []) {
        await page.setViewportSize({ width, height: 6500 }); // all of it
        await page.emulateMedia({ colorScheme });
        await page.screenshot({ path: `${process.env.SHOTS}/much-${width}-${colorScheme}.png`, fullPage: true });
      }
    }
  },

  async "Monitoring: tables are sorted, and triggers have times"({ page }) {
    const times = (...buckets) => ({ count: 0, seconds: 0, bounds: [0.1, 1], buckets });
    const status = await metadata("get_status", {});
    let looks = 0;
    await page.route("**/v1/metadata", async (route) => {
      if (route.request().postDataJSON().type !== "get_status") return route.continue();
      const now = structuredClone(status);
      looks++;
      now.at = new Date(Date.parse(status.at) + 5000 * looks).toISOString();
      now.backlogs = [{ kind: "event", source: "default", trigger: "late", pending: 5, in_flight: 2, oldest: new Date(Date.parse(now.at) - 60_000).toISOString() }];
      const trigger = (trigger, calls, delivery, kind = "event") => ({ kind, source: kind === "event" ? "default" : "", trigger, calls, failed: 1, delivery, queue: times(0, 0, 0), webhook: times(0, calls, 0) });
      now.instances.find((i) => i.service === "event-delivery").triggers = [trigger("<b>often</b>", 20 * looks, times(10 * looks, 10 * looks, 0)), trigger("other", 3, times(0, 0, 3)),
        trigger("<b>nightly</b>", 4 * looks, times(4 * looks, 0, 0), "cron"), trigger("", looks, times(0, looks, 0), "one_off")];
      now.instances.find((i) => i.service === "query-executor").operations = [["many", 9, 1], ["few", 2, 4], ["some", 5, 0]].map(([operation_name, count, seconds]) =>
        ({ role: operation_name, operation_name, operation_type: "query", count, errors: 0, seconds, buckets: now.operation_bounds.concat(0).map((_, i) => (i === 3 ? count * looks : 0)) }));
      return route.fulfill({ json: now });
    });
    await signIn(page);
    await page.clock.install();
    await area(page, "Monitoring");
    const rows = async (label) => (await page.getByRole("grid", { name: label, exact: true }).getByRole("row").allTextContents()).slice(1);
    const triggers = page.getByRole("grid", { name: "Event triggers" });
    await has(triggers, "<b>often</b>");
    assert.deepEqual(await triggers.getByRole("row").nth(1).getByRole("gridcell").allTextContents(), ["default", "20", "1", "100 ms", "910 ms", "982 ms", "", "", "", "550 ms", "955 ms", "991 ms"]);
    const scheduled = page.getByRole("grid", { name: "Cron triggers and one-off events" });
    await has(scheduled, "<b>nightly</b>");
    assert.deepEqual(await scheduled.getByRole("row").nth(1).getByRole("gridcell").allTextContents(), ["4", "1", "50 ms", "95 ms", "99 ms", "", "", "", "550 ms", "955 ms", "991 ms"]);
    await has(scheduled.getByRole("row"), "(one-off events)");
    const operations = page.getByRole("grid", { name: "Operations" });
    const names = async () => (await rows("Operations")).map((r) => /^[a-z]{3,4}(?=many|few|some)/.exec(r)?.[0]);
    assert.deepEqual(await names(), ["many", "some", "few"], "the most frequent first");
    const mean = operations.getByRole("columnheader", { name: "Mean" });
    await mean.click();
    await mean.and(page.locator("[aria-sort=ascending]")).waitFor();
    assert.deepEqual(await names(), ["some", "many", "few"]);
    await mean.focus();
    await page.keyboard.press("Enter");
    await mean.and(page.locator("[aria-sort=descending]")).waitFor();
    assert.deepEqual(await names(), ["few", "many", "some"]);
    await axe(page, "Monitoring, sorted");

    await page.clock.runFor(6000);
    const figures = (label) => page.getByRole("figure", { name: label }).locator("tbody tr").nth(1).locator("td").allTextContents();
    await page.getByRole("figure", { name: "From event to delivery in ms" }).locator("tbody tr").nth(1).waitFor({ state: "attached" });
    assert.deepEqual(await figures("From event to delivery in ms"), ["100", "910", "982"]);
    assert.deepEqual(await figures("Time of webhooks in ms"), ["550", "955", "991"]);
    assert.deepEqual(await figures("From due time to delivery in ms"), ["62.5", "775", "955"]);
    assert.deepEqual(await figures("Time of webhooks of scheduled events in ms"), ["550", "955", "991"]);
    assert.deepEqual(await figures("Lag of events in s"), ["60", "0"]);
    const all = await figures("Time of operations in ms");
    await page.getByLabel("Time of operations of").selectOption("many");
    assert.deepEqual(await figures("Time of operations in ms"), all);
    assert.deepEqual(await names(), ["few", "many", "some"], "the order stays");
  },

  async "Monitoring: the axes of what is counted have whole numbers"({ page }) {
    const status = await metadata("get_status", {});
    const counted = { Subscriptions: "engine_active_subscriptions", Connections: "engine_http_connections", "Events to deliver": undefined };
    await page.addInitScript(() => {
      window.written = {};
      const { fillText } = CanvasRenderingContext2D.prototype;
      CanvasRenderingContext2D.prototype.fillText = function (text, ...at) {
        const figure = this.canvas.closest("figure");
        if (figure) (window.written[figure.querySelector("strong").textContent] ??= []).push(text);
        return fillText.call(this, text, ...at);
      };
    });
    let looks = 0;
    await page.route("**/v1/metadata", async (route) => {
      const { type, args } = route.request().postDataJSON();
      if (type === "count_scheduled_event_invocations") return route.fulfill({ json: { counts: Array.from({ length: 60 }, (_, i) => ({ at: new Date(Date.parse(args.from) + 60_000 * i).toISOString(), succeeded: 0, failed: i === 30 ? 1 : 0 })) } });
      if (type !== "get_status") return route.continue();
      const now = structuredClone(status);
      now.at = new Date(Date.parse(status.at) + 5000 * ++looks).toISOString();
      now.backlogs = [{ kind: "event", source: "default", trigger: "late", pending: 1, in_flight: 0, oldest: now.at }];
      for (const i of now.instances) i.metrics = [];
      now.instances[0].metrics = Object.values(counted).filter(Boolean).map((name) => ({ name, labels: {}, value: 1 }));
      return route.fulfill({ json: now });
    });
    const numbers = async (figure) => {
      await page.waitForFunction((label) => window.written[label], figure);
      return [...new Set(await page.evaluate((label) => window.written[label].filter((text) => /^[\d.,]+$/.test(text)), figure))];
    };
    await signIn(page);
    await page.goto(`${url}/console/events?kind=once`);
    await page.getByRole("tab", { name: "Throughput" }).click();
    assert.deepEqual(await numbers("Calls of the webhook"), ["0", "1"]);
    await page.clock.install();
    await area(page, "Monitoring");
    await page.getByText("The plots begin").waitFor();
    await page.clock.runFor(6000);
    for (const figure of Object.keys(counted)) assert.deepEqual(await numbers(figure), ["0", "1"], figure);
  },

  async "Monitoring: asks nothing while it can't be seen"({ page }) {
    let asked = 0;
    await page.route("**/v1/metadata", (route) => {
      if (route.request().postDataJSON().type === "get_status") asked++;
      return route.continue();
    });
    const show = (state) => page.evaluate((value) => {
      Object.defineProperty(document, "visibilityState", { value, configurable: true });
      document.dispatchEvent(new Event("visibilitychange"));
    }, state);
    await signIn(page);
    await page.clock.install();
    await area(page, "Monitoring");
    await has(page.getByRole("grid", { name: "Instances" }), "healthy");
    await show("hidden");
    const before = asked;
    await page.clock.runFor(60_000);
    assert.equal(asked, before);
    const again = page.waitForResponse((r) => r.url().endsWith("/v1/metadata"));
    await show("visible");
    await again;
    await page.getByRole("button", { name: "Pause" }).click();
    await page.getByText("Paused.").waitFor();
    const paused = asked;
    await page.clock.runFor(60_000);
    assert.equal(asked, paused);
  },

  async "Monitoring: a server that fails, is gone, is slow"({ page }) {
    await signIn(page, url);
    await broken(page, "Monitoring", "**/v1/metadata", () => has(page.getByRole("grid", { name: "Instances" }), "healthy"));
  },
};
