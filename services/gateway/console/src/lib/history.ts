/** Ran is something that was run, and when. */
export interface Ran {
  id: string;
  /** Unset for those of earlier versions. */
  at?: number;
  /** Kept when others go. */
  kept?: boolean;
}

/** keptRuns bounds a history; runs that are kept on purpose count, too. */
const keptRuns = 50;

/** withRun is a history with one more run; what is the same is there once. */
export function withRun<T extends Ran>(past: T[], run: T, same: (a: T, b: T) => boolean): T[] {
  const before = past.find((p) => same(p, run));
  const list = [
    { ...run, id: crypto.randomUUID(), at: Date.now(), kept: before?.kept },
    ...past.filter((p) => p !== before),
  ];
  let free = keptRuns - list.filter((p) => p.kept).length;
  return list.filter((p) => p.kept || free-- > 0).slice(0, keptRuns);
}
