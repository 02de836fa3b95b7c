import { useEffect, useState } from "react";

/** debounceMs is how long a text has to stay the same before it is used. */
const debounceMs = 300;

/** useDebounced returns a text once nobody has typed in it for a while, so that not each letter causes a request. */
export function useDebounced(text: string): string {
  const [debounced, setDebounced] = useState(text);
  useEffect(() => {
    const timer = setTimeout(() => setDebounced(text), debounceMs);
    return () => clearTimeout(timer);
  }, [text]);
  return debounced;
}
