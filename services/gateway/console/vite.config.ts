import { readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { resolve } from "node:path";
import react from "@vitejs/plugin-react";
import { gzip } from "pako";
import { defineConfig, type Plugin } from "vite";

/** Packs the assets with a library of the lock file, so that the bytes don't depend on the version of Node. */
function pack(): Plugin {
  let directory = "";
  return {
    name: "pack",
    configResolved(config) {
      directory = resolve(config.root, config.build.outDir, config.build.assetsDir);
    },
    closeBundle() {
      for (const name of readdirSync(directory)) {
        const file = resolve(directory, name);
        if (!statSync(file).isFile() || name.endsWith(".gz")) continue;
        const packed = Buffer.from(gzip(readFileSync(file), { level: 9 }));
        packed.writeUInt32LE(0, 4); // no time
        packed.writeUInt8(255, 9); // no system
        writeFileSync(file + ".gz", packed);
        rmSync(file);
      }
    },
  };
}

/** Takes the place of the server, which names the project, or none, in each answer. */
const noProject: Plugin = {
  name: "no-project",
  apply: "serve",
  transformIndexHtml: (html) => html.replace("CONSOLE-PROJECT", ""),
};

export default defineConfig({
  base: "/console/",
  // The server puts a nonce of its own in the place of this, in each answer.
  html: { cspNonce: "CSP-NONCE" },
  plugins: [react(), pack(), noProject],
  build: {
    outDir: process.env.CONSOLE_OUT ?? "../internal/console/dist",
    emptyOutDir: true,
    assetsInlineLimit: 0,
    chunkSizeWarningLimit: 1000,
    modulePreload: { polyfill: false },
    target: "es2023",
    // The licenses of what is bundled: THIRD-PARTY-NOTICES.md has them.
    license: { fileName: "licenses.md" },
  },
  server: {
    proxy: {
      "/v1": { target: process.env.ENGINE ?? "http://localhost:8080", ws: true },
      "/v2": process.env.ENGINE ?? "http://localhost:8080",
    },
  },
});
