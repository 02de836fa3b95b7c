import { useState } from "react";
import { Tabs as AnyTabs, type TabsProps } from "react-aria-components";
import { FormScope, leave, useEdits } from "../lib/unsaved";

/** Tabs ask before a panel with unsaved edits is left. They begin with the first, or are where an address says. */
export function Tabs(props: Omit<TabsProps, "defaultSelectedKey"> & { first?: string }) {
  const { first, selectedKey, onSelectionChange, ...rest } = props;
  const [own, setOwn] = useState<TabsProps["selectedKey"]>(first);
  const edits = useEdits();
  const shown = selectedKey ?? own;
  return (
    <FormScope value={edits}>
      <AnyTabs
        {...rest}
        selectedKey={shown}
        onSelectionChange={(key) => {
          if (key === shown) return;
          leave(edits, () => {
            setOwn(key);
            onSelectionChange?.(key);
          });
        }}
      />
    </FormScope>
  );
}
