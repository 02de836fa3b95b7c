import { useState } from "react";
import { Button, type Look } from "./button";
import type { Icon } from "./icons";

/** Copy copies texts, each by a button of its name, and says what came of it. */
export function Copy(props: { texts: Record<string, () => string>; disabled?: boolean; look?: Look; icon?: Icon }) {
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
        <Button
          key={name}
          look={props.look}
          icon={props.icon}
          isDisabled={props.disabled}
          onPress={() => void copy(text())}
        >
          {name}
        </Button>
      ))}
      <span className="hint" role="status">
        {said}
      </span>
    </>
  );
}
