// The place of driver.mjs, by which the tests of the console use a simulated browser instead of a real one.
import type { IncomingMessage, ServerResponse } from "node:http";
import { engine, secret as given, type Server } from "./exchanges";
import { areas } from "../../src/app/areas";
import { Browser, type Page } from "./page";
import type { Time } from "./time";

export const [url, secret, openURL, remoteURL] = [engine, given, "http://open.test", "http://remote.test"];
export const others = {
  postgres: "postgres://somebody:a-password@postgres.test/other",
  sqlite: "/sqlite.test/library.db",
  mssql: "sqlserver://mssql.test",
  bigquery: "http://bigquery.test",
  project: "a-project",
};

let current: { time: Time; server: Server } | undefined;

export function use(scope: typeof current) {
  current = scope;
}

function now() {
  if (!current) throw new Error("no scenario runs");
  return current;
}

export const launch = async () => new Browser(now());

/** pause waits for a moment. */
export async function pause() {
  const { time, server } = now();
  if (server.failure) throw server.failure;
  if (!(await time.due())) await time.pass(time.now() + 1_000);
}

/** serve has somebody answer requests at the address that use is given. */
export async function serve(
  handler: (q: IncomingMessage, s: ServerResponse) => void,
  run: (address: string) => Promise<void>,
) {
  const { address, close } = await now().server.listen(handler);
  try {
    await run(address);
  } finally {
    close();
  }
}

export async function axeOf() {}

/**
 * signIn has a page begin signed in; it is opened when it is needed, at its first address. How one signs in is the
 * matter of a test of its own.
 */
export async function signIn(page: Page, base = url) {
  page.signedIn(`${base}/console`, given);
}

/** area opens an area by the navigation, or at its address where the page isn't open yet. */
export async function area(page: Page, name: string) {
  const address = areas.find((a) => a.name === name)!.path;
  if (page.waits) await page.goto(`${url}/console${address}`);
  else await page.getByRole("navigation", { name: "Areas" }).getByRole("link", { name, exact: true }).click();
  await page.getByRole("heading", { name, exact: true }).waitFor();
}
