import { useState } from "react";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { GridList, GridListItem, ListLayout, Virtualizer, type Selection } from "react-aria-components";

import { prefixOf } from "../../../lib/http/prefix";
import { relationshipFor, suggestionsQuery } from "../api/tables";
import type { Source } from "../../../lib/http/types";
import { useServer } from "../../../lib/session";
import { Button } from "../../../ui/button";
import { display } from "../model/tables";
import { Failure } from "../../../ui/failure";

const layout = { rowHeight: 28 };

/** Suggestions are the relationships that the foreign keys of a source suggest, and that aren't there yet. */
export function Suggestions(props: { source: Source }) {
  const { source } = props;
  const server = useServer();
  const client = useQueryClient();
  const [selected, setSelected] = useState<Selection>("all");
  const found = useQuery(suggestionsQuery(server, source));
  const items = (found.data?.relationships ?? []).map((s) => {
    const request = relationshipFor(prefixOf(source.kind), source.name, s);
    const text = `${display(s.from.table)}.${request.args.name}`;
    return {
      id: JSON.stringify(s),
      request,
      text,
      to: `${s.type === "array" ? "array · " : "object · "}${display(s.to.table)}`,
    };
  });
  const chosen = selected === "all" ? items : items.filter((i) => selected.has(i.id));
  const add = useMutation({
    mutationFn: () => server.change({ type: "bulk", args: chosen.map((i) => i.request) }),
    onSettled: () => client.invalidateQueries({ queryKey: ["metadata"] }),
  });
  return (
    <div className="page">
      {found.isLoadingError && <Failure error={found.error} retry={() => void found.refetch()} />}
      {add.error && <Failure error={add.error} />}
      <Virtualizer layout={ListLayout} layoutOptions={layout}>
        <GridList
          aria-label="Suggested relationships"
          className="list"
          items={items}
          selectionMode="multiple"
          selectedKeys={selected}
          onSelectionChange={setSelected}
          renderEmptyState={() => (
            <span className="hint">
              {found.isPending ? "Loading…" : "None: all foreign keys between tracked tables have theirs."}
            </span>
          )}
        >
          {(i) => (
            <GridListItem textValue={i.text}>
              <span>{i.text}</span>
              <small>{i.to}</small>
            </GridListItem>
          )}
        </GridList>
      </Virtualizer>
      <Button look="primary" isPending={add.isPending} isDisabled={!chosen.length} onPress={() => add.mutate()}>
        Add {chosen.length}
      </Button>
    </div>
  );
}
