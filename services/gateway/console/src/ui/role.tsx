import { useMemo } from "react";
import { useQuery } from "@tanstack/react-query";
import { ComboBox, Input, Label, ListBox, ListBoxItem, Popover } from "react-aria-components";
import { exportQuery } from "../features/metadata/api/queries";
import { rolesOf } from "../features/permissions/model/roles";
import type { RunAs } from "../lib/http/runas";
import { useSession } from "../lib/session";
import { Failure } from "./failure";

/** RolePicker chooses the role that requests run as: one of those in the metadata, or any other name. */
export function RolePicker(props: { as: RunAs; setAs: (as: RunAs) => void; compact?: boolean }) {
  const { session, server } = useSession();
  const metadata = useQuery({ ...exportQuery(server), enabled: session?.admin === true });
  const roles = useMemo(() => (metadata.data ? rolesOf(metadata.data.metadata) : []), [metadata.data]);
  return (
    <>
      <ComboBox
        className={props.compact ? "inline compact" : "inline"}
        allowsCustomValue
        menuTrigger="focus"
        allowsEmptyCollection
        inputValue={props.as.role}
        onInputChange={(role) => props.setAs({ ...props.as, role })}
        items={roles.map((id) => ({ id }))}
      >
        <Label className={props.compact ? "spoken" : undefined}>Run as role</Label>
        <Input placeholder={(props.compact ? "As role: " : "") + (session?.admin ? "admin" : "your own")} />
        <Popover className="popover">
          <ListBox renderEmptyState={() => <span className="hint">No role of the metadata</span>}>
            {(r: { id: string }) => <ListBoxItem>{r.id}</ListBoxItem>}
          </ListBox>
        </Popover>
      </ComboBox>
      {metadata.isLoadingError && <Failure error={metadata.error} retry={() => void metadata.refetch()} />}
    </>
  );
}
