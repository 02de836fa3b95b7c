import { useState } from "react";
import { Button } from "./button";

/** Copy copies texts, each by a button of its name, and says what came of it. */
export function Copy(props: { texts: Record<string, () => string>; disabled?: boolean }) {
  const [said, setSaid] = useState("");
  const copy = async (text: string) => {
    try {
      await navigator.clipboard.writeText(text);
      setSaid("Copied");
    } catch {
      setSaid("The browser doesn't let this page copy.");
    }
  };
  return (
    <>
      {Object.entries(props.texts).map(([name, text]) => (
        <Button key={name} className="button" isDisabled={props.disabled} onPress={() => void copy(text())}>
          {name}
        </Button>
      ))}
      <span className="hint" role="status">
        {said}
      </span>
    </>
  );
}
