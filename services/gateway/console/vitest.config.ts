import { resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";

/** Where the tests of the console are, which run in a browser, too. */
const scenarios = (process.env.CONSOLE_SCENARIOS ??= resolve(import.meta.dirname, "../../engine/e2e/testdata/console"));
const recording = process.env.CONSOLE_RECORD !== undefined;

export default defineConfig({
  test: {
    pool: "threads",
    isolate: false,
    maxWorkers: recording ? 1 : 2,
    fileParallelism: !recording,
    projects: [
      // Functions, without a page: they take a second or two.
      {
        extends: true,
        test: {
          name: "unit",
          include: ["src/**/*.test.ts", "test/structure.test.ts", "test/style.test.ts"],
          setupFiles: ["test/unit.ts"],
        },
      },
      // The whole console in simulated pages.
      {
        extends: true,
        test: {
          name: "pages",
          include: ["test/scenarios-*.test.ts"],
          globalSetup: ["test/bundle.ts"],
          env: { CONSOLE_SCENARIOS: scenarios },
          alias: [
            {
              find: /^.*\/driver\.mjs$/,
              replacement: fileURLToPath(new URL("test/driver/scenario.ts", import.meta.url)),
            },
            { find: "scenarios", replacement: resolve(scenarios, "scenarios.mjs") },
          ],
        },
      },
    ],
  },
  server: { fs: { strict: false } },
});
