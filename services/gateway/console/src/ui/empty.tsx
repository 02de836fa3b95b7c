import type { ReactNode } from "react";
import { Link } from "@tanstack/react-router";

/** Empty stands where there is nothing yet: it says what would be there, and has the way to the first one. */
export function Empty(props: { children: ReactNode; action?: ReactNode }) {
  return (
    <div className="empty">
      <p>{props.children}</p>
      {props.action}
    </div>
  );
}

/** NoSource is what pages show that need a source while there is none. */
export function NoSource(props: { what: string }) {
  return (
    <Empty
      action={
        <Link className="button primary" to="/data" search={{ view: "sources" }}>
          Add a source
        </Link>
      }
    >
      {props.what} There is none yet.
    </Empty>
  );
}
