// Tests of `engine console` in a browser: node project.mjs BROWSER LINK SECRET. LINK is what the command has printed; the
// server behind it has no tables.
import assert from "node:assert/strict";
import { axe, has, launch, open, secret, type, url as link, writing } from "./harness.mjs";

const browser = await launch();
const opened = await open(browser, link);
const { page } = opened;
try {
  await page.goto(link);
  await page.waitForURL("**/console/api");
  await has(page.getByRole("banner"), "Project ");
  assert.equal(await page.getByRole("button", { name: "Sign out" }).count(), 0);
  assert.ok(!page.url().includes("token"));
  const kept = await page.evaluate(() => document.cookie + JSON.stringify(sessionStorage) + JSON.stringify(localStorage));
  assert.ok(!kept.includes("query-engine-session") && !kept.includes("engine-console") && !kept.includes(secret), "scripts see neither the cookie nor the secret");

  await page.getByRole("link", { name: "SQL" }).click();
  await type(page, "Statements", "CREATE TABLE shelf (id int PRIMARY KEY)");
  await writing(page);
  await page.getByLabel("Name of the migration").fill("a shelf");
  await axe(page, "SQL of a project");
  await page.getByRole("button", { name: /^Run/ }).click();
  const notice = page.getByRole("status", { name: "Written into the project" });
  await has(notice, "_a_shelf");
  await type(page, "Statements", "INSERT INTO shelf VALUES (1)");
  await page.getByRole("button", { name: "Close" }).click();
  await page.getByRole("button", { name: /^Run/ }).click();
  await has(page.getByRole("status"), "Done in");
  assert.equal(await notice.innerText(), "");

  const answer = await page.evaluate(async () => {
    const body = JSON.stringify({ type: "pg_track_table", args: { table: "shelf" } });
    const key = localStorage.getItem("query-engine-project-key");
    const r = await fetch("/v1/metadata", { method: "POST", body, headers: { "content-type": "application/json", "x-engine-console-key": key } });
    return [r.status, decodeURIComponent(r.headers.get("x-engine-project"))];
  });
  assert.equal(answer[0], 200);
  assert.match(answer[1], /"files":\d/);

  // Forms make migrations, with what takes them back where that is evident.
  const dialog = page.getByRole("dialog");
  const run = async (name) => {
    await dialog.getByLabel("Name of the migration").fill(name);
    await axe(page, "SQL that becomes a migration");
    await dialog.getByRole("button", { name: "Run", exact: true }).click();
    await dialog.waitFor({ state: "detached" });
  };
  await page.goto(new URL("/console/data?source=default&schema=public&table=shelf", page.url()).href);
  await page.getByRole("tab", { name: "Structure" }).click();
  await page.getByRole("button", { name: "Add a column" }).click();
  await page.getByLabel("Name", { exact: true }).fill("it's");
  await page.getByLabel("Type", { exact: true }).fill("text");
  await page.getByLabel("Default", { exact: true }).fill("'é'");
  await page.getByRole("button", { name: "Review SQL…" }).click();
  await has(dialog.getByLabel("Down migration"), 'ALTER TABLE "public"."shelf" DROP COLUMN "it\'s";');
  await run("one more column");
  await has(notice, "with what takes it back");
  await page.getByRole("button", { name: "Drop the column id" }).click();
  await has(dialog, "down.sql is to be written");
  await run("no id");
  await has(notice, "_no_id");
  await has(notice, "its down.sql is to be written");
  await opened.check();
} catch (e) {
  console.error(`${e.stack}\n${(await page.locator("body").innerText().catch(String)).slice(0, 3000)}`);
  process.exitCode = 1;
} finally {
  await browser.close();
}
