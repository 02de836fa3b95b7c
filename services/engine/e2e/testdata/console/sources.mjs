// Tests of the sources: how they are added, changed, renamed and dropped.
import assert from "node:assert/strict";
import { axe, confirm, has, metadata, others, secret, signIn, type, url } from "./harness.mjs";

/** sources opens the page of the sources, or that of one of them. */
export async function sources(page, name) {
  await page.goto(url + "/console/data?view=sources" + (name ? `&source=${name}` : ""));
}

const source = (page) => page.getByRole("region", { name: "Source", exact: true });

async function exported(name) {
  return (await metadata("export_metadata", {})).sources.find((s) => s.name === name);
}

/** section opens a part of a form. */
const section = (page, name) => source(page).locator("summary").filter({ hasText: name }).click();

async function dropped(...names) {
  for (const name of names) {
    const found = await exported(name);
    if (found) await metadata(`${found.kind === "postgres" ? "pg" : found.kind}_drop_source`, { name, cascade: true });
  }
}

export const tests = {
  async "Sources: one of PostgreSQL is added, changed, renamed and dropped"({ page }) {
    const password = new URL(others.postgres).password;
    const dry = []; // what is shown before it is made
    page.on("request", (r) => r.method() === "POST" && r.postDataJSON()?.dry_run && dry.push(r.postDataJSON().type));
    try {
      await signIn(page);
      await page.goto(url + "/console/data");
      await page.getByRole("button", { name: "Databases", exact: true }).click();
      await has(page.getByRole("region", { name: "Sources" }), "PostgreSQL, ");
      await page.getByRole("button", { name: "Add a source" }).click();
      await axe(page, "a new source");
      await source(page).getByLabel("Name", { exact: true }).fill("shop");
      const address = source(page).getByLabel("Address", { exact: true });
      assert.equal(await address.getAttribute("type"), "password");
      await address.fill("postgres://engine:pw@127.0.0.1:1/shop");
      await source(page).getByText("postgres://engine:•••@127.0.0.1:1/shop").waitFor();
      await source(page).getByRole("button", { name: "Add", exact: true }).click();
      // A server that doesn't answer is a fault of the address.
      await has(source(page).getByRole("alert"), "invalid-configuration");
      assert.equal(await address.getAttribute("aria-invalid"), "true");
      await has(source(page).locator(".field .removed"), "connection refused");
      await axe(page, "a source that can't be reached");
      await address.fill(others.postgres);
      await section(page, "Pool");
      await source(page).getByLabel("Max connections", { exact: true }).fill("7");
      await section(page, "Transactions");
      await source(page).getByLabel("Retries of mutations that can't be serialized").fill("101");
      await source(page).getByRole("button", { name: "Add", exact: true }).click();
      await has(source(page).locator(".section .removed"), "Only expecting a value between 0 and 100");
      await source(page).getByLabel("Retries of mutations that can't be serialized").fill("3");
      await source(page).getByLabel("Isolation level of mutations").selectOption("serializable");
      await section(page, "GraphQL customization");
      await source(page).getByLabel("Type name prefix").fill("shop_");
      await source(page).getByRole("button", { name: "Add", exact: true }).click();
      await source(page).getByRole("heading", { name: "shop" }).waitFor();
      await source(page).getByText("Connected · 0 tables and views").waitFor();
      assert.deepEqual(await exported("shop"), {
        name: "shop", kind: "postgres", tables: [],
        configuration: { connection_info: { database_url: others.postgres, isolation_level: "serializable", serialization_retries: 3, pool_settings: { max_connections: 7 } } },
        customization: { type_names: { prefix: "shop_" } },
      });

      // What is secret isn't shown until it is asked for.
      const hidden = async () => assert.ok(!(await page.locator("body").innerText()).includes(password), "the password is shown");
      await hidden();
      await source(page).getByRole("tab", { name: "JSON" }).first().click();
      await has(source(page).getByRole("textbox", { name: "Arguments as JSON" }), "‹hidden 1›@");
      await hidden();
      await axe(page, "a source as JSON");
      await type(page, "Arguments as JSON", (await source(page).getByRole("textbox", { name: "Arguments as JSON" }).innerText()).replace('"max_connections": 7', '"max_connections": 8'));
      await source(page).getByRole("button", { name: "Change…" }).click();
      const change = page.getByRole("dialog", { name: "Change" });
      await change.getByText("change source shop").waitFor(); // the only change is open
      await has(change.getByLabel("What differs"), '"max_connections": 8');
      await hidden();
      await change.getByRole("button", { name: "Show secrets" }).click();
      await has(change.getByLabel("What differs"), password);
      await confirm(page, "Change", "change source shop");
      await source(page).getByLabel("Address", { exact: true }).waitFor();
      const { connection_info } = (await exported("shop")).configuration;
      assert.deepEqual([connection_info.database_url, connection_info.pool_settings.max_connections], [others.postgres, 8]);
      await source(page).getByRole("button", { name: "Show Address" }).click();
      assert.equal(await source(page).getByLabel("Address", { exact: true }).inputValue(), others.postgres);

      // A replica whose address is wrong has the fault.
      await section(page, "Read replicas and changes");
      await source(page).getByRole("button", { name: "Add a replica" }).click();
      await source(page).getByLabel("Address of replica 1", { exact: true }).fill(others.postgres);
      await source(page).getByRole("button", { name: "Add a replica" }).click();
      await has(source(page).getByRole("group", { name: "Replica 2" }), "It has no address.");
      assert.ok(await source(page).getByRole("button", { name: "Change…" }).isDisabled());
      await source(page).getByLabel("Address of replica 2", { exact: true }).fill("postgres://engine@127.0.0.1:1/shop?sslmode=<i>");
      await section(page, "Encryption");
      await axe(page, "a source with replicas");
      await source(page).getByRole("button", { name: "Remove replica 2" }).click();
      await source(page).getByRole("button", { name: "Change…" }).click();
      await confirm(page, "Change", "change source shop");
      assert.equal((await exported("shop")).configuration.read_replicas.length, 1);

      await source(page).getByRole("button", { name: "Reload" }).click();
      await source(page).getByText("Reloaded").waitFor();
      await source(page).getByRole("button", { name: "Rename" }).click();
      await source(page).getByLabel("Name", { exact: true }).fill("default");
      await source(page).getByRole("button", { name: "Rename…" }).click();
      await has(source(page).locator(".field .removed"), 'Source with name "default" already exists');
      await source(page).getByLabel("Name", { exact: true }).fill("<i>store</i>");
      await source(page).getByRole("button", { name: "Rename…" }).click();
      await confirm(page, "Rename", "add source <i>store</i>");
      await source(page).getByRole("heading", { name: "<i>store</i>" }).waitFor();

      await source(page).getByRole("button", { name: "Drop…" }).click();
      await confirm(page, "Drop", "remove source <i>store</i>");
      assert.equal(await exported("<i>store</i>"), undefined);
      await page.getByText("Choose a source to see how it is reached.").waitFor();
      assert.ok(["pg_update_source", "rename_source", "pg_drop_source"].every((t) => dry.includes(t)), String(dry));
    } finally {
      await dropped("shop", "<i>store</i>");
    }
  },

  async "Sources: one that somebody drops while it is edited is added anew with all that it had"({ page }) {
    const add = (what, args) => metadata(`pg_${what}`, { source: "shop", ...args });
    const from = async (text) => fetch(url + "/v2/query", { method: "POST", headers: { "x-engine-admin-secret": secret }, body: JSON.stringify({ type: "run_sql", args: { source: "shop", sql: text } }) }).then(async (r) => assert.equal(r.status, 200, await r.text()));
    const schema = "DROP TABLE IF EXISTS anew_item, anew_list CASCADE";
    try {
      await metadata("pg_add_source", { name: "shop", configuration: { connection_info: { database_url: others.postgres } }, customization: { type_names: { prefix: "shop_" } } });
      await from(`${schema}; CREATE TABLE anew_list (id int PRIMARY KEY); CREATE TABLE anew_item (id int PRIMARY KEY, list_id int REFERENCES anew_list, text text);
        CREATE OR REPLACE FUNCTION anew_items() RETURNS SETOF anew_item LANGUAGE sql STABLE AS 'SELECT * FROM anew_item';
        CREATE OR REPLACE FUNCTION anew_label(anew_item) RETURNS text LANGUAGE sql STABLE AS 'SELECT $1.text'`);
      await add("track_tables", { tables: ["anew_item", "anew_list"].map((table) => ({ source: "shop", table })) });
      await add("create_object_relationship", { table: "anew_item", name: "list", using: { foreign_key_constraint_on: "list_id" } });
      await add("create_array_relationship", { table: "anew_list", name: "items", using: { foreign_key_constraint_on: { table: "anew_item", column: "list_id" } } });
      await add("create_select_permission", { table: "anew_item", role: "reader", permission: { columns: ["id"], filter: { list: { id: { _gt: 0 } } } }, comment: "<i>kept</i>" });
      await add("add_computed_field", { table: "anew_item", name: "label", definition: { function: "anew_label" } });
      await add("create_event_trigger", { table: "anew_item", name: "anew_events", webhook: "http://127.0.0.1:1/", insert: { columns: "*" } });
      await add("track_function", { function: "anew_items" });
      await add("track_logical_model", { name: "anew_model", fields: [{ name: "id", type: "int" }] });
      await add("track_native_query", { root_field_name: "anew_query", code: "SELECT id FROM anew_item", returns: "anew_model" });
      await metadata("set_query_tags", { source_name: "shop", format: "sqlcommenter" });
      const before = await exported("shop");
      const parts = ["tables", "functions", "logical_models", "native_queries"].map((p) => before[p]?.length);
      assert.deepEqual(parts, [2, 1, 1, 1]);

      await signIn(page);
      await sources(page, "shop");
      await section(page, "Pool");
      await source(page).getByLabel("Max connections", { exact: true }).fill("7");
      await metadata("pg_drop_source", { name: "shop", cascade: true });
      await page.getByText("shop was deleted by somebody").waitFor();
      await has(source(page), "Added anew, it has its tables");
      await axe(page, "a source that is gone");
      await source(page).getByRole("button", { name: "Add it again…" }).click();
      await confirm(page, "Add it again", "add source shop");
      await page.getByText("shop was deleted by somebody").waitFor({ state: "detached" });
      before.configuration.connection_info.pool_settings = { max_connections: 7 };
      assert.deepEqual(await exported("shop"), before);
      assert.ok((await metadata("get_inconsistent_metadata", {})).is_consistent);
    } finally {
      if (await exported("shop")) await from(`${schema}; DROP FUNCTION IF EXISTS anew_items CASCADE`).catch(() => {});
      await dropped("shop");
    }
  },

  async "Sources: one whose address is gone says why at its field"({ page }) {
    const config = (database_url) => ({ name: "lost", configuration: { connection_info: { database_url } } });
    await metadata("pg_add_source", config(others.postgres));
    try {
      const now = await metadata("export_metadata", {});
      now.sources.find((s) => s.name === "lost").configuration.connection_info.database_url = { from_env: "NO_SUCH_VARIABLE" };
      await metadata("replace_metadata", { metadata: now, allow_inconsistent_metadata: true });
      await signIn(page);
      await sources(page);
      await page.getByRole("region", { name: "Sources" }).getByRole("button", { name: "lost" }).click();
      await has(page.getByRole("region", { name: "Sources" }), "can't be used");
      const variable = source(page).getByLabel("Address", { exact: true });
      assert.equal(await variable.inputValue(), "NO_SUCH_VARIABLE");
      assert.equal(await variable.getAttribute("aria-invalid"), "true");
      await has(source(page).locator(".field .removed"), "environment variable 'NO_SUCH_VARIABLE' not set");
      await axe(page, "a source that can't be used");
      // What was typed for one way of giving it is kept while another one is looked at.
      await source(page).getByLabel("How Address is given").selectOption("in its parts");
      await source(page).getByLabel("Host").fill("db.example");
      await source(page).getByLabel("How Address is given").selectOption("environment variable");
      assert.equal(await variable.inputValue(), "NO_SUCH_VARIABLE");
      await variable.fill("ENGINE_GRAPHQL_DATABASE_URL");
      await source(page).getByRole("button", { name: "Change…" }).click();
      await confirm(page, "Change", "change source lost");
      await source(page).getByText("Connected · ").waitFor();
      assert.equal(await page.getByText("can't be used").count(), 0);
    } finally {
      await dropped("lost");
    }
  },

  async "Sources: of all kinds, with the fields of each"({ page }) {
    const sharedFields = async (add, name, fields) => {
      await add.getByLabel("Name", { exact: true }).fill(name);
      for (const [label, value] of Object.entries(fields)) await add.getByLabel(label, { exact: true }).fill(value);
      await add.getByRole("button", { name: "Add", exact: true }).click();
      await source(page).getByRole("heading", { name, exact: true }).waitFor();
      await source(page).getByText("Connected · ").waitFor();
      await axe(page, "a source: " + name);
    };
    const begin = async (kind) => {
      await sources(page);
      await page.getByRole("button", { name: "Add a source" }).click();
      await source(page).getByLabel("Database type").selectOption(kind);
      return source(page);
    };
    try {
      await signIn(page);
      await sharedFields(await begin("Citus"), "tenants", { Address: others.postgres });
      assert.equal(await source(page).getByText("Change detection").count(), 0);
      await sharedFields(await begin("CockroachDB"), "roach", { Address: others.postgres });
      await sharedFields(await begin("SQL Server"), "ms", { "Connection string": others.mssql });
      assert.equal(await source(page).getByText("Naming convention").count(), 0);
      const file = await begin("SQLite");
      await file.getByLabel("Create the file if missing").check();
      await sharedFields(file, "library", { File: others.sqlite });
      const web = await begin("BigQuery");
      await section(page, "Requests");
      await sharedFields(web, "web", { Project: others.project, Datasets: "web", "Address of an emulator": others.bigquery });
      assert.deepEqual((await exported("web")).configuration, { project_id: others.project, datasets: ["web"], endpoint: others.bigquery });
      assert.deepEqual((await exported("library")).configuration.connection_info.create, true);
      assert.equal((await exported("ms")).configuration.connection_info.connection_string, others.mssql);
      // The key of a service account is hidden, and comes back when it isn't touched.
      await sources(page, "web");
      await source(page).getByRole("button", { name: "Show Key of a service account" }).click();
      await source(page).getByLabel("Key of a service account", { exact: true }).fill('{"type": "service_account", "private_key": "very secret"}');
      await source(page).getByRole("button", { name: "Hide Key of a service account" }).click();
      assert.equal(await source(page).getByLabel("Key of a service account", { exact: true }).getAttribute("type"), "password");
      await source(page).getByRole("button", { name: "Change…" }).click();
      await confirm(page, "Change", "change source web");
      await source(page).getByRole("tab", { name: "JSON" }).click();
      await has(source(page).getByRole("textbox", { name: "Arguments as JSON" }), "‹hidden 1›");
      assert.ok(!(await page.locator("body").innerText()).includes("very secret"));
      assert.equal((await exported("web")).configuration.service_account.private_key, "very secret");
    } finally {
      await dropped("tenants", "roach", "ms", "library", "web");
    }
  },

  async "Sources: of a kind that the server doesn't have"({ page }) {
    const now = await metadata("export_metadata", {});
    const other = { name: "other", kind: "<b>mysql</b>", tables: [{ table: ["db", "t"] }], configuration: { value: {} } };
    await metadata("replace_metadata", { metadata: { ...now, sources: [...now.sources, other] }, allow_inconsistent_metadata: true });
    try {
      await signIn(page);
      await page.goto(url + "/console/data?source=other");
      await source(page).getByRole("heading", { name: "other" }).waitFor();
      await has(source(page), "<b>mysql</b>");
      await axe(page, "a source of another kind");
      await source(page).getByRole("button", { name: "Drop…" }).click();
      await confirm(page, "Drop", "remove source other");
      assert.equal(await exported("other"), undefined);
    } finally {
      await metadata("replace_metadata", { metadata: now, allow_inconsistent_metadata: true });
    }
  },

  async "Sources: query tags, and a server that fails"({ page }) {
    await signIn(page);
    await sources(page, "default");
    await source(page).getByLabel("Format").selectOption("sqlcommenter");
    await source(page).getByRole("button", { name: "Change the tags…" }).click();
    await confirm(page, "Change the tags", "change source default");
    assert.equal((await exported("default")).query_tags.format, "sqlcommenter");
    await source(page).getByLabel("Format").selectOption("");
    await source(page).getByRole("button", { name: "Change the tags…" }).click();
    await confirm(page, "Change the tags", "change source default");
    assert.equal((await exported("default")).query_tags, undefined);
    await page.route(url + "/v1/metadata", (route) =>
      route.request().postDataJSON().type === "reload_metadata" ? route.fulfill({ status: 500, json: { error: "it <b>broke</b>", code: "unexpected", path: "$.args" } }) : route.continue());
    await source(page).getByRole("button", { name: "Reload" }).click();
    await has(source(page).getByRole("alert"), "it <b>broke</b>");
    await axe(page, "a source with an error");
  },
};
