// Tests of sessions that end while a page is open.
import assert from "node:assert/strict";
import { axe, has, secret, signIn, url } from "./harness.mjs";

export const tests = {
  async "Sessions: one that has ended is renewed in its place, with what was typed"({ page }) {
    await signIn(page);
    await page.goto(`${url}/console/permissions?source=default&schema=public&table=author&role=reader`);
    await page.getByLabel("Row limit").fill("7");
    let ended = true;
    await page.route(url + "/v1/metadata", (route) =>
      ended ? route.fulfill({ status: 401, json: { error: "Could not verify JWT: JWTExpired", code: "invalid-jwt", path: "$" } }) : route.continue());
    await page.getByRole("button", { name: "Save…" }).click();
    const dialog = page.getByRole("alertdialog", { name: "Your session has ended" });
    await dialog.waitFor();
    await axe(page, "a session that has ended");
    await dialog.getByLabel("Admin secret", { exact: true }).fill("wrong");
    await dialog.getByRole("button", { name: "Sign in" }).click();
    await has(dialog.getByRole("alert"), "JWTExpired");
    ended = false;
    await dialog.getByLabel("Admin secret", { exact: true }).fill(secret);
    await page.keyboard.press("Enter");
    await dialog.waitFor({ state: "detached" });
    assert.equal(await page.getByLabel("Row limit").inputValue(), "7");
    await page.getByRole("button", { name: "Save…" }).click();
    const asked = page.getByRole("dialog", { name: "Save" });
    await has(asked, "change table default.public.author");
    await asked.getByRole("button", { name: "Cancel" }).click();
  },
};
