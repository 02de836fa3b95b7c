// Takes pictures of the console's pages, light and dark: node shots.mjs BROWSER URL SECRET OPEN-URL REMOTE-URL, into the
// directory CONSOLE_SHOTS. It uses the server of the tests, see console.mjs.
import { writeFileSync } from "node:fs";
import { shop, stored, webhook } from "./fixture.mjs";
import { area, graphql, has, launch, metadata, open, opened, pick, signIn, type, url } from "./harness.mjs";

const directory = process.env.CONSOLE_SHOTS;

/** quality has the pictures small, with text that is as easy to read as that of the page. */
const quality = 40;

/** pages are the pictures by their names. */
const pages = {
  async "data-row"(page) {
    await area(page, "Data");
    await page.getByRole("button", { name: "Open public.author" }).click();
    await pick(page.getByRole("grid", { name: "Rows" }).getByRole("row").filter({ hasText: "Ann" }));
    await page.getByRole("button", { name: "Edit row" }).click();
    await page.getByRole("dialog").getByLabel("name", { exact: true }).fill("Anna");
  },
  async sources(page) {
    await page.goto(url + "/console/data?source=default&view=sources");
    await page.getByText(/^Connected · /).waitFor();
  },
  async structure(page) {
    await opened(page, "article", "Structure");
    await has(page.getByRole("grid", { name: "Columns" }), "author_id");
  },
  async functions(page) {
    await area(page, "Data");
    await page.getByRole("tab", { name: "Functions" }).click();
    await page.getByRole("button", { name: "Open public.found_authors" }).click();
    await page.getByRole("heading", { name: "Names and arguments" }).waitFor();
  },
  async relationships(page) {
    await area(page, "Data");
    await page.getByRole("button", { name: "Open public.author" }).click();
    await page.getByRole("tab", { name: "Relationships", exact: true }).click();
    await page.getByRole("button", { name: "By columns" }).click();
    await page.getByLabel("Name", { exact: true }).fill("namesakes");
  },
  async save(page) {
    await type(page, "Operation", stored);
    await page.getByRole("button", { name: "Save…" }).click();
    await page.getByRole("button", { name: "Try Authors" }).click();
    await has(page.getByLabel("Answer of Authors"), "Ann");
  },
  async permissions(page) {
    await area(page, "Permissions");
    await page.getByRole("gridcell", { name: "public.author, reader: select" }).click();
    await page.getByLabel("Row limit").waitFor();
  },
  async "permissions-presets"(page) {
    await area(page, "Permissions");
    await page.getByRole("gridcell", { name: "public.article, writer: select in part, insert in part" }).click();
    await page.getByRole("tab", { name: "insert" }).click();
    await page.getByRole("group", { name: "Presets" }).last().scrollIntoViewIfNeeded();
  },
  async "permissions-sees"(page) {
    await area(page, "Permissions");
    await page.getByRole("gridcell", { name: "public.article, writer: select in part, insert in part" }).click();
    await page.getByRole("tab", { name: "What it sees" }).click();
    await page.getByLabel("x-engine-user-id", { exact: true }).fill("2");
    await has(page.getByRole("grid", { name: "Rows that the role sees" }), "second");
    await page.getByRole("grid", { name: "Fields that the role sees", exact: true }).scrollIntoViewIfNeeded();
  },
  async "permissions-objects"(page) {
    await area(page, "Permissions");
    await page.getByRole("tab", { name: "Functions, actions and more" }).click();
    await page.getByRole("gridcell", { name: "remote schema charts, writer: nothing" }).click();
    await page.getByRole("button", { name: "Allow query" }).click();
    await page.getByRole("button", { name: /of Position$/ }).click();
    await page.getByRole("checkbox", { name: "Position.place" }).uncheck();
    await page.getByRole("button", { name: "Set the permission…" }).scrollIntoViewIfNeeded();
  },
  async "permissions-rule"(page) {
    await page.goto(url + "/console/permissions?source=default&schema=public&table=author&role=editor");
    await page.getByRole("button", { name: "Allow select" }).click();
    await page.getByRole("textbox", { name: "Rows as JSON" }).fill('{"_or": [{"name": {"_ilike": "A%"}}, {"articles": {"author_id": {"_ceq": ["$", "id"]}, "title": {"_neq": ""}}}], "id": {"_in": "X-Engine-Allowed-Ids"}}');
    await page.getByRole("combobox", { name: "Rows _or 2 articles: value of title _neq" }).waitFor();
    await page.getByRole("button", { name: "Rows: add a condition" }).scrollIntoViewIfNeeded();
    await page.getByRole("button", { name: "Rows _or 1: add a condition" }).click();
    await page.getByRole("menuitem").first().waitFor();
  },
  async unsaved(page) {
    await page.goto(url + "/console/permissions?source=default&schema=public&table=author&role=reader");
    await page.getByLabel("Row limit").fill("100");
    await page.getByRole("gridcell", { name: /^public.article, reader/ }).click();
    await page.getByRole("alertdialog", { name: "Unsaved changes" }).waitFor();
  },
  async settings(page) {
    await page.goto(url + "/console/settings");
    await page.getByRole("button", { name: "Set…" }).waitFor();
  },
  async "settings-allow-list"(page) {
    await page.goto(url + "/console/settings?view=allowlist");
    await page.getByRole("button", { name: "Allow a collection" }).click();
  },
  async "settings-telemetry"(page) {
    await page.goto(url + "/console/settings?view=telemetry");
    await page.getByLabel("Address for traces", { exact: true }).waitFor();
  },
  async sql(page) {
    await area(page, "SQL");
    await type(page, "Statements", "SELECT name, count(title) AS articles\nFROM author LEFT JOIN article ON author_id = author.id\nGROUP BY name ORDER BY name");
    await page.keyboard.press("Escape"); // the completions
    await page.getByRole("button", { name: "Run Ctrl Enter" }).click();
    await has(page.getByRole("grid", { name: "Result" }), "Ben");
  },
  async events(page) {
    await area(page, "Events");
    await page.getByRole("button", { name: "author_changed" }).click();
    await has(page.getByRole("list", { name: "Events" }), "failed");
    await page.getByRole("button", { name: /^INSERT/ }).first().click();
    await page.getByText("failed with 500").first().click();
    await page.getByLabel("Response", { exact: true }).first().waitFor();
  },
  async throughput(page) {
    await page.goto(url + "/console/events?kind=triggers&source=default&name=author_changed");
    await page.getByRole("tab", { name: "Throughput" }).click();
    await has(page.getByRole("grid", { name: "Times of deliveries" }), "ms");
    await page.locator("canvas").first().waitFor();
  },
  async pausing(page) {
    await page.goto(url + "/console/events?kind=triggers&source=default&name=author_changed");
    await has(page.getByRole("list", { name: "Events" }), "failed");
    await page.getByRole("button", { name: "Pause…" }).click();
    await has(page.getByRole("dialog", { name: "Pause" }), "paused");
  },
  async "one-off-events"(page) {
    await page.goto(url + "/console/events?kind=once");
    await page.getByRole("list", { name: "Events" }).getByRole("button").first().click();
    await page.getByLabel("Event", { exact: true }).waitFor();
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
  async assistants(page) {
    await area(page, "Assistants");
    await page.getByRole("combobox", { name: "Run as role" }).fill("reader");
    await page.keyboard.press("Escape");
    await page.getByRole("button", { name: "authors_named", exact: true }).click();
    await page.getByRole("textbox", { name: "Arguments" }).fill('{\n  "name": "A%"\n}');
    await page.getByRole("button", { name: "Call as reader" }).click();
    await has(page.getByLabel("Answer", { exact: true }), "Ann");
  },
  async metadata(page) {
    await area(page, "Metadata");
    await page.getByRole("tab", { name: "History" }).click();
    await page.getByRole("button", { name: /^Version/ }).nth(2).click();
    await page.getByRole("region", { name: "Difference" }).getByRole("listitem").first().waitFor();
  },
  async monitoring(page) {
    await area(page, "Monitoring");
    await page.locator("canvas").first().waitFor();
    const rates = page.getByRole("figure", { name: "Operations per second" });
    for (let looks = 2; looks < 7; looks++) {
      for (let i = 0; i < 4 + 3 * (looks % 3); i++) await graphql("query Authors { author { name } }");
      await rates.locator("tbody tr").nth(looks).waitFor({ state: "attached" });
    }
    await has(page.getByRole("grid", { name: "Operations" }), "Authors");
  },
};

const browser = await launch();
try {
  await webhook(async (address) => {
    await shop(address);
    // The tests' first article is HTML, which pictures needn't show.
    await graphql('mutation { update_article_by_pk(pk_columns: {id: 1}, _set: {title: "first"}) { id } }');
    await metadata("create_scheduled_event", { webhook: `${address}/remind`, schedule_at: "2100-01-01T09:00:00Z", payload: { author_id: 1 }, comment: "a reminder" });
    await metadata("create_query_collection", { name: "assistant", definition: { queries: [
      { name: "authors_named", query: "query ($name: String!) { author(where: {name: {_ilike: $name}}) { id name } }", tool: { title: "Authors by name", description: "Finds authors whose names match a pattern" } },
    ] } });
    for (const [name, show] of Object.entries(pages)) {
      if (!new RegExp(process.env.ONLY ?? "").test(name)) continue;
      const { page, check, close } = await open(browser, url);
      await signIn(page);
      await show(page);
      const devtools = await page.context().newCDPSession(page);
      for (const scheme of ["light", "dark"]) {
        await page.emulateMedia({ colorScheme: scheme, reducedMotion: "reduce" });
        const { data } = await devtools.send("Page.captureScreenshot", { format: "webp", quality });
        writeFileSync(`${directory}/${name}-${scheme}.webp`, Buffer.from(data, "base64"));
      }
      await check();
      await close();
    }
  }, "no stock left");
} finally {
  await browser.close();
}
