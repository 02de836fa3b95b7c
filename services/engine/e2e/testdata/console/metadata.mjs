// Tests of the page for metadata.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { area, axe, broken, has, metadata, signIn, url } from "./harness.mjs";

export const tests = {
  async "Metadata: history and going back"({ page }) {
    const before = await metadata("list_metadata_versions", {});
    await metadata("pg_drop_select_permission", { source: "default", table: "author", role: "reader" });
    await signIn(page);
    await area(page, "Metadata");
    await page.getByText("All of the metadata can be used.").waitFor();
    await axe(page, "Metadata");
    await page.getByRole("tab", { name: "History" }).click();
    await page.getByRole("button", { name: `Version ${before.resource_version}`, exact: true }).click();
    const difference = page.getByRole("region", { name: "Difference" });
    await difference.getByRole("listitem").first().locator("summary").click();
    await has(difference, "select_permissions");
    await axe(page, "Metadata with a difference");
    await page.getByRole("button", { name: "Go back to it…" }).click();
    const dialog = page.getByRole("dialog");
    await has(dialog.getByRole("listitem"), "author");
    await axe(page, "Metadata with a dialog");
    await dialog.getByRole("button", { name: `Go back to version ${before.resource_version}` }).click();
    await dialog.waitFor({ state: "detached" });
    await has(page.getByRole("list", { name: "Versions" }), "rollback_metadata");
    await has(difference, "Nothing of the metadata changes.");

    // Between any two, in both directions.
    await difference.getByLabel("Up to version").fill(String(before.resource_version + 1));
    await has(difference.getByRole("heading"), `From version ${before.resource_version} to ${before.resource_version + 1}`);
    await has(difference.getByRole("listitem"), "change table default.public.author");
    await page.getByRole("button", { name: `Version ${before.resource_version + 1}`, exact: true }).click();
    await has(difference, "Nothing of the metadata changes.");
    await difference.getByLabel("Up to version").fill(String(before.resource_version));
    await difference.getByRole("listitem").first().locator("summary").click();
    await has(difference.getByLabel("After"), "select_permissions");
    await axe(page, "Metadata with two versions");
    await difference.getByLabel("Up to version").fill("1000000");
    await has(difference.getByRole("alert"), "1000000");
  },

  async "Metadata: export and import"({ page }) {
    await signIn(page);
    await area(page, "Metadata");
    const [download] = await Promise.all([page.waitForEvent("download"), page.getByRole("button", { name: "Export" }).click()]);
    const exported = JSON.parse(readFileSync(await download.path(), "utf8"));
    assert.equal(exported.metadata.sources[0].name, "default");

    exported.metadata.sources[0].tables.push({ table: { schema: "public", name: "<i>none</i>" } });
    const choose = async (document) => {
      const [chooser] = await Promise.all([page.waitForEvent("filechooser"), page.getByRole("button", { name: "Import…" }).click()]);
      await chooser.setFiles({ name: "metadata.json", mimeType: "application/json", buffer: Buffer.from(document) });
    };
    await choose("no JSON");
    await has(page.getByRole("alert"), "JSON");
    await choose(JSON.stringify(exported));
    const dialog = page.getByRole("dialog");
    await has(dialog, "<i>none</i>");
    await dialog.getByRole("button", { name: "Replace the metadata" }).click();
    await dialog.waitFor({ state: "detached" });
    await has(page.locator("main").getByRole("listitem"), "<i>none</i>");
    assert.equal(await page.locator("main i").count(), 0);
    await axe(page, "Metadata with an inconsistency");
    await page.getByRole("button", { name: "Drop them…" }).click();
    await has(dialog.getByRole("listitem"), "remove table");
    await dialog.getByRole("button", { name: "Drop inconsistent objects" }).click();
    await page.getByText("All of the metadata can be used.").waitFor();
    await page.getByRole("button", { name: "Reload sources" }).click();
    await page.getByText("Reloaded", { exact: true }).waitFor();
  },

  async "Metadata: a server that fails, is gone, or is slow"({ page }) {
    await signIn(page);
    await broken(page, "Metadata", url + "/v1/metadata", () => page.getByText("All of the metadata can be used.").waitFor());
  },
};
