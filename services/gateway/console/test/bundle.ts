// Builds the console as one script, which simulated pages run.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import react from "@vitejs/plugin-react";
import { build, type Rollup } from "vite";

export default async function setup() {
  if (process.env.CONSOLE_BUNDLE) return undefined; // made before
  const before = process.env.NODE_ENV;
  process.env.NODE_ENV = "production"; // vitest's own makes a bundle for development
  const made = (await build({
    root: new URL("..", import.meta.url).pathname,
    configFile: false,
    logLevel: "error",
    mode: "production",
    base: "/console/",
    define: { "process.env.NODE_ENV": '"production"' },
    plugins: [react()],
    build: {
      write: false,
      minify: false,
      modulePreload: false,
      target: "es2023",
      rollupOptions: {
        input: "src/main.tsx",
        transform: { define: { "import.meta": "{}" } },
        output: { format: "iife", codeSplitting: false },
      },
    },
  } as object)) as Rollup.RollupOutput | Rollup.RollupOutput[];
  process.env.NODE_ENV = before;
  const { output } = Array.isArray(made) ? made[0]! : made;
  const directory = mkdtempSync(join(tmpdir(), "console-"));
  process.env.CONSOLE_BUNDLE = join(directory, "console.js");
  writeFileSync(process.env.CONSOLE_BUNDLE, output.find((o) => o.type === "chunk")!.code);
  return () => rmSync(directory, { recursive: true });
}
