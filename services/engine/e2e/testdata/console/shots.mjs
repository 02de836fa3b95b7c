// Takes pictures of the console's pages, light and dark: node shots.mjs BROWSER URL SECRET OPEN-URL REMOTE-URL, into the
// directory CONSOLE_SHOTS. It uses the server of the tests, see console.mjs.
import { createServer } from "node:http";
import { area, graphql, has, launch, metadata, open, remoteURL, signIn, type, url } from "./harness.mjs";

const directory = process.env.CONSOLE_SHOTS;
const webhook = createServer((request, response) => {
  response.statusCode = 500;
  request.resume().on("end", () => response.end('{"error": "no stock left"}'));
});
await new Promise((listening) => webhook.listen(0, "127.0.0.1", listening));

const author = { source: "default", table: "author" };
await metadata("pg_create_array_relationship", { ...author, name: "articles", using: { foreign_key_constraint_on: { table: "article", column: "author_id" } } });
await metadata("set_custom_types", { objects: [{ name: "Review", description: "What somebody thinks of an author", fields: [{ name: "author_id", type: "Int!" }, { name: "text", type: "String" }] }] });
await metadata("create_action", { name: "review", definition: { handler: `http://127.0.0.1:${webhook.address().port}/review`, arguments: [{ name: "author_id", type: "Int!" }], output_type: "Review" } });
await metadata("create_action_permission", { action: "review", role: "reader" });
await metadata("add_remote_schema", { name: "charts", definition: { url: remoteURL } });
await metadata("pg_create_event_trigger", { ...author, name: "author_changed", webhook: `http://127.0.0.1:${webhook.address().port}/`, insert: { columns: "*" } });
await graphql('mutation { insert_author(objects: [{name: "Cleo"}, {name: "Dora"}]) { affected_rows } }');

/** pages are the pictures by their names. */
const pages = {
  async api(page) {
    await type(page, "Operation", "query Authors {\n  author(order_by: {name: asc}) {\n    name\n    articles {\n      title\n    }\n  }\n}");
    await page.getByRole("button", { name: "Run Ctrl Enter" }).click();
    await has(page.getByLabel("Result of the operation"), '"Ann"');
  },
  async data(page) {
    await area(page, "Data");
    await page.getByRole("button", { name: "Open public.author" }).click();
    await has(page.getByRole("grid", { name: "Rows" }), "Ann");
  },
  async "data-row"(page) {
    await area(page, "Data");
    await page.getByRole("button", { name: "Open public.author" }).click();
    await page.getByRole("grid", { name: "Rows" }).getByRole("row").filter({ hasText: "Ann" }).click();
    await page.getByRole("button", { name: "Change the row" }).click();
    await page.getByRole("dialog").getByLabel("name", { exact: true }).fill("Anna");
  },
  async sql(page) {
    await area(page, "SQL");
    await type(page, "Statements", "SELECT name, count(title) AS articles\nFROM author LEFT JOIN article ON author_id = author.id\nGROUP BY name ORDER BY name");
    await page.getByRole("button", { name: "Run Ctrl Enter" }).click();
    await has(page.getByRole("grid", { name: "Result" }), "Ben");
  },
  async events(page) {
    await area(page, "Events");
    await page.getByRole("button", { name: "author_changed" }).click();
    await has(page.getByRole("list", { name: "Events" }), "failed");
    await page.getByRole("button", { name: /^INSERT/ }).first().click();
    await page.getByText("failed with 500").first().click();
    await page.locator("canvas").waitFor();
  },
  async actions(page) {
    await area(page, "Actions");
    await page.getByRole("button", { name: "review" }).click();
    await page.getByRole("heading", { name: "review" }).waitFor();
  },
  async "remote-schemas"(page) {
    await area(page, "Remote schemas");
    await page.getByRole("button", { name: "charts" }).click();
    await has(page.getByRole("textbox", { name: "Schema of the remote" }), "type Position");
  },
  async metadata(page) {
    await area(page, "Metadata");
    await page.getByRole("tab", { name: "History" }).click();
    await page.getByRole("button", { name: /^Version/ }).nth(2).click();
    await page.getByRole("region", { name: "Difference" }).getByRole("listitem").first().waitFor();
  },
};

const browser = await launch();
try {
  for (const [name, show] of Object.entries(pages)) {
    const { page, check, close } = await open(browser, url);
    await signIn(page);
    await show(page);
    for (const scheme of ["light", "dark"]) {
      await page.emulateMedia({ colorScheme: scheme, reducedMotion: "reduce" });
      await page.screenshot({ path: `${directory}/${name}-${scheme}.png` });
    }
    check();
    await close();
  }
} finally {
  await browser.close();
  webhook.closeAllConnections();
  webhook.close();
}
