// The rules of the console's source. Prettier lays it out, tsc checks its types, and test/structure.test.ts looks for
// import cycles, so no rule here does.
import js from "@eslint/js";
import a11y from "eslint-plugin-jsx-a11y";
import hooks from "eslint-plugin-react-hooks";
import { defineConfig } from "eslint/config";
import ts from "typescript-eslint";

/** refuse returns the rule that files import nothing whose path matches an expression. */
const refuse = (files, regex, message) => ({
  files,
  rules: { "no-restricted-imports": ["error", { patterns: [{ regex, message }] }] },
});

export default defineConfig(
  { ignores: ["src/lib/http/types.ts"] },
  { linterOptions: { reportUnusedDisableDirectives: "error" } },
  js.configs.recommended,
  ts.configs.recommended,
  {
    rules: {
      // A name that begins with _ is left out on purpose.
      "@typescript-eslint/no-unused-vars": ["error", { varsIgnorePattern: "^_", argsIgnorePattern: "^_" }],
      "@typescript-eslint/consistent-type-imports": "error",
      eqeqeq: ["error", "always", { null: "ignore" }],
    },
  },
  {
    files: ["src/**/*.{ts,tsx}"],
    plugins: { "react-hooks": hooks },
    extends: [a11y.flatConfigs.recommended],
    rules: {
      // The plugin's other rules run React's compiler, which takes a minute and isn't part of the build.
      "react-hooks/rules-of-hooks": "error",
      "react-hooks/exhaustive-deps": "error",
      // Dialogs and cells that open put the focus into themselves, as WCAG wants it.
      "jsx-a11y/no-autofocus": ["error", { ignoreNonDOM: true }],
      // What scrolls has to be reached by keys.
      "jsx-a11y/no-noninteractive-tabindex": ["error", { tags: ["pre"], roles: ["tabpanel", "group"] }],
    },
  },
  {
    // These grids keep the focus and take all keys themselves (aria-activedescendant), so their cells don't.
    files: ["src/ui/datagrid.tsx", "src/features/permissions/ui/matrix.tsx"],
    rules: { "jsx-a11y/click-events-have-key-events": "off", "jsx-a11y/interactive-supports-focus": "off" },
  },
  // lib knows no area, api and model have no components, and the app alone knows all areas.
  refuse(["src/lib/**"], "/(app|ui|features)/", "lib imports lib alone."),
  refuse(["src/features/*/{api,model}/**"], "/(app|ui)/", "api and model import no components."),
  refuse(["src/ui/**"], "/app/|/features/\\w+/ui/", "Shared components import no area's components."),
  refuse(["src/features/*/ui/**"], "/app/", "Areas don't import the app."),
  { files: ["*.mjs"], languageOptions: { globals: { process: "readonly" } } },
);
