// How many clicks frequent tasks take. What is typed isn't counted.
import assert from "node:assert/strict";
import { webhook } from "./fixture.mjs";
import { has, metadata, others, secret, signIn, sql, url } from "./harness.mjs";

/** counting has the function that clicks, and how often it has. */
function counting() {
  const counted = { clicks: 0, async on(locator) { counted.clicks++; await locator.click(); } };
  return counted;
}

/** inShop runs statements in the database of the source shop. */
async function inShop(text) {
  const response = await fetch(url + "/v2/query", { method: "POST", headers: { "x-engine-admin-secret": secret }, body: JSON.stringify({ type: "run_sql", args: { source: "shop", sql: text } }) });
  assert.equal(response.status, 200, await response.text());
}

const shop = { name: "shop", configuration: { connection_info: { database_url: others.postgres } } };
const cleared = "DROP TABLE IF EXISTS click_line, click_order";

export const tests = {
  async "Clicks: from a server without a database to rows of one, and to who may see them"({ page }) {
    const before = await metadata("export_metadata", {});
    await metadata("pg_add_source", shop);
    await inShop(`${cleared}; CREATE TABLE click_order (id int PRIMARY KEY, title text); CREATE TABLE click_line (id int PRIMARY KEY, order_id int REFERENCES click_order);
      INSERT INTO click_order VALUES (1, 'the first order'); INSERT INTO click_line VALUES (1, 1)`);
    await metadata("replace_metadata", { version: 3, sources: [] });
    try {
      await signIn(page);
      await page.goto(url + "/console");
      const press = counting();
      await page.getByRole("heading", { name: "Connect a database" }).waitFor();
      await page.getByLabel("Connection string", { exact: true }).fill("postgres://engine:pw@127.0.0.1:1/shop");
      await has(page.getByRole("status"), "connection refused");
      await page.getByLabel("Connection string", { exact: true }).fill(others.postgres);
      await has(page.getByRole("status"), "The database answers.");
      await press.on(page.getByRole("button", { name: "Connect", exact: true }));
      await page.getByRole("heading", { name: "2 tables and 2 relationships found" }).waitFor();
      await press.on(page.getByRole("button", { name: "Track all" }));
      await has(page.getByLabel("Result of the first query"), "the first order");
      assert.ok(press.clicks <= 5, `${press.clicks} clicks`);
      await press.on(page.getByRole("link", { name: "Who may see this?" }));
      await page.getByText("No role but admin").waitFor();
      const [{ name, tables }] = (await metadata("export_metadata", {})).sources;
      assert.equal(name, "default");
      assert.deepEqual(tables.map((t) => [...(t.object_relationships ?? []), ...(t.array_relationships ?? [])].map((r) => r.name)), [["order"], ["click_line"]]);
    } finally {
      await metadata("replace_metadata", before);
      await metadata("pg_add_source", shop);
      await inShop(cleared);
      await metadata("pg_drop_source", { name: "shop", cascade: true });
    }
  },

  async "Clicks: a select permission with a rule along a relationship"({ page }) {
    await metadata("pg_create_object_relationship", { table: "article", name: "author", using: { foreign_key_constraint_on: "author_id" } });
    try {
      await signIn(page);
      await page.goto(`${url}/console/data?source=default&schema=public&table=article`);
      const press = counting();
      const offered = page.getByRole("dialog", { name: "Add a condition" });
      const condition = async (of, name) => {
        await press.on(page.getByRole("button", { name: `${of}: add a condition`, exact: true }));
        await press.on(offered.getByRole("menuitem").filter({ has: page.getByText(name, { exact: true }) }));
      };
      await press.on(page.getByRole("tab", { name: "Permissions" }));
      await press.on(page.getByRole("button", { name: "reader select: none" }));
      await press.on(page.getByRole("button", { name: "Allow select" }));
      await press.on(page.getByRole("button", { name: "Columns: each" }));
      await condition("Rows", "author");
      await page.getByRole("textbox", { name: "Rows as JSON" }).fill('{"author": {"name": {"_eq": "x-engine-name"}}}');
      await press.on(page.getByRole("button", { name: "Save…" }));
      const dialog = page.getByRole("dialog", { name: "Save" });
      await has(dialog, "reader may select the rows of the rule of public.article.");
      await press.on(dialog.getByRole("button", { name: "Save" }));
      await dialog.waitFor({ state: "detached" });
      assert.ok(press.clicks <= 9, `${press.clicks} clicks`);
      await page.getByRole("button", { name: "reader select: in part" }).waitFor();
    } finally {
      await metadata("pg_drop_select_permission", { table: "article", role: "reader" }).catch(() => {});
      await metadata("pg_drop_relationship", { table: "article", relationship: "author" });
    }
  },

  async "Clicks: an event trigger, and its first event delivered"({ page }) {
    await webhook(async (address) => {
      await sql("CREATE TABLE click_event (id int PRIMARY KEY)");
      await metadata("pg_track_table", { table: "click_event" });
      try {
        await signIn(page);
        await page.goto(`${url}/console/data?source=default&schema=public&table=click_event`);
        const press = counting();
        await press.on(page.getByRole("tab", { name: "Events" }));
        await press.on(page.getByRole("link", { name: "New event trigger" }));
        await page.getByLabel("Name", { exact: true }).fill("clicked");
        await page.getByLabel("Webhook", { exact: true }).fill(address + "/well");
        await press.on(page.getByRole("button", { name: "Create" }));
        await page.getByRole("heading", { name: "clicked" }).waitFor();
        await sql("INSERT INTO click_event VALUES (1)");
        await has(page.getByRole("list", { name: "Events" }), "delivered");
        assert.ok(press.clicks <= 7, `${press.clicks} clicks`);
      } finally {
        await metadata("pg_delete_event_trigger", { name: "clicked" }).catch(() => {});
        await sql("DROP TABLE click_event", true);
      }
    });
  },
};
