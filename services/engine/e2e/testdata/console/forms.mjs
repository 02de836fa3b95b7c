// Tests of the forms of remote schemas, actions, triggers and events: the fields that their operations have, and what the server finds wrong with each.
import assert from "node:assert/strict";
import { axe, confirm, discard, graphql, has, html, metadata, remoteURL, signIn, transforming, url } from "./harness.mjs";

const field = (page, label, value) => page.getByLabel(label, { exact: true }).fill(value);

/** operations are those by which the forms change something. */
const operations = /^(pg_create_event_trigger|create_cron_trigger|create_scheduled_event|create_action|update_action|add_remote_schema|update_remote_schema|create_remote_schema_remote_relationship|cleanup_event_trigger_logs)$/;

/** refuse has the server find something wrong with a part of the arguments. */
async function refuse(page) {
  let path = "";
  await page.route(url + "/v1/metadata", (route) => {
    const { type, args, dry_run } = route.request().postDataJSON();
    if (!operations.test(type)) return route.fallback();
    const error = { error: `${html} at ${path}`, code: "validation-failed", path: `$.args.${path}` };
    return dry_run ? route.fulfill({ json: { resource_version: 1, changes: [], is_consistent: true, inconsistent_objects: [], refused: error } }) : route.fulfill({ status: 400, json: error });
  });
  return (next) => { path = next; };
}

/** marked sends a form while the server finds something wrong with each of its parts: each time that is said at the part, with code and path, and at no other. */
async function marked(page, button, parts) {
  const at = await refuse(page);
  for (const [path, legend] of Object.entries(parts)) {
    at(path);
    await page.getByRole("button", { name: button, exact: true }).click();
    const place = page.locator(".field, fieldset, .rule").filter({ has: page.getByText(legend, { exact: true }) });
    const said = place.locator(".removed").filter({ hasText: `${html} at ${path}` }).last();
    await said.waitFor();
    assert.match(await said.innerText(), /validation-failed, \$\.args\./, `${path}: no code and path`);
    await page.getByRole("alert").filter({ hasText: `$.args.${path}` }).waitFor();
    const others = await page.locator(".field .removed, fieldset .removed").filter({ hasText: html }).count();
    assert.ok(others >= 1, path);
  }
  assert.equal(await page.locator("main img").count(), 0);
  await page.unrouteAll();
}

const retries = { "retry_conf.num_retries": "Retries", "retry_conf.retry_interval_seconds": "Seconds between them", "retry_conf.timeout_seconds": "Seconds until a call has failed", "retry_conf.tolerance_seconds": "Tolerance (s)" };
const transforms = (base) => ({ [`${base}request_transform.url`]: "URL", [`${base}request_transform.method`]: "Method", [`${base}request_transform.body`]: "Body of the request", [`${base}response_transform.body`]: "Body of the answer" });

/** both has the request and the answer changed. */
async function both(page) {
  await transforming(page);
  await page.getByLabel("Change the answer", { exact: true }).check();
  await page.getByLabel("Resulting request").waitFor();
}

