import { kindName } from "../model/kinds";
import type { RunAs } from "../../../lib/http/runas";
import type { TableInfo } from "../model/tables";

/** Unwritable says why rows can't be written. */
export function Unwritable(props: { kind: string; info: TableInfo; as: RunAs; rights: boolean; keyed: boolean }) {
  const { kind, info, as, rights, keyed } = props;
  if (!info.insertable && !info.updatable && !info.deletable)
    return (
      <p className="hint">
        {info.type === "view" ? "Rows of this view" : `Rows of a ${kindName(kind)} source`} can't be written.
      </p>
    );
  if (!rights) return <p className="hint">{as.role} may not write rows.</p>;
  if (!keyed && (info.updatable || info.deletable))
    return (
      <p className="hint">
        Rows can't be changed or deleted: nothing{as.role && ` that ${as.role} may read`} tells them apart. A primary
        key would, or a unique one without NULL.
      </p>
    );
  return null;
}
