/** The texts of the SQL page around its editor. */
export const texts = {
  tools: "Statement tools",
  offer: "Tables to track",
  untracked: (names: string, count: number) => `${names} ${count === 1 ? "isn't" : "aren't"} part of the API yet.`,
  track: "Track",
};
