/** Area is an entry of the navigation. An area is added here and in routes.tsx. */
export interface Area {
  path: string;
  name: string;
  /** Words that the command palette finds it by. */
  words: string;
  /** Only who may use the metadata API sees it. */
  admin: boolean;
}

export const areas = [
  { path: "/api", name: "API", words: "graphql query editor explorer subscription explain", admin: false },
] as const satisfies Area[];
