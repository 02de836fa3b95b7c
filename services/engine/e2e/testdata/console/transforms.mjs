// Tests of the transforms of webhooks, in the forms of all that has some.
import assert from "node:assert/strict";
import { axe, confirm, graphql, has, html, metadata, serve, signIn, transforming, type, until, url } from "./harness.mjs";

/** recorded answers 200 with JSON, and keeps what it was sent. */
async function recorded(use) {
  const requests = [];
  await serve((request, response) => {
    const parts = [];
    request.on("data", (part) => parts.push(part)).on("end", () => {
      requests.push({ method: request.method, url: request.url, headers: request.headers, body: Buffer.concat(parts).toString() });
      response.end(JSON.stringify({ left: 3, said: html }));
    });
  }, (address) => use(address, requests));
}

const result = (page) => page.getByLabel("Resulting request");
const faults = (page) => page.getByRole("list", { name: "Faults" });
const names = (page, label) => page.getByRole("textbox", { name: label, exact: true });
/** faultAt is what is said of the field of a label. */
const faultAt = (page, label) => page.locator(".field").filter({ has: page.getByLabel(label, { exact: true }) }).last().locator(".removed");
/** json is the arguments of the form as JSON, which is left again. */
async function json(page) {
  await page.getByRole("tab", { name: "JSON", exact: true }).click();
  return JSON.parse(await page.getByRole("textbox", { name: "Arguments as JSON" }).evaluate((e) => (e.cmTile ?? e.cmView).view.state.doc.toString()));
}
const field = (page, label, value) => page.getByLabel(label, { exact: true }).fill(value);

