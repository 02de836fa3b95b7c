/** The texts of what a browser keeps. */
export const texts = {
  browser: "This browser",
  ask: "Confirm changes of the metadata",
  weight: "Only those that remove something or allow more",
  always: "All, with what differs",
  hint: "Other changes are made at once, and can be undone.",
};
