// Tests of pages that read again by themselves, when that fails: what they show and what somebody types stays.
import assert from "node:assert/strict";
import { webhook } from "./fixture.mjs";
import { axe, discard, graphql, has, html, metadata, signIn, url } from "./harness.mjs";

/** notice tells that what is shown is old. */
const notice = (page) => page.getByRole("status", { name: "Old data" });

/** breaking has some operations of the metadata API fail until mend is called. */
async function breaking(page, types) {
  let broken = true;
  await page.route(url + "/v1/metadata", (route) =>
    broken && types.includes(route.request().postDataJSON().type) ? route.fulfill({ status: 500, json: { error: `${html} broke`, code: "unexpected", path: "$.args" } }) : route.fallback());
  return { mend: () => { broken = false; } };
}

/** told waits until the page says that its data is old, and why, and goes back to what it was when it can be read again. */
async function told(page, types, stays) {
  const { mend } = await breaking(page, types);
  await has(notice(page), `${html} broke (unexpected, $.args)`);
  await stays();
  assert.equal(await page.getByRole("alert").count(), 0, "nothing takes the place of what was read");
  mend();
  await notice(page).getByRole("button", { name: "Read again" }).click();
  await notice(page).getByRole("button").waitFor({ state: "detached" });
  await stays();
}

export const tests = {
  async "Old data: an event that is typed"({ page }) {
    await webhook(async (address) => {
      const author = { source: "default", name: "typed" };
      await metadata("pg_create_event_trigger", { ...author, table: "author", webhook: `${address}/broken`, insert: { columns: "*" }, enable_manual: true });
      await graphql('mutation { insert_author_one(object: {name: "typed"}) { id } }');
      await signIn(page);
      await page.goto(`${url}/console/events?kind=triggers&source=default&name=typed`);
      await page.getByRole("list", { name: "Events" }).getByText("failed").waitFor();
      await page.getByRole("button", { name: /^INSERT/ }).click();
      await page.getByRole("list", { name: "Calls" }).getByText("failed with 500").waitFor();
      await page.getByRole("button", { name: "Make an event" }).click();
      const payload = page.getByRole("textbox", { name: "Payload", exact: true });
      await payload.fill('{"half": ');
      const stays = async () => {
        assert.equal(await payload.inputValue(), '{"half": ');
        await page.getByRole("list", { name: "Calls" }).getByText("failed with 500").waitFor();
      };
      for (const type of ["pg_get_event_logs", "pg_get_event_by_id"]) await told(page, [type], stays);
      const { mend } = await breaking(page, ["pg_get_event_logs"]);
      await has(notice(page), "broke");
      await axe(page, "Events with old data");

      // Another part of the log that can't be read has the error in its place, and nothing else is lost.
      await page.getByRole("combobox", { name: /^State/ }).selectOption("failed");
      await has(page.getByRole("alert"), "broke");
      assert.equal(await payload.inputValue(), '{"half": ');
      mend();
      await page.getByRole("tab", { name: "Throughput" }).click();
      await discard(page);
      await page.getByText("1 call, 1 failed").first().waitFor();
      await told(page, ["pg_count_event_invocations", "get_status"], () => page.getByText("1 call, 1 failed").first().waitFor());
      await metadata("pg_delete_event_trigger", author);
      await graphql('mutation { delete_author(where: {name: {_eq: "typed"}}) { affected_rows } }');
    });
  },

  async "Old data: scheduled events, the history, and monitoring"({ page }) {
    await metadata("create_scheduled_event", { webhook: "http://127.0.0.1:1/", schedule_at: "2100-01-01T00:00:00Z", comment: "kept" });
    await signIn(page);
    await page.goto(`${url}/console/events?kind=once`);
    await page.getByText("kept").waitFor();
    await page.getByRole("button", { name: "New event" }).click();
    await page.getByLabel("Comment", { exact: true }).fill("half");
    await told(page, ["get_scheduled_events"], async () => {
      assert.equal(await page.getByLabel("Comment", { exact: true }).inputValue(), "half");
      await page.getByText("kept").waitFor();
    });
    await page.getByRole("navigation", { name: "Areas" }).getByRole("link", { name: "Monitoring" }).click();
    await discard(page);
    await page.getByRole("grid", { name: "Instances" }).getByRole("row").nth(1).waitFor();
    await told(page, ["get_status"], () => page.getByRole("grid", { name: "Instances" }).getByRole("row").nth(1).waitFor());
    const { events } = await metadata("get_scheduled_events", { type: "one_off" });
    for (const e of events) await metadata("delete_scheduled_event", { type: "one_off", event_id: e.id });
  },
};