export const tests = {
  async "Forms: of an event trigger, with columns and a clean-up"({ page }) {
    await signIn(page);
    await page.goto(`${url}/console/events?kind=triggers`);
    await page.getByRole("button", { name: "New event trigger" }).click();
    await field(page, "Name", "shown_columns");
    await page.getByLabel("Table", { exact: true }).selectOption("public.article");
    await field(page, "Webhook", "http://127.0.0.1:1/columns");
    await page.getByLabel("On update", { exact: true }).check();
    const group = (name) => page.getByRole("group", { name, exact: true });
    await group("Updates that count").getByLabel("of any column").uncheck();
    await group("Updates that count").getByRole("button", { name: "Updates that count: none" }).click();
    await group("Updates that count").getByRole("checkbox", { name: /^title/ }).check();
    await group("Columns sent on update").getByLabel("all columns").uncheck();
    await group("Columns sent on update").getByRole("checkbox", { name: /^author_id/ }).uncheck();
    await page.getByLabel("Fire on replica", { exact: true }).check();
    await page.getByText("Clean-up of old events", { exact: true }).click();
    await field(page, "Schedule of the clean-up", "0 3 * * 1");
    await page.getByText(/^At 03:00, only on Monday, in UTC\. Next: /).waitFor();
    await page.getByRole("button", { name: "Create" }).click();
    await has(page.locator(".field").filter({ hasText: "Hours that events are kept" }).locator(".removed"), 'key "clear_older_than" not found');
    await field(page, "Hours that events are kept", "168");
    await page.getByText("7 days.").waitFor();
    await page.getByLabel("Their calls are removed, too", { exact: true }).check();
    await field(page, "Events that are removed at a time", "500");
    await field(page, "Seconds that this may take", "30");
    await page.getByLabel("The clean-up is paused", { exact: true }).check();
    await axe(page, "an event trigger with columns and a clean-up");
    await page.getByRole("button", { name: "Create" }).click();
    await page.getByRole("heading", { name: "shown_columns" }).waitFor();
    const of = async () => (await metadata("export_metadata", {})).sources.flatMap((s) => s.tables).flatMap((t) => t.event_triggers ?? []).find((t) => t.name === "shown_columns");
    const made = await of();
    assert.deepEqual(made.definition.update, { columns: ["title"], payload: ["id", "title"] });
    assert.deepEqual(made.cleanup_config, { schedule: "0 3 * * 1", batch_size: 500, clear_older_than: 168, timeout: 30, clean_invocation_logs: true, paused: true });
    assert.equal(made.trigger_on_replication, true);
    await page.getByRole("button", { name: "Change", exact: true }).click();
    await page.getByLabel("How changes are found", { exact: true }).selectOption("in the log of the database");
    await page.getByLabel("The clean-up is paused", { exact: true }).uncheck();
    await page.getByRole("button", { name: "Change…" }).click();
    await has(page.getByRole("dialog", { name: "Change" }), "change");
    await page.getByRole("dialog", { name: "Change" }).getByRole("button", { name: "Cancel" }).click();
    await metadata("pg_delete_event_trigger", { source: "default", name: "shown_columns" });
  },

  async "Forms: errors of the server at each field of triggers and events"({ page }) {
    await signIn(page);
    await page.goto(`${url}/console/events?kind=triggers`);
    await page.getByRole("button", { name: "New event trigger" }).click();
    await field(page, "Name", "refused");
    await page.getByLabel("Table", { exact: true }).selectOption("public.author");
    await page.getByLabel("On update", { exact: true }).check();
    await page.getByRole("group", { name: "Updates that count", exact: true }).getByLabel("of any column").waitFor();
    await both(page);
    await marked(page, "Create", {
      name: "Name", source: "Source", table: "Table", webhook: "Webhook", webhook_from_env: "Variable that has the webhook", insert: "On insert", update: "On update", delete: "On delete",
      "update.columns": "Updates that count", "update.payload": "Columns sent on update", "insert.payload[0]": "Columns sent on insert", enable_manual: "Manual invocation",
      "retry_conf.num_retries": "Retries", "retry_conf.interval_sec": "Seconds between them", "retry_conf.timeout_sec": "Seconds until a call has failed", "headers[0].name": "Headers",
      order_by_key: "Ordered per row", trigger_on_replication: "Fire on replica", via: "How changes are found",
      "cleanup_config.schedule": "Schedule of the clean-up", "cleanup_config.clear_older_than": "Hours that events are kept", "cleanup_config.batch_size": "Events that are removed at a time",
      "cleanup_config.timeout": "Seconds that this may take", "cleanup_config.clean_invocation_logs": "Their calls are removed, too", "cleanup_config.paused": "The clean-up is paused", ...transforms(""),
    });
    await axe(page, "Event triggers with errors at fields");

    await page.getByRole("tab", { name: "Cron triggers" }).click();
    await discard(page);
    await page.getByRole("button", { name: "New cron trigger" }).click();
    await field(page, "Name", "refused");
    await field(page, "Webhook", "http://127.0.0.1:1/");
    await both(page);
    await marked(page, "Create", {
      name: "Name", webhook: "Webhook", schedule: "Schedule", payload: "Payload", "headers[1].value": "Headers", ...retries, comment: "Comment", include_in_metadata: "Include in metadata", ...transforms(""),
    });

    await page.getByRole("tab", { name: "One-off events" }).click();
    await discard(page);
    await page.getByRole("button", { name: "New event" }).click();
    await field(page, "Webhook", "http://127.0.0.1:1/");
    await both(page);
    await marked(page, "Plan it", { webhook: "Webhook", schedule_at: "Time", payload: "Payload", headers: "Headers", ...retries, comment: "Comment", ...transforms("") });
  },

  async "Forms: errors of the server at each field of actions and remote schemas"({ page }) {
    await signIn(page);
    await page.goto(`${url}/console/actions`);
    await page.getByRole("button", { name: "New action" }).click();
    await field(page, "Name", "refused");
    await field(page, "Handler", "http://127.0.0.1:1/");
    await field(page, "Output type", "String");
    await both(page);
    await marked(page, "Create", {
      name: "Name", "definition.handler": "Handler", "definition.type": "Root", "definition.kind": "Waiting for the answer", "definition.arguments[0].type": "Arguments", "definition.output_type": "Output type",
      "definition.timeout": "Seconds until a call has failed", "definition.headers[0]": "Headers", "definition.forward_client_headers": "Forward client headers",
      "definition.ignored_client_headers": "Headers of the client that aren't passed on", comment: "Comment", ...transforms("definition."),
    });
    await page.goto(`${url}/console/remote-schemas`);
    await page.getByRole("button", { name: "Add a remote schema" }).click();
    await field(page, "Name", "refused");
    await field(page, "Address", remoteURL);
    await marked(page, "Add", {
      name: "Name", "definition.url": "Address", "definition.url_from_env": "Variable that has the address", "definition.headers": "Headers", "definition.forward_client_headers": "Forward client headers",
      "definition.timeout_seconds": "Seconds until a call has failed", comment: "Comment", "definition.customization.root_fields_namespace": "Root field namespace", "definition.customization.type_names.prefix": "Type name prefix",
      "definition.customization.type_names.suffix": "Type name suffix", "definition.customization.type_names.mapping": "Names of single types", "definition.customization.field_names[0].parent_type": "Names of the fields of single types",
    });
    await axe(page, "Remote schemas with errors at fields");
  },

  async "Forms: an action with arguments and headers that aren't passed on"({ page }) {
    await metadata("set_custom_types", { input_objects: [{ name: "Wish", fields: [{ name: "count", type: "Int" }] }] });
    await signIn(page);
    await page.goto(`${url}/console/actions`);
    await page.getByRole("button", { name: "New action" }).click();
    await field(page, "Name", "wishes");
    await field(page, "Handler", "http://127.0.0.1:1/");
    await page.getByRole("button", { name: "Add an argument" }).click();
    await field(page, "Name of argument 1", "1wish");
    await field(page, "Type of argument 1", "[Wish!");
    await page.getByText("This isn't a GraphQL name").waitFor();
    await field(page, "Name of argument 1", "wish");
    await page.getByText("This isn't a type as GraphQL spells it").waitFor();
    await field(page, "Type of argument 1", "[Wish!]!");
    await field(page, "Description of argument 1", html);
    await page.getByRole("button", { name: "Add an argument" }).click();
    await page.getByRole("button", { name: "Remove argument 2" }).click();
    await field(page, "Output type", "String");
    await page.getByLabel("Forward client headers", { exact: true }).check();
    await field(page, "Headers of the client that aren't passed on", "Cookie, X-Trace");
    await axe(page, "an action with arguments");
    await page.getByRole("button", { name: "Create" }).click();
    await page.getByRole("heading", { name: "wishes" }).waitFor();
    const { definition } = (await metadata("export_metadata", {})).actions.find((a) => a.name === "wishes");
    assert.deepEqual(definition.arguments, [{ name: "wish", type: "[Wish!]!", description: html }]);
    assert.deepEqual(definition.ignored_client_headers, ["Cookie", "X-Trace"]);
    assert.equal(await page.locator("main img").count(), 0);
    await metadata("drop_action", { name: "wishes" });
    await metadata("set_custom_types", {});
  },

  async "Forms: other names for a remote schema, and relationships of its types"({ page }) {
    await metadata("add_remote_schema", { name: "named", definition: { url: remoteURL, customization: { root_fields_namespace: "named", type_names: { prefix: "N" } } } });
    try {
      await signIn(page);
      await page.goto(`${url}/console/remote-schemas?name=named`);
      await page.getByRole("tab", { name: "Definition" }).click();
      const preview = page.getByRole("region", { name: "What becomes of its names" });
      await has(preview, "query: named { charts, position }");
      await has(preview, "Position becomes NPosition");
      await field(page, "Root field namespace", "1st");
      await page.getByText("This isn't a GraphQL name").waitFor();
      await field(page, "Root field namespace", "best");
      await field(page, "Type name suffix", "_s");
      await page.getByRole("button", { name: "Add a type", exact: true }).click();
      await field(page, "Type 1", "Nothing");
      await page.getByText("The remote has no type Nothing.").waitFor();
      await field(page, "Type 1", "Position");
      await field(page, "Value of type 1", "Rank");
      await page.getByRole("button", { name: "Add a type with fields" }).click();
      await field(page, "Name of type 1", "Position");
      await field(page, "Prefix of fields 1", "the_");
      await page.getByRole("button", { name: "Add a field of type 1" }).click();
      await field(page, "Field 1 of type 1", "place");
      await field(page, "Name of field 1 of type 1", "the_artist");
      await has(preview, "More than one has the name Rank.the_artist.");
      await field(page, "Name of field 1 of type 1", "rank");
      await has(preview, "place becomes rank");
      await has(preview, "artist becomes the_artist");
      await axe(page, "a remote schema with other names");
      await page.getByRole("button", { name: "Change…" }).click();
      await confirm(page, "Change", "change");
      // The server gives the names that were shown.
      const { __type: rank } = await graphql('{ __type(name: "Rank") { fields { name } } }');
      assert.deepEqual(rank.fields.map((f) => f.name).sort(), ["rank", "the_artist", "the_chart"]);
      const { __type: root } = await graphql('{ __type(name: "query_root") { fields { name type { name ofType { name } } } } }');
      const namespace = root.fields.find((f) => f.name === "best");
      await has(preview.getByRole("listitem"), `Query becomes ${namespace.type.name ?? namespace.type.ofType.name}`);

      await page.getByRole("tab", { name: "Relationships" }).click();
      await page.getByRole("button", { name: "Add one to a table" }).click();
      await field(page, "Type of the remote", "Posit");
      await page.getByText("The remote has no such type.").waitFor();
      await field(page, "Type of the remote", "Position");
      await field(page, "Name of the relationship", "author");
      await page.getByLabel("To the source", { exact: true }).selectOption("default");
      await page.getByLabel("Table", { exact: true }).selectOption("public.author");
      await field(page, "Column 1 here", "artist");
      await field(page, "Column 1 there", "id");
      await axe(page, "a relationship of a remote schema");
      await page.getByRole("button", { name: "Add", exact: true }).click();
      await has(page.getByRole("list", { name: "Relationships" }), "object: default, public.author");
      const [{ relationships }] = (await metadata("export_metadata", {})).remote_schemas.find((r) => r.name === "named").remote_relationships;
      assert.deepEqual(relationships[0].definition.to_source.field_mapping, { artist: "id" });
      await page.getByRole("button", { name: "Change Position.author" }).click();
      await page.getByLabel("Kind", { exact: true }).selectOption("array: several rows");
      await page.getByRole("button", { name: "Change…" }).click();
      await confirm(page, "Change", "change");
      await has(page.getByRole("list", { name: "Relationships" }), "array: default, public.author");
      await page.getByRole("button", { name: "Delete Position.author" }).click();
      await confirm(page, "Delete", "named");
    } finally {
      await metadata("remove_remote_schema", { name: "named" });
    }
  },

  async "Forms: what the names of a source become"({ page }) {
    await signIn(page);
    await page.goto(`${url}/console/data?source=default&view=sources`);
    await page.getByText("GraphQL customization", { exact: true }).click();
    const names = page.getByRole("list", { name: "GraphQL customization" });
    await has(names, "public.author: type author, fields author, author_by_pk, insert_author");
    await field(page, "Root field namespace", "shop");
    await field(page, "Root field prefix", "my_");
    await field(page, "Type name suffix", "_row");
    await has(names, "public.author: type author_row, fields shop { my_author, my_author_by_pk, my_insert_author }");
    await axe(page, "the names of a source");
  },
};
