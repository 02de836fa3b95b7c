// A proxy before the engine, which fails, is slow, or is gone, as a test wants it. Unlike the interception of a browser, it leaves
// the cache of files on, and what the page meets is a connection.
import { Agent, createServer, request as ask } from "node:http";

/** kindOf is what a request of the API is for: its path, and the type in its body. It is undefined for a file. */
function kindOf(path, body) {
  const { pathname } = new URL(path, "http://engine");
  if (pathname.startsWith("/console")) return undefined;
  let type;
  try {
    type = JSON.parse(body).type;
  } catch { /* an endpoint that takes no JSON */ }
  return type ? `${pathname} ${type}` : pathname;
}

/** brokenBy is the error that a request of a kind fails with. */
export function brokenBy(kind) {
  return { message: `it broke: ${kind}.`, code: "unexpected", path: "$.args.what" };
}

/** Proxy passes requests on, unless treat says otherwise. */
export class Proxy {
  /** The kinds of requests that have come since it was emptied. */
  kinds = new Set();
  #treat = () => "pass";
  #held = [];
  #waiting = [];
  #agent = new Agent({ keepAlive: true });

  constructor(target) {
    this.target = target;
    this.server = createServer((request, response) => {
      const body = [];
      request.on("data", (chunk) => body.push(chunk)).on("end", () => this.#answer(request, response, Buffer.concat(body))).on("error", () => {});
    });
  }

  async start() {
    await new Promise((listening) => this.server.listen(0, "127.0.0.1", listening));
    this.url = `http://127.0.0.1:${this.server.address().port}`;
    return this;
  }

  close() {
    this.server.closeAllConnections();
    this.server.close();
    this.#agent.destroy();
  }

  /** treat has what becomes of a request of a kind: it may "pass", "fail", be "gone" with its connection, or be "held" until release. */
  treat(how) {
    this.#treat = how;
  }

  /** pass has all requests pass, those that are held, too. */
  pass() {
    this.#treat = () => "pass";
    this.release(this.#treat);
  }

  /** held returns the kinds of requests that are held, once there is one. */
  async held() {
    if (this.#held.length === 0) await new Promise((some) => this.#waiting.push(some));
    return this.#held.map((h) => h.kind);
  }

  /** release does with the requests that are held what treat may say of them. */
  release(how) {
    for (const h of this.#held.splice(0)) h.as(how(h.kind));
  }

  #answer(request, response, body) {
    const kind = kindOf(request.url, body.toString());
    const as = (how) => {
      switch (how) {
        case "pass":
          return this.#forward(request, response, body);
        case "fail": {
          const { message, code, path } = brokenBy(kind);
          const answer = kind === "/v1/graphql" ? { errors: [{ message, extensions: { code, path } }] } : { error: message, code, path };
          return response.writeHead(500, { "content-type": "application/json" }).end(JSON.stringify(answer));
        }
        case "gone":
          return request.socket.destroy();
        case "held":
          this.#held.push({ kind, as });
          return this.#waiting.splice(0).forEach((some) => some());
      }
    };
    if (kind) this.kinds.add(kind);
    as(kind ? this.#treat(kind) : "pass");
  }

  #forward(request, response, body) {
    const { method, url, headers } = request;
    const passed = ask(this.target + url, { method, headers, agent: this.#agent }, (answer) => answer.pipe(response.writeHead(answer.statusCode, answer.rawHeaders)));
    passed.on("error", () => request.socket.destroy()).end(body);
    response.on("close", () => passed.destroy()); // an answer may have no end
  }
}
