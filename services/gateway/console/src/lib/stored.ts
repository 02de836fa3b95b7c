import { useEffect, useState, type Dispatch, type SetStateAction } from "react";

/** useStored is a state that outlives the page: in a Storage of the browser, as JSON. */
export function useStored<T>(storage: Storage, key: string, initial: T): [T, Dispatch<SetStateAction<T>>] {
  const [value, setValue] = useState<T>(() => {
    try {
      const text = storage.getItem(key);
      return text === null ? initial : (JSON.parse(text) as T);
    } catch {
      return initial;
    }
  });
  useEffect(() => {
    try {
      storage.setItem(key, JSON.stringify(value));
    } catch {
      // Full or switched off: the state lasts as long as the page.
    }
  }, [storage, key, value]);
  return [value, setValue];
}

/** prefix is what the names of all that the console stores begin with; preferences say only what it looks like. */
const prefix = "query-engine-";
const preferences = ["theme", "page-size", "side", "widths", "asking", "sidebar"].map((name) => prefix + name);

/** forgetStored removes what the browser keeps of a user: headers, operations, statements, and layouts of their tables. */
export function forgetStored() {
  sessionStorage.clear();
  for (const key of Object.keys(localStorage)) {
    if (key.startsWith(prefix) && !preferences.includes(key)) localStorage.removeItem(key);
  }
}
