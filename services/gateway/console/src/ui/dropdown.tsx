import { useRef, useState, type ReactNode } from "react";
import { Dialog, Popover } from "react-aria-components";

import { Button, type Look } from "./button";
import type { Icon } from "./icons";

/** Dropdown is a button that opens what there is no room for: controls in a panel below it, which the page stays next to. */
export function Dropdown(props: {
  name: string;
  icon?: Icon;
  look?: Look;
  /** Without its name, which the pointer shows. */
  iconOnly?: boolean;
  isDisabled?: boolean;
  children: ReactNode | ((close: () => void) => ReactNode);
}) {
  const { name, icon, look = "quiet", iconOnly, isDisabled, children } = props;
  const [open, setOpen] = useState(false);
  const trigger = useRef<HTMLButtonElement>(null);
  return (
    <>
      <Button
        ref={trigger}
        look={look}
        icon={icon}
        label={iconOnly ? name : undefined}
        isDisabled={isDisabled}
        aria-haspopup="dialog"
        aria-expanded={open}
        onPress={() => setOpen(!open)}
      >
        {iconOnly ? undefined : name}
      </Button>
      <Popover
        className="popover"
        triggerRef={trigger}
        isNonModal
        isOpen={open}
        onOpenChange={setOpen}
        placement="bottom start"
      >
        <Dialog className="popover-menu" aria-label={name}>
          {typeof children === "function" ? children(() => setOpen(false)) : children}
        </Dialog>
      </Popover>
    </>
  );
}
