// The tests of the console, as driver/run.ts imports them.
declare module "scenarios" {
  import type { Browser, Context, Page } from "./driver/page";

  export interface Opened {
    page: Page;
    context: Context;
    check: () => Promise<void>;
    close: () => Promise<void>;
  }

  export const tests: Record<string, (o: Opened & { browser: Browser }) => Promise<void>>;
  export const inBrowser: Set<string>;
  export function open(browser: Browser, base?: string): Promise<Opened>;
  export function within(test: Promise<void>): Promise<void>;
}
