// What pages of others can't do with the console, and to the server by the browser of somebody who is signed in.
import assert from "node:assert/strict";
import { has, launch, metadata, open, others, secret, serve, signIn, until, url } from "./harness.mjs";

const change = JSON.stringify({ type: "clear_metadata", args: {} });

/** elsewhere serves pages of another origin while use runs. */
async function elsewhere(pages, use) {
  await serve((request, response) => {
    response.setHeader("Content-Type", "text/html");
    response.end(pages[request.url] ?? "");
    // By another name, so that it is another site, and not only another port.
  }, (address) => use(address.replace("127.0.0.1", "localhost")));
}

export const tests = {
  async "framing"({ page, browser }) {
    await elsewhere({ "/": `<iframe src="${url}/console"></iframe><object data="${url}/console"></object><embed src="${url}/console">` }, async (other) => {
      const context = await browser.newContext();
      try {
        const framed = await context.newPage();
        let refused = 0;
        framed.on("console", (m) => (refused += m.text().includes("frame-ancestors")));
        await framed.goto(`${other}/`);
        await until(() => refused >= 3, "each of the three is refused");
        for (const frame of framed.frames()) {
          // The frame of an object that is refused is taken away.
          const shown = await frame.getByText("Query Engine").count().catch((e) => (frame.isDetached() ? 0 : Promise.reject(e)));
          assert.equal(shown, 0);
        }
      } finally {
        await context.close();
      }
    });
    for (const path of ["/console", "/console/data", "/v1/version"]) {
      const { headers } = await fetch(url + path);
      assert.match(headers.get("content-security-policy"), /frame-ancestors 'none'/, path);
    }
    await page.goto(url + "/console");
  },

  async "the policy of the page"({ browser }) {
    const context = await browser.newContext(); // what is refused is an error on the browser's console
    const page = await context.newPage();
    const response = await page.goto(url + "/console");
    const policy = response.headers()["content-security-policy"];
    assert.match(policy, /default-src 'none'/);
    assert.match(policy, /script-src 'self'(;|$)/);
    assert.doesNotMatch(policy, /unsafe|https?:|\*/);
    const again = await fetch(url + "/console");
    assert.notEqual(again.headers.get("content-security-policy"), policy, "the nonce is the same in two answers");
    // What gets onto the page all the same doesn't run.
    const ran = await page.evaluate(() => new Promise((told) => {
      let refused = 0;
      document.addEventListener("securitypolicyviolation", () => refused++);
      // Not within the call of the debugger, for which the policy doesn't count.
      setTimeout(async () => {
        for (const run of [
          () => { const script = document.createElement("script"); script.text = "window.ran = 1"; document.body.append(script); },
          () => document.body.insertAdjacentHTML("beforeend", "<img src=x onerror='window.ran = 2'>"),
          () => { const image = new Image(); image.setAttribute("onerror", "window.ran = 3"); image.src = "data:,"; document.body.append(image); },
          () => new Function("window.ran = 4")(),
        ]) {
          try { run(); } catch { /* a TypeError of trusted types */ }
        }
        await fetch("https://elsewhere.invalid/").catch(() => {});
        setTimeout(() => told([window.ran, refused]), 0);
      }, 0);
    }));
    assert.equal(ran[0], undefined, "a script ran");
    assert.ok(ran[1] >= 3, `${ran[1]} were refused`);
    await context.close();
  },

  async "requests of another site"({ browser, page: signed }) {
    await signIn(signed);
    const before = await metadata("export_metadata", {});
    const form = `<form method="post" enctype="text/plain" action="${url}/v1/metadata"><input name='${change.replace(/}$/, ', "x": "')}' value='"}'></form>`;
    const opened = await open(browser);
    const { context } = opened;
    try {
      await elsewhere({ "/": "", "/form": form }, async (other) => {
        // The profile is that of somebody who is signed in, in another tab.
        const console_ = await context.newPage();
        await signIn(console_);
        const page = await context.newPage();
        await page.goto(`${other}/`);
        const got = await page.evaluate(async ([server, body]) => {
          const said = [];
          for (const [path, init] of [
            ["/v1/metadata", { method: "POST", body }],
            ["/v1/metadata", { method: "POST", body, credentials: "include", headers: { "Content-Type": "application/json" } }],
            ["/v2/query", { method: "POST", body: JSON.stringify({ type: "run_sql", args: { sql: "SELECT 1" } }) }],
            ["/v1/graphql", { method: "POST", body: JSON.stringify({ query: "{ author { name } }" }) }],
          ]) {
            try {
              const response = await fetch(server + path, init);
              said.push(await response.text());
            } catch {
              said.push("not readable");
            }
            await fetch(server + path, { ...init, mode: "no-cors", headers: {} }).catch(() => {});
          }
          const socket = new WebSocket(server.replace("http", "ws") + "/v1/graphql", "graphql-transport-ws");
          said.push(await new Promise((told) => {
            socket.onopen = () => socket.send(JSON.stringify({ type: "connection_init" }));
            socket.onmessage = (m) => told(m.data);
            socket.onclose = (e) => told(`closed ${e.code}`);
          }));
          return said;
        }, [url, change]);
        for (const text of got) assert.match(text, /access-denied|not readable|^closed 4\d\d\d/, text);
        await page.goto(`${other}/form`);
        await Promise.all([page.waitForURL(`${url}/v1/metadata`), page.evaluate(() => document.forms[0].submit())]);
        await has(page.locator("body"), "access-denied");
        // Nothing of the session can be reached by a page that the console was opened from.
        await page.goto(`${other}/`);
        const [popup] = await Promise.all([context.waitForEvent("page"), page.evaluate((address) => { window.popup = window.open(address); }, `${url}/console`)]);
        await popup.waitForLoadState();
        assert.equal(await page.evaluate((s) => { try { return JSON.stringify(window.popup.sessionStorage).includes(s); } catch { return false; } }, secret), false);
        await popup.getByLabel("Admin secret", { exact: true }).waitFor();
      });
    } finally {
      await opened.close();
    }
    assert.deepEqual(await metadata("export_metadata", {}), before);
  },

  async "requests of another site, where there is no secret"() {
    const bare = others.bare;
    const name = "rebound.example.com"; // of the page's server first, and then of the engine
    const browser = await launch(`--host-resolver-rules=MAP ${name} 127.0.0.1`);
    const before = await metadata("export_metadata", {});
    const bodies = [change, JSON.stringify({ query: "mutation { delete_author(where: {}) { affected_rows } }" }), JSON.stringify({ type: "run_sql", args: { sql: "DROP TABLE author CASCADE" } })];
    const all = Boolean(process.env.ENGINE_TEST_LONG);
    const attack = async ([server, list, all]) => {
      const said = [];
      for (const path of ["/v1/metadata", "/v2/query", "/v1/graphql", ...(all ? ["/v1/query", "/v1alpha1/graphql", "/v1beta1/relay", "/v1alpha1/pg_dump"] : [])]) {
        for (const body of list) {
          for (const method of all ? ["POST", "PUT", "DELETE", "PATCH"] : ["POST"]) {
            for (const type of [undefined, "text/plain", "application/json", "application/graphql", "application/x-www-form-urlencoded"]) {
              for (const mode of ["cors", "no-cors"]) {
                const headers = type ? { "Content-Type": type } : {};
                await fetch(server + path, { method, body, headers, mode, credentials: "include" }).then(async (r) => said.push(await r.text())).catch(() => {});
              }
            }
          }
        }
      }
      for (const protocol of ["graphql-transport-ws", "graphql-ws"]) {
        const socket = new WebSocket((server || location.origin).replace("http", "ws") + "/v1/graphql", protocol);
        said.push(await new Promise((told) => {
          socket.onopen = () => { socket.send(JSON.stringify({ type: "connection_init" })); };
          socket.onmessage = (m) => told(m.data);
          socket.onclose = (e) => told(`closed ${e.code}`);
        }));
      }
      return said;
    };
    try {
      const page = await (await browser.newContext()).newPage();
      const form = (n) => `<form method="post" enctype="text/plain" action="${bare}/v1/metadata"><input name='${bodies[n].replace(/}$/, ', "x": "').replaceAll("'", "&#39;")}' value='"}'></form>`;
      await elsewhere({ "/": "", "/0": form(0), "/2": form(2) }, async (other) => {
        await page.goto(`${other}/`);
        for (const text of await page.evaluate(attack, [bare, bodies, all])) assert.match(text, /^$|access-denied|^closed/, text);
        for (const n of [0, 2]) {
          await page.goto(`${other}/${n}`);
          await Promise.all([page.waitForURL(`${bare}/v1/metadata`), page.evaluate(() => document.forms[0].submit())]);
          await has(page.locator("body"), "access-denied");
        }
      });
      await page.goto(`http://${name}:${new URL(bare).port}/console`);
      for (const text of await page.evaluate(attack, ["", bodies, all])) assert.match(text, /^$|access-denied|^closed|not.found/i, text);
      assert.deepEqual(await metadata("export_metadata", {}), before);
      // The engine's own page is admin.
      await page.goto(`${bare}/console`);
      const own = await page.evaluate(async () => (await fetch("/v1/metadata", { method: "POST", headers: { "Content-Type": "application/json" }, body: '{"type":"export_metadata","args":{}}' })).json());
      assert.deepEqual(own, before);
    } finally {
      await browser.close();
    }
  },
};
