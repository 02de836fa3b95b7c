// Tests of the page for events.
import assert from "node:assert/strict";
import { webhook } from "./fixture.mjs";
import { area, axe, broken, confirm, discard, graphql, has, html, metadata, signIn, sql, type, url } from "./harness.mjs";

const events = (page) => page.getByRole("list", { name: "Events" });
const calls = (page) => page.getByRole("list", { name: "Calls" });

export const tests = {
  async "Events: a delivery fails, is mended, and made again"({ page }) {
    await webhook(async (address) => {
      await signIn(page);
      await area(page, "Events");
      await page.getByRole("button", { name: "New event trigger" }).click();
      const create = page.getByRole("button", { name: "Create" });
      await create.and(page.locator("[aria-disabled=true]")).waitFor(); // no name yet
      await page.getByLabel("Name", { exact: true }).fill("not a name");
      await page.getByLabel("Table", { exact: true }).selectOption("public.author");
      await page.getByLabel("Webhook", { exact: true }).fill(address + "/broken");
      await page.getByRole("button", { name: "Add a header" }).click();
      await page.getByLabel("Name of header 1").fill("X-From");
      await page.getByLabel("Value of header 1").fill("console");
      await axe(page, "Events with a form");
      await create.click();
      await has(page.getByRole("alert"), "$.args.name");
      assert.match(await page.getByLabel("Name", { exact: true }).getAttribute("aria-describedby"), /fault/);
      await axe(page, "Events with an error at a field");
      await page.getByLabel("Name", { exact: true }).fill("author_changed");
      await create.click();
      await page.getByRole("heading", { name: "author_changed" }).waitFor();
      await page.getByText("No events").waitFor();

      await graphql(`mutation { insert_author_one(object: {name: ${JSON.stringify(html)}}) { id } }`);
      await has(events(page), "failed");
      await page.getByRole("button", { name: /^INSERT/ }).click();
      await has(page.getByLabel("Payload"), html);
      await calls(page).getByText("failed with 500").click();
      await has(page.getByLabel("Request"), "X-From");
      await has(page.getByLabel("Response"), `${html} at /broken`);
      await page.getByRole("tab", { name: "Calls", exact: true }).click();
      await calls(page).getByText("failed with 500").click();
      await has(page.getByLabel("Response"), `${html} at /broken`);
      await axe(page, "Events with calls");
      await page.getByRole("tab", { name: "Throughput" }).click();
      await page.getByText("1 call, 1 failed (100 %)").waitFor();
      await page.getByText("Figures").click();
      const figures = page.getByRole("figure", { name: "Calls of the webhook" }).locator("tbody tr");
      assert.equal(await figures.count(), 60, "a minute each");
      await figures.filter({ hasText: /\D1\s*1$/ }).waitFor();
      const choose = page.getByLabel("Calls of the last");
      for (const period of ["6 hours", "day", "week", "30 days"]) {
        await choose.selectOption(period);
        await page.getByText("1 call, 1 failed").first().waitFor();
        assert.ok((await figures.count()) <= 60);
      }
      await choose.selectOption("hour");
      assert.equal(await page.locator("main img").count(), 0);
      await axe(page, "Events with a throughput");
      await page.getByRole("tab", { name: "Log", exact: true }).click();
      await page.getByRole("button", { name: /^INSERT/ }).click();
      await axe(page, "Events with a log");

      await page.getByRole("button", { name: "Change", exact: true }).click();
      await page.getByLabel("Webhook", { exact: true }).fill(address + "/well");
      await page.getByRole("button", { name: "Change…" }).click();
      await confirm(page, "Change", "change");
      await page.getByRole("button", { name: "Deliver again" }).click();
      await has(events(page), "delivered");
      await has(calls(page), "succeeded with 200");
      await has(calls(page), "failed with 500");

      // Its times, and what is chosen by its state.
      await page.getByRole("tab", { name: "Throughput" }).click();
      const times = page.getByRole("grid", { name: "Times of deliveries" });
      await has(times.getByRole("row"), "Call of the webhook");
      await has(page.getByRole("region", { name: "Times" }), "2 calls, 1 failed");
      assert.match(await times.getByRole("row").nth(1).getByRole("gridcell").last().textContent(), /^[\d.]+$/);
      await page.getByRole("tab", { name: "Log", exact: true }).click();
      await page.getByRole("combobox", { name: /^State/ }).selectOption("failed");
      await page.getByText("No events").waitFor();
      await page.getByRole("combobox", { name: /^State/ }).selectOption("delivered");
      await page.getByLabel("Choose all that are shown").check();
      await page.getByRole("button", { name: "Deliver 1 again" }).click();
      await page.getByRole("button", { name: "Deliver them again" }).waitFor();
      await page.getByRole("tab", { name: "Throughput" }).click();
      await page.getByText("3 calls, 1 failed").first().waitFor();
      await page.getByRole("tab", { name: "Log", exact: true }).click();
      await page.getByRole("combobox", { name: /^State/ }).selectOption("all");

      // As text, and by hand.
      await page.getByRole("button", { name: "Change", exact: true }).click();
      await page.getByRole("tab", { name: "JSON" }).click();
      await type(page, "Arguments as JSON", "no JSON");
      await has(page.getByRole("alert"), "JSON");
      await type(page, "Arguments as JSON", JSON.stringify({
        name: "author_changed", table: "author", webhook: address + "/well", enable_manual: true, replace: true,
        cleanup_config: { schedule: "0 3 * * *", clear_older_than: 168 },
      }));
      await page.getByRole("button", { name: "Change…" }).click();
      await confirm(page, "Change", "change");
      await page.getByRole("button", { name: "Make an event" }).click();
      await page.getByRole("textbox", { name: "Payload", exact: true }).fill('{"made": "by hand"}');
      await page.getByRole("button", { name: "Make it" }).click();
      await has(page.getByRole("button", { name: /^MANUAL/ }), "MANUAL");

      // Paused, events wait, those that are made by hand too.
      await page.getByRole("button", { name: "Pause…" }).click();
      const asked = page.getByRole("dialog", { name: "Pause" });
      await has(asked, "They wait, retries included");
      await axe(page, "Events with a pause");
      await confirm(page, "Pause", "change");
      const list = page.getByRole("region", { name: "Event triggers" });
      await has(list, "paused");
      await page.getByRole("button", { name: "Resume…" }).waitFor();
      await page.getByRole("button", { name: "Make an event" }).click();
      await page.getByRole("textbox", { name: "Payload", exact: true }).fill('{"made": "while paused"}');
      await page.getByRole("button", { name: "Make it" }).click();
      await has(events(page), "waits");
      await axe(page, "Events of a paused trigger");
      await area(page, "Monitoring");
      await has(page.getByRole("grid", { name: "Events to deliver" }), "event trigger, paused");
      await page.goBack();
      await page.getByRole("button", { name: "Resume…" }).click();
      await confirm(page, "Resume", "Events that wait are delivered");
      await page.getByRole("button", { name: "Pause…" }).waitFor();
      await events(page).getByText("waits").waitFor({ state: "detached" });
      assert.equal(await list.getByText("paused").count(), 0);

      await page.getByRole("button", { name: "Pause the clean-up…" }).click();
      await confirm(page, "Pause the clean-up", "change");
      await page.getByRole("button", { name: "Resume the clean-up…" }).waitFor();

      // What a clean-up would remove, before it does: by the form, and at once.
      await events(page).getByText(/^(pending|waits)/).first().waitFor({ state: "detached" });
      await sql("UPDATE engine_catalog.event_log SET created_at = created_at - interval '100 h' WHERE trigger_name = 'author_changed'");
      const log = "engine_catalog.event_log WHERE trigger_name = 'author_changed'";
      const [[old, called]] = await sql(`SELECT count(*), (SELECT count(*) FROM engine_catalog.event_invocation_logs WHERE event_id IN (SELECT id FROM ${log})) FROM ${log}`);
      assert.ok(old > 1 && called > old);
      await page.getByRole("button", { name: "Change", exact: true }).click();
      const kept = page.getByLabel("Hours that events are kept", { exact: true });
      await page.getByText("7 days. Now that would remove nothing.").waitFor();
      await kept.fill("99");
      await page.getByText(`4.1 days. Now that would remove ${old} events.`).waitFor();
      await page.getByLabel("Their calls are removed, too", { exact: true }).check();
      await page.getByText(`Now that would remove ${old} events and ${called} calls.`).waitFor();
      await axe(page, "Events with what a clean-up would remove");
      await page.getByRole("button", { name: "Cancel" }).click();
      await discard(page);
      await page.getByRole("button", { name: "Clean up…" }).click();
      const cleaning = page.getByRole("dialog", { name: "Clean up" });
      await has(cleaning, "It removes nothing.");
      const age = page.getByLabel("Older than, in hours");
      await age.fill("");
      await has(cleaning, "Older than how many hours?");
      await cleaning.getByRole("button", { name: "Clean up", disabled: true }).waitFor();
      await age.fill("1");
      await has(cleaning, `It removes ${old} events and ${called} calls.`);
      await axe(page, "Events with a clean-up");
      await confirm(page, "Clean up", "can't be brought back");
      await page.getByText(`Removed: ${old} events and ${called} calls.`).waitFor();
      await page.getByText("No events").waitFor();

      // What goes with a trigger.
      await page.getByRole("button", { name: "Pause…" }).click();
      await confirm(page, "Pause", "change");
      await page.getByRole("button", { name: "Resume…" }).waitFor();
      await metadata("pg_invoke_event_trigger", { name: "author_changed", payload: {} });
      await page.getByRole("button", { name: "Delete…" }).click();
      await has(page.getByRole("dialog", { name: "Delete" }), /1 event of author_changed \(default\) waits, and won't be delivered\./);
      await axe(page, "Events with what goes with a trigger");
      await confirm(page, "Delete", "author_changed");
      await page.getByText("None: an event trigger calls a webhook for each changed row of a table.").waitFor();
      await graphql(`mutation { delete_author(where: {name: {_eq: ${JSON.stringify(html)}}}) { affected_rows } }`);
    });
  },

  async "Events: cron triggers and one-off events"({ page }) {
    await webhook(async (address) => {
      await signIn(page);
      await area(page, "Events");
      await page.getByRole("tab", { name: "Cron triggers" }).click();
      await page.getByRole("button", { name: "New cron trigger" }).click();
      await page.getByLabel("Name", { exact: true }).fill("<b>nightly</b>");
      await page.getByLabel("Webhook", { exact: true }).fill(address + "/nightly");
      const schedule = page.getByLabel("Schedule", { exact: true });
      await page.getByText(/^At 02:00, in UTC\. Next: (\d{4}-\d\d-\d\d 02:00(, |\.$)){3}/).waitFor();
      await schedule.fill("*/15 9-17 1,15 * 1");
      await page.getByText(/15 minutes.* and on Monday.*\d:(00|15|30|45)\.$/).waitFor();
      await schedule.fill("0 2 31 2 *"); // February has no such day
      await page.getByText("That never comes.").waitFor();
      await schedule.fill("0 2 * * MON"); // names are refused by the server
      await page.getByText("Minute, hour, day of month").waitFor();
      await schedule.fill("0 2 * * *");
      await page.getByLabel("Payload", { exact: true }).fill("{no JSON");
      await page.getByText("This isn't JSON.").waitFor();
      await page.getByLabel("Payload", { exact: true }).fill('{"kind": "report"}');
      await page.getByRole("button", { name: "Create" }).click();
      await page.getByRole("heading", { name: "<b>nightly</b>" }).waitFor();
      await page.getByText("100 events").waitFor();
      await page.getByRole("button", { name: "Next" }).click();
      await page.getByRole("button", { name: "Next", disabled: true }).waitFor();
      await axe(page, "Events with a cron trigger");
      await page.getByRole("button", { name: "Change", exact: true }).click();
      await page.getByLabel("Schedule", { exact: true }).fill("0 3 * * *");
      await page.getByRole("button", { name: "Change…" }).click();
      await confirm(page, "Change", "change");
      await page.locator("code").filter({ hasText: "0 3 * * *" }).waitFor();
      await page.getByRole("button", { name: "Pause…" }).click();
      await confirm(page, "Pause", "are not made up for");
      await has(page.getByRole("region", { name: "Cron triggers" }), "paused");
      await page.getByText("No events").waitFor();
      await page.getByRole("button", { name: "Resume…" }).click();
      await confirm(page, "Resume", "from the next time of the schedule on");
      await page.getByText("100 events").waitFor();
      await page.getByRole("button", { name: "Delete…" }).click();
      await confirm(page, "Delete", "100 events of <b>nightly</b>, planned ahead or to be tried again, won't be delivered.");
      await page.getByText("None: a cron trigger").waitFor();
      assert.equal(await page.locator("main b").count(), 0);

      await page.getByRole("tab", { name: "One-off events" }).click();
      await page.getByRole("button", { name: "New event" }).click();
      await page.getByLabel("Webhook", { exact: true }).fill(address + "/once");
      await page.getByLabel("Time", { exact: true }).fill("tomorrow");
      await page.getByRole("button", { name: "Plan it" }).click();
      await has(page.getByRole("alert"), "$.args.schedule_at");
      await page.getByLabel("Time", { exact: true }).fill(new Date().toISOString());
      await page.getByLabel("Comment", { exact: true }).fill(html);
      await page.getByRole("button", { name: "Plan it" }).click();
      await has(events(page), "delivered");
      await has(events(page), html);
      await events(page).getByRole("button").first().click();
      await calls(page).getByText("succeeded with 200").click();
      await has(page.getByLabel("Response"), `${html} at /once`);
      assert.equal(await page.locator("main img").count(), 0);
      await page.getByRole("tab", { name: "Throughput" }).click();
      const times = page.getByRole("grid", { name: "Times of deliveries" });
      const took = times.getByRole("row").filter({ hasText: "From the due time to the delivery" });
      await took.waitFor();
      assert.match(await took.getByRole("gridcell").last().textContent(), /^[\d.]+$/);
      await page.getByRole("region", { name: "Times" }).getByText("Nothing waits.").waitFor();
      await axe(page, "Events with times of one-off events");
      await page.getByRole("tab", { name: "Log", exact: true }).click();
      await events(page).getByRole("button").first().click();
      await axe(page, "Events with one-off events");
      await page.getByRole("button", { name: "Delete…" }).click();
      await confirm(page, "Delete the event", "is removed with the log of its call.");
      await page.getByText("No events").waitFor();
      assert.equal((await metadata("get_scheduled_events", { type: "one_off" })).events.length, 0);
    });
  },

  async "Events: a server that fails, is gone, or is slow"({ page }) {
    await signIn(page);
    await broken(page, "Events", url + "/v1/metadata", () => page.getByRole("button", { name: "New event trigger" }).waitFor());
  },
};
