import react from "@vitejs/plugin-react";
import { defineConfig, type Plugin } from "vite";

/** Takes the place of the server, which names the project, or none, in each answer. */
const noProject: Plugin = {
  name: "no-project",
  apply: "serve",
  transformIndexHtml: (html) => html.replace("CONSOLE-PROJECT", ""),
};

export default defineConfig({
  base: "/console/",
  // The server puts a nonce of its own instead of this, in each answer.
  html: { cspNonce: "CSP-NONCE" },
  plugins: [react(), noProject],
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
