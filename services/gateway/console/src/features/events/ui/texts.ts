/** The texts of a table's events. */
export const texts = {
  newTrigger: "New event trigger",
  triggers: "Event triggers of the table",
  noTriggers: "No event triggers yet. One calls a webhook for each changed row.",
  on: "On",
  manual: "Manual",
};
