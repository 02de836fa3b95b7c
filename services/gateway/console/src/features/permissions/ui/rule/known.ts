import { createContext } from "react";
import { variablesIn } from "../../api/roleschema";
import type { MetadataDocument, Source } from "../../../../lib/http/types";

/**
 * Of is what rules are completed from: session variables that are suggested, where any other one can be typed, and all
 * sources.
 */
interface Of {
  variables: string[];
  sources: Source[];
}

/** commonVariables are suggested where the metadata has none yet. */
const commonVariables = ["x-engine-user-id", "x-engine-org-id", "x-engine-allowed-ids"];

/** Known is what the rules below are completed from. */
export const Known = createContext<Of>({ variables: commonVariables, sources: [] });

/** known are the documents that were looked through: one may have many permissions. */
const known = new WeakMap<MetadataDocument, Of>();

/**
 * knownOf is what the rules of a document are completed from: the session variables that others use, and those that are
 * common.
 */
export function knownOf(document: MetadataDocument): Of {
  const found = known.get(document) ?? {
    variables: [...new Set([...variablesIn(document.sources), ...commonVariables])],
    sources: document.sources,
  };
  known.set(document, found);
  return found;
}
