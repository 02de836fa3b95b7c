// Runs the tests of the console over simulated pages, with answers that were recorded from a real server.
import { test } from "vitest";
import { begins, Recorder, recording, recordingOf, Replayer, type Server } from "./exchanges";
import { launch, openURL, url, use } from "./scenario";
import { Time } from "./time";
import { inBrowser, open, tests, within } from "scenarios";

const { fetch: realFetch, Date: RealDate } = globalThis;

async function fetchOf(server: Server, input: unknown, init: RequestInit = {}): Promise<Response> {
  const answer = await server.send(
    {
      method: init.method ?? "GET",
      url: String(input),
      headers: Object.fromEntries(new Headers(init.headers).entries()),
      ...(init.body != null && { body: String(init.body) }),
    },
    true,
  );
  return new Response(answer.body, { status: answer.status, headers: answer.headers });
}

async function scenario(name: string, run: (typeof tests)[string]) {
  if (recording) begins(Number(await (await realFetch(process.env.CONSOLE_RESET!)).text()));
  const recorded = recording ? undefined : recordingOf(name);
  if (!recording && !recorded) throw new Error("there is no recording: make console-record");
  const time = new Time(recorded?.at ?? RealDate.now(), recording);
  const server = recorded ? new Replayer(time, recorded) : new Recorder(time, name);
  use({ time, server });
  let passed = false;
  try {
    // Helpers of tests ask by themselves.
    if (!recording) globalThis.fetch = ((input, init) => fetchOf(server, input, init)) as typeof fetch;
    else
      globalThis.fetch = ((input: string, init) =>
        String(input).startsWith("http://127.0.0.1")
          ? realFetch(input, init)
          : fetchOf(server, input, init)) as typeof fetch;
    globalThis.Date = time.date();
    const browser = await launch();
    const opened = await open(browser, name === "a role that isn't admin" ? openURL : url);
    try {
      await within(run({ ...opened, browser }));
      await opened.check();
      passed = true;
    } catch (e) {
      if (process.env.CONSOLE_TEXT) console.error(opened.page.window?.document.body.textContent?.slice(0, 3000));
      throw server.failure ?? e;
    } finally {
      await opened.close();
    }
  } finally {
    globalThis.fetch = realFetch;
    globalThis.Date = RealDate;
    use(undefined);
    server.end(passed);
  }
}

/**
 * limit is for a test that hangs: time passes in a simulated page by itself, and a busy machine takes a minute for what
 * is a second elsewhere.
 */
const limit = 900_000;

/**
 * part registers each test whose number is one of a part of several. One without a recording runs in a browser instead,
 * see console.mjs.
 */
export function part(number: number, of: number) {
  const only = new RegExp(process.env.ONLY ?? "");
  test.skip("a part without tests is none, for vitest", () => {});
  Object.entries(tests).forEach(([name, run], i) => {
    if (i % of !== number || inBrowser.has(name) || !only.test(name)) return;
    const recorded = recordingOf(name) !== undefined;
    if (recording ? process.env.CONSOLE_RECORD !== "missing" || !recorded : recorded)
      test(name, () => scenario(name, run), limit);
  });
}
