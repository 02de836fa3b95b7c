// Tests of the pages for what of the metadata is about the whole API.
import assert from "node:assert/strict";
import { area, axe, broken, confirm, has, html, metadata, signIn, sql, url } from "./harness.mjs";

const exported = async () => (await metadata("export_metadata", {}));
const tab = (page, name) => page.getByRole("tab", { name, exact: true }).click();
const list = (page, name) => page.getByRole("list", { name, exact: true });

/** set makes the change of the form that is shown. */
async function set(page, what) {
  await page.getByRole("button", { name: "Set…" }).click();
  await confirm(page, "Set", what);
}

export const tests = {
  async "Settings: limits, introspection, metrics and OpenTelemetry"({ page }) {
    await signIn(page);
    await area(page, "Settings");
    await page.getByText("There is none: nothing is bounded.").waitFor();
    await page.getByText("Depth", { exact: true }).click();
    await page.getByLabel("Max depth").fill("5");
    await page.getByRole("button", { name: "Add a role: Other ones for single roles" }).first().click();
    await page.getByLabel("Role 1: Other ones for single roles").first().fill(html);
    await page.getByLabel("Number 1: Other ones for single roles").first().fill("8");
    await page.getByText("Rate", { exact: true }).click();
    await page.getByLabel("Most requests in a minute").fill("600");
    await page.getByLabel("Counted for each").selectOption("role and address");
    await axe(page, "Settings with limits");
    await set(page, "api_limits");
    const limits = (await exported()).api_limits;
    assert.deepEqual([limits.depth_limit, limits.rate_limit.global], [{ global: 5, per_role: { [html]: 8 } }, { max_reqs_per_min: 600, unique_params: "IP" }]);
    await page.getByRole("button", { name: "Remove…" }).click();
    await confirm(page, "Remove", "api_limits");
    await page.getByText("There is none: nothing is bounded.").waitFor();

    await tab(page, "Introspection");
    await page.getByLabel("Roles without introspection").fill("reader, writer");
    await set(page, "graphql_schema_introspection");
    assert.deepEqual((await exported()).graphql_schema_introspection, { disabled_for_roles: ["reader", "writer"] });
    await axe(page, "Settings with introspection");
    await page.getByLabel("Roles without introspection").fill("");
    await set(page, "graphql_schema_introspection");

    await tab(page, "Metrics");
    await page.getByLabel("Answers").check();
    await set(page, "metrics_config");
    assert.deepEqual((await exported()).metrics_config, { analyze_query_variables: false, analyze_response_body: true });
    await axe(page, "Settings with metrics");
    await page.getByRole("button", { name: "Remove…" }).click();
    await confirm(page, "Remove", "metrics_config");
    await page.getByText("Neither is measured.").waitFor();

    await tab(page, "OpenTelemetry");
    await page.waitForURL(/view=telemetry/);
    await page.getByRole("checkbox", { name: "logs" }).check();
    await page.getByRole("checkbox", { name: "traces" }).check();
    await page.getByLabel("Address for traces", { exact: true }).fill("http://127.0.0.1:1/v1/traces");
    await page.getByRole("button", { name: "Add a header" }).click();
    await page.getByLabel("Name of header 1").fill("x-tenant");
    await page.getByLabel("Value of header 1").fill("shop");
    await axe(page, "Settings with OpenTelemetry");
    await set(page, "opentelemetry");
    const { opentelemetry } = await exported();
    assert.deepEqual([opentelemetry.data_types, opentelemetry.exporter_otlp.otlp_traces_endpoint], [["traces", "logs"], "http://127.0.0.1:1/v1/traces"]);
  },

  async "Settings: TLS hosts, the allow list, and published changes"({ page }) {
    await metadata("create_query_collection", { name: "kept", definition: { queries: [{ name: "Authors", query: "{ author { name } }" }] } });
    await signIn(page);
    await page.goto(`${url}/console/settings?view=tls`);
    await page.getByText("None: all certificates are verified.").waitFor();
    await page.getByRole("button", { name: "Add a host" }).click();
    await page.getByLabel("Host", { exact: true }).fill("hook.example");
    await page.getByLabel("Port", { exact: true }).fill("8443");
    await page.getByRole("button", { name: "Add", exact: true }).click();
    await has(list(page, "TLS hosts"), "hook.example:8443");
    await axe(page, "Settings with TLS hosts");
    await page.getByRole("button", { name: "Delete hook.example:8443" }).click();
    await confirm(page, "Delete", "network");
    await page.getByText("None: all certificates are verified.").waitFor();

    await tab(page, "Allow list");
    await page.getByText("It doesn't count").waitFor();
    await page.getByRole("button", { name: "Allow a collection" }).click();
    await page.getByLabel("Collection", { exact: true }).selectOption("kept");
    await page.getByRole("button", { name: "Add", exact: true }).click();
    await has(list(page, "Allow list"), "all roles");
    await page.getByRole("button", { name: "Change kept" }).click();
    await page.getByLabel("For all roles").uncheck();
    await page.getByLabel("For the roles").fill("reader");
    await axe(page, "Settings with an allow list");
    await page.getByRole("button", { name: "Change…" }).click();
    await confirm(page, "Change", "change");
    await list(page, "Allow list").getByText("reader", { exact: true }).waitFor();
    assert.deepEqual((await exported()).allowlist, [{ collection: "kept", scope: { global: false, roles: ["reader"] } }]);
    await page.getByRole("button", { name: "Delete kept" }).click();
    await confirm(page, "Delete", "remove");
    await metadata("drop_query_collection", { collection: "kept", cascade: true });

    await tab(page, "Published changes");
    await page.getByRole("button", { name: "Publish changes" }).click();
    await page.getByLabel("Name", { exact: true }).fill("authors");
    await page.getByLabel("Tables", { exact: true }).fill('[{"schema": "public", "name": "<b>none</b>"}]');
    await page.getByLabel("Role", { exact: true }).fill("admin");
    await page.getByRole("button", { name: "Add", exact: true }).click();
    await has(page.getByRole("alert"), "none");
    await axe(page, "Settings with an error at a publication");
    assert.equal(await page.locator("main b").count(), 0);
    await sql("ALTER TABLE author REPLICA IDENTITY FULL");
    await page.getByLabel("Tables", { exact: true }).fill('[{"schema": "public", "name": "author"}]');
    await page.getByRole("button", { name: "Add", exact: true }).click();
    await has(list(page, "Published changes"), "default: authors");
    await page.getByRole("button", { name: "Delete default: authors" }).click();
    await confirm(page, "Delete", "change source");
    await page.getByText("None: no changes are published.").waitFor();
    await sql("ALTER TABLE author REPLICA IDENTITY DEFAULT");
  },

  async "Settings: a server that fails, is gone, or is slow"({ page }) {
    await signIn(page);
    await broken(page, "Settings", url + "/v1/metadata", () => page.getByRole("button", { name: "Set…" }).waitFor());
  },
};
