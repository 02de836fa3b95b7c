/** The texts of the assistants' page. */
export const texts = {
  role: "Choose a role. Assistants are never admin.",
  off: "Assistants are off. Restart the engine with this option.",
  option: "--enable-mcp",
  copyOption: "Copy the option",
  none: "This role is offered no tools. Mark documents with tool.",
  others: "Not offered to this role:",
  choose: "Choose a tool to see its arguments and try it.",
  noArguments: "It has no arguments.",
  notObject: "Arguments are a JSON object.",
  real: "Calls are real: this tool may change rows.",
  noSchema: "Assistants get no schema: --mcp-discovery doesn't list resources.",
  promptsOff: "Assistants get no prompts: --mcp-discovery doesn't list prompts.",
  noPrompts: "No prompts yet. Query collections have them.",
  everyRole: "Every role gets all prompts.",
  token: "Replace TOKEN with a token of the assistant's role.",
  openRole: "The engine has no admin secret: clients name their role.",
};
