/** The texts of the API page around its editors. */
export const texts = {
  tools: "Operation tools",
  run: "Run",
  running: "Running…",
  operation: "Operation",
  stop: "Stop",
  explain: "Explain",
  prettify: "Prettify",
  inlineFragments: "Inline fragments",
  save: "Save…",
  copyLink: "Copy link",
  shortcuts: "Shortcuts",
  newTab: "New tab",
  closeTab: "Close tab",
  connect: "Connect a database",
  nothingYet: "This API has no queries yet: its tables come from databases that you connect.",
};
