import { ApiError } from "./http/client";

/**
 * ChunkError is that a part of the console can't be loaded: there is no server, or one of another version, whose parts
 * have other names.
 */
export class ChunkError extends ApiError {
  constructor() {
    super(
      "This page can't be loaded: the server can't be reached, or it has another version by now.",
      "unreachable",
      undefined,
      0,
    );
  }
}

/**
 * chunk loads a part of the console. Browsers remember what failed, so that only loading the whole page tries again.
 */
export function chunk<T>(load: () => Promise<T>): () => Promise<T> {
  return () =>
    load().catch(() => {
      throw new ChunkError();
    });
}
