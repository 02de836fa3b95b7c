import { useEffect, useState } from "react";

/** pause is how long somebody doesn't type who waits for an answer, in ms. */
const pause = 300;

/** useSettled is a text once it stays what it is, so that not each letter of it is asked for. */
export function useSettled(text: string): string {
  const [settled, setSettled] = useState(text);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(text), pause);
    return () => clearTimeout(timer);
  }, [text]);
  return settled;
}
