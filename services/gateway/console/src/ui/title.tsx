import { createContext, use, type ReactNode } from "react";
import { createPortal } from "react-dom";

/** TitleSlot is the place of the bar at the top where the page says what it is. */
export const TitleSlot = createContext<HTMLElement | null>(null);

/** Title is the name of the page, with the crumbs that lead to what is open, in the bar at the top. */
export function Title(props: { name: string; children?: ReactNode }) {
  const slot = use(TitleSlot);
  if (!slot) return null;
  return createPortal(
    <>
      <h1>{props.name}</h1>
      {props.children}
    </>,
    slot,
  );
}

/** InBar is what a part of the page has in the bar at the top, behind the title. */
export function InBar(props: { children: ReactNode }) {
  const slot = use(TitleSlot);
  return slot && createPortal(props.children, slot);
}

/** Crumb is one step of what is open. */
export function Crumb(props: { children: ReactNode }) {
  return <span className="crumb">{props.children}</span>;
}