export const tests = {
  async "Transforms: of an event trigger, tried with an event of its log"({ page }) {
    await recorded(async (address, requests) => {
      const trigger = { source: "default", name: "changed_shape", table: "author", webhook: `${address}/authors?old=1`, insert: { columns: "*" }, headers: [{ name: "X-From", value: "engine" }] };
      await metadata("pg_create_event_trigger", trigger);
      await graphql(`mutation { insert_author_one(object: {name: ${JSON.stringify(html)}}) { id } }`);
      await until(async () => (await metadata("pg_get_event_logs", { name: trigger.name, status: "delivered" })).length === 1, "no event was delivered");
      await signIn(page);
      await page.goto(`${url}/console/events?kind=triggers&source=default&name=${trigger.name}`);
      await page.getByRole("button", { name: "Change", exact: true }).click();
      await transforming(page);
      await page.getByLabel("With", { exact: true }).locator("option:checked").filter({ hasText: "INSERT of" }).waitFor({ state: "attached" });
      await has(result(page), `POST ${address}/authors?old=1`);
      await has(result(page), "X-From".toLowerCase() + ": engine");
      await has(result(page), html);

      await field(page, "Method", "PUT");
      await field(page, "URL", "{{$base_url}}/{{$body.event.data.new.name}}/none");
      await has(faults(page), "request_transform.url");
      await has(faultAt(page, "URL"), "Invalid URL");
      await field(page, "URL", "{{$base_url}}/{{$body.gone}}");
      await has(faultAt(page, "URL"), "gone");
      assert.equal(await names(page, "URL").getAttribute("aria-invalid"), "true");
      await axe(page, "Transforms with a fault");
      await field(page, "URL", `${address}/authors/{{$body.event.data.new.id}}`);
      await page.getByLabel("Query parameters", { exact: true }).selectOption("these");
      await page.getByRole("button", { name: "Add a parameter" }).click();
      await names(page, "Parameter 1").fill("by whom");
      await names(page, "Value of parameter 1").fill("{{$session_variables['x-engine-none']}}");
      await has(page.locator("fieldset").filter({ hasText: "take the place of all others" }).last().locator(".removed"), "x-engine-none");
      await names(page, "Value of parameter 1").fill("{{$session_variables['x-engine-role']}}");
      await page.getByRole("button", { name: "Add a header to the request" }).click();
      await names(page, "Added header 1").fill("X-Table");
      await names(page, "Value of added header 1").fill("{{$body.table.name}}");
      await field(page, "Headers that are removed", "user-agent, x-from");
      await page.getByLabel("Body of the request", { exact: true }).selectOption("JSON, by a template");
      await type(page, "Template of the body of the request", '{"id": {{$body.event.data.new.id}},\n "name": {{$nothing}}}');
      await has(page.locator(".transforms .removed").filter({ hasText: "line 2, column 12" }), "Variable '$nothing' not in scope");
      await page.locator(".cm-lintRange-error").filter({ hasText: "$nothing" }).waitFor();
      await type(page, "Template of the body of the request", '{"id": {{$body.event.data.new.id}},\n "name": {{$body.event.data.new.name}}}');
      await has(result(page), `"name": "${html}"`);
      await has(result(page), "?by%20whom=admin");
      await has(result(page), "x-table: author");
      assert.ok(!(await result(page).textContent()).includes("x-from"));
      assert.equal(await page.locator("main img").count(), 0);
      await axe(page, "Transforms with a result");

      // With another sample, and another answer.
      await page.getByLabel("With", { exact: true }).selectOption("an event that is made up of the columns");
      await has(result(page), '"name": "text"');
      await page.getByLabel("Change the answer", { exact: true }).check();
      await page.getByLabel("Body of the answer", { exact: true }).selectOption("JSON, by a template");
      await has(page.getByRole("textbox", { name: "Sample of the answer" }), '"left": 3');
      await type(page, "Template of the body of the answer", '{"left": {{$body.left}}, "of": {{$request.body.body.table.name}}}');
      await has(page.getByLabel("Resulting answer"), '"of": "author"');
      await type(page, "Sample of the answer", '{"left": ');
      await has(page.getByRole("region", { name: "Try it out" }), "This isn't JSON.");
      await type(page, "Sample of the answer", "{}");
      await has(faults(page), "response_transform.body.template");
      await type(page, "Sample of the answer", '{"left": 0}');
      await has(page.getByLabel("Resulting answer"), '"left": 0');

      // As JSON, both ways; what the form has no field for stays.
      const args = await json(page);
      assert.deepEqual([args.request_transform.method, args.request_transform.query_params, args.request_transform.request_headers], ["PUT", { "by whom": "{{$session_variables['x-engine-role']}}" }, { add_headers: { "X-Table": "{{$body.table.name}}" }, remove_headers: ["user-agent", "x-from"] }]);
      await type(page, "Arguments as JSON", JSON.stringify({ ...args, request_transform: { ...args.request_transform, note: html, query_params: "all={{$body.table.name}}" } }));
      await page.getByRole("tab", { name: "Form", exact: true }).click();
      assert.equal(await names(page, "Query").inputValue(), "all={{$body.table.name}}");
      await field(page, "Method", "PATCH");
      assert.equal((await json(page)).request_transform.note, html);
      await page.getByRole("button", { name: "Change…" }).click();
      await confirm(page, "Change", "change");
      await graphql('mutation { insert_author_one(object: {name: "Shaped"}) { id } }');
      await until(() => requests.length === 2, "the webhook wasn't called");
      const [, { method, url: path, headers, body }] = requests;
      assert.deepEqual([method, path.replace(/\d+/, "N"), headers["x-table"], headers["x-from"], JSON.parse(body).name], ["PATCH", "/authors/N?all=author", "author", undefined, "Shaped"]);
      await until(async () => (await metadata("pg_get_event_invocation_logs", { name: trigger.name }))[0].response.data.body === '{"left":3,"of":"author"}', "the answer wasn't changed");

      // A template that the server refuses is marked where it was typed.
      await page.getByRole("button", { name: "Change", exact: true }).click();
      await field(page, "URL", "{{");
      await has(faultAt(page, "URL"), "Parse Error");
      await page.getByRole("button", { name: "Change…" }).click();
      await has(page.getByRole("alert"), "request transform validation failed");
      await page.getByLabel("Change the request", { exact: true }).uncheck();
      await page.getByLabel("Change the answer", { exact: true }).uncheck();
      await page.getByRole("button", { name: "Change…" }).click();
      await confirm(page, "Change", "change");
      assert.ok(!JSON.stringify(await metadata("export_metadata", {})).includes("request_transform"), "the transform stays");
      await metadata("pg_delete_event_trigger", { source: "default", name: trigger.name });
      await graphql(`mutation { delete_author(where: {name: {_in: ["Shaped", ${JSON.stringify(html)}]}}) { affected_rows } }`);
    });
  },

  async "Transforms: of cron triggers and one-off events, with variables and forms"({ page }) {
    await signIn(page);
    await page.goto(`${url}/console/events?kind=cron`);
    await page.getByRole("button", { name: "New cron trigger" }).click();
    await field(page, "Name", "shaped_nightly");
    await field(page, "Webhook", "{{BASE}}/nightly?key={{KEY}}");
    await field(page, "Payload", '{"kind": "report"}');
    await transforming(page);
    await has(result(page), "POST http://webhook.example/nightly?key=value");
    await field(page, "BASE", "https://hooks.example");
    await has(result(page), "POST https://hooks.example/nightly?key=value");
    await has(result(page), '"kind": "report"');
    await page.getByLabel("Body of the request", { exact: true }).selectOption("form, by templates");
    await page.getByRole("button", { name: "Add a field of the request" }).click();
    await names(page, "Field of the request 1").fill("kind");
    await names(page, "Value of field of the request 1").fill("{{$body.payload.none}}");
    await has(page.locator("fieldset").filter({ hasText: "Form of the request" }).last().locator(".removed"), "none");
    await names(page, "Value of field of the request 1").fill("{{$body.payload.kind}}");
    await has(result(page), "kind=report");
    await axe(page, "Transforms of a cron trigger");
    await page.getByRole("button", { name: "Create" }).click();
    await page.getByRole("alert").waitFor(); // the server has no such variables
    await field(page, "Webhook", "http://127.0.0.1:1/nightly");
    await page.getByRole("button", { name: "Create" }).click();
    await page.getByRole("heading", { name: "shaped_nightly" }).waitFor();
    await page.getByRole("button", { name: "Change", exact: true }).click();
    assert.deepEqual((await json(page)).request_transform, { version: 2, template_engine: "Kriti", body: { action: "x_www_form_urlencoded", form_template: { kind: "{{$body.payload.kind}}" } } });
    await page.getByRole("tab", { name: "Form", exact: true }).click();
    await page.getByLabel("With", { exact: true }).locator("option").first().filter({ hasText: "the event of" }).waitFor({ state: "attached" });
    await has(result(page), "kind=report");
    await page.getByLabel("Body of the request", { exact: true }).selectOption("none");
    await page.getByRole("button", { name: "Change…" }).click();
    await confirm(page, "Change", "change");
    await metadata("delete_cron_trigger", { name: "shaped_nightly" });

    await page.getByRole("tab", { name: "One-off events" }).click();
    await page.getByRole("button", { name: "New event" }).click();
    await field(page, "Webhook", "http://127.0.0.1:1/once");
    await field(page, "Time", "2100-01-01T00:00:00Z");
    await field(page, "Payload", '{"n": 7}');
    await transforming(page);
    await page.getByLabel("Body of the request", { exact: true }).selectOption("JSON, by a template");
    await type(page, "Template of the body of the request", "{{$body.payload.n}}");
    await page.getByLabel("With", { exact: true }).selectOption("an event that is made up");
    await has(result(page), "\n7");
    await page.getByRole("button", { name: "Plan it" }).click();
    await page.getByRole("list", { name: "Events" }).getByRole("button").first().waitFor();
    const { events } = await metadata("get_scheduled_events", { type: "one_off" });
    for (const e of events) await metadata("delete_scheduled_event", { type: "one_off", event_id: e.id });
  },

  async "Transforms: of an action, in the first version too"({ page }) {
    await metadata("create_action", { name: "shaped", definition: { handler: "http://127.0.0.1:1/shaped", arguments: [{ name: "count", type: "Int!" }, { name: "words", type: "[String!]" }], output_type: "String", request_transform: { body: "{{$body.input}}" } } });
    await signIn(page);
    await page.goto(`${url}/console/actions?name=shaped`);
    await has(result(page), '"count": 1');
    await has(result(page), '"words": [');
    await type(page, "Template of the body of the request", "{{$body.input.count}}");
    await has(result(page), "\n1");
    const { request_transform: first } = (await json(page)).definition;
    assert.deepEqual(first, { body: "{{$body.input.count}}" }, "the version stays what it was");
    await page.getByRole("tab", { name: "Form", exact: true }).click();
    await page.getByLabel("Body of the request", { exact: true }).selectOption("none");
    assert.deepEqual((await json(page)).definition.request_transform, { version: 2, body: { action: "remove" } });
    // One that no control shows stays as it is, and the server's fault is shown at it.
    const args = await json(page);
    await type(page, "Arguments as JSON", JSON.stringify({ ...args, definition: { ...args.definition, request_transform: { version: 2, body: { action: "explode" } } } }));
    await page.getByRole("tab", { name: "Form", exact: true }).click();
    await has(page.locator(".field").filter({ hasText: "Body of the request" }).locator("pre"), "explode");
    await has(page.locator(".transforms .removed").first(), "invalid transform action");
    await field(page, "Seconds until a call has failed", "9");
    assert.deepEqual((await json(page)).definition.request_transform, { version: 2, body: { action: "explode" } });
    await page.getByRole("tab", { name: "Form", exact: true }).click();
    await page.getByRole("button", { name: "Change…" }).click();
    await has(page.getByRole("alert"), "$.args.definition.request_transform.body.action");
    await metadata("drop_action", { name: "shaped" });
  },
};
