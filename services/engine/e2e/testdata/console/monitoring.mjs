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
    await page.route("**/v1/metadata", async (route) => {
      if (route.request().postDataJSON().type !== "get_status") return route.continue();
      const status = structuredClone(well);
      status.instances[0].metadata_version = status.metadata_version - 2;
      status.instances[1].responding = false;
      status.instances[2].healthy = false;
      status.instances[2].error = "<img src=x onerror=alert(1)>";
      status.sources[0].health = { status: "TIMEOUT" };
      status.sources[0].backlog_error = "the log can't be read";
      status.backlogs = [{ kind: "event", source: "default", trigger: "<b>late</b>", pending: 5, in_flight: 2, oldest: new Date(new Date(status.at) - 600_000) }];
      return route.fulfill({ json: status });
    });
    await signIn(page);
    await area(page, "Monitoring");
    const instances = page.getByRole("grid", { name: "Instances" });
    await has(instances, `${well.metadata_version - 2}, 2 behind`);
    await has(instances, "does not answer");
    await has(instances, "<img src=x onerror=alert(1)>");
    await has(page.getByRole("grid", { name: "Sources" }), "TIMEOUT");
    const late = page.getByRole("grid", { name: "Events to deliver" }).getByRole("row").filter({ hasText: "<b>late</b>" });
    assert.deepEqual((await late.getByRole("gridcell").allTextContents()).slice(-3), ["5", "2", "10 min"]);
    await page.getByText("the log can't be read").waitFor();
    await axe(page, "Monitoring with faults");
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
