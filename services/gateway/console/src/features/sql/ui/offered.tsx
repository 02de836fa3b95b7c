import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { prefixOf } from "../../../lib/http/prefix";
import type { Source } from "../../../lib/http/types";
import { useServer } from "../../../lib/session";
import { Button } from "../../../ui/button";
import { Failure } from "../../../ui/failure";
import { icons } from "../../../ui/icons";
import { tablesQuery } from "../../data/api/tables";
import { display, keyOf, schemaOf } from "../../data/model/tables";
import type { Created } from "../model/created";
import { texts } from "./texts";

/** Offered offers to track what statements have created, as long as it isn't. */
export function Offered(props: { source: Source; created: Created[] }) {
  const { source, created } = props;
  const server = useServer();
  const client = useQueryClient();
  const found = useQuery(tablesQuery(server, source));
  const tracked = new Set(source.tables.map((t) => keyOf(t.table)));
  const names = (found.data ?? []).filter(
    (n) =>
      !tracked.has(keyOf(n)) &&
      created.some((c) => c.name === n.name && (c.schema === undefined || c.schema === schemaOf(n))),
  );
  const track = useMutation({
    mutationFn: () =>
      server.change({
        type: "bulk",
        args: names.map((table) => ({
          type: `${prefixOf(source.kind)}_track_table`,
          args: { source: source.name, table },
        })),
      }),
    onSettled: () => client.invalidateQueries({ queryKey: ["metadata"] }),
  });
  if (names.length === 0) return track.error ? <Failure error={track.error} /> : null;
  return (
    <div className="toolbar offer" role="group" aria-label={texts.offer}>
      <span>{texts.untracked(names.map(display).join(", "), names.length)}</span>
      <Button look="primary" small icon={icons.Plus} isPending={track.isPending} onPress={() => track.mutate()}>
        {texts.track}
      </Button>
      {track.error && <Failure error={track.error} />}
    </div>
  );
}
