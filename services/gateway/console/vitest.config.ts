import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["src/**/*.test.ts", "test/**/*.test.ts"],
    globalSetup: ["test/bundle.ts"],
    pool: "threads",
    maxWorkers: process.env.CONSOLE_RECORD ? 1 : 2,
    fileParallelism: !process.env.CONSOLE_RECORD,
    isolate: false,
    alias: [{ find: /^.*\/driver\.mjs$/, replacement: fileURLToPath(new URL("test/driver/scenario.ts", import.meta.url)) }],
  },
  server: { fs: { strict: false } },
});
