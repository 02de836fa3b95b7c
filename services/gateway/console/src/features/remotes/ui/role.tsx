import { useMemo, useState } from "react";
import { useMutation, useQuery } from "@tanstack/react-query";
import { graphqlLanguageSupport } from "cm6-graphql";
import { ApiError } from "../../../lib/http/client";
import { remoteQuery } from "../api/remotes";
import type { RemoteSchema } from "../../../lib/http/types";
import { Editor } from "../../../ui/editor";
import { useEdited } from "../../../lib/unsaved";
import { Kept } from "../../../ui/forms/kept";
import { useServer } from "../../../lib/session";
import { Button } from "../../../ui/button";
import { useConfirm } from "../../../ui/confirm";
import { Failure } from "../../../ui/failure";
import { Loading } from "../../../ui/progress";
import { rootsOf, spelled, typesIn, type Types } from "../model/part";
import { Tree } from "./tree";

/**
 * RemoteRole edits which part of a remote schema a role sees: as a tree of types and fields, and as GraphQL next to it.
 */
export default function RemoteRole(props: { remote: RemoteSchema; role: string }) {
  const { remote, role } = props;
  const sdl = useQuery(remoteQuery(useServer(), remote.name));
  if (sdl.isPending) return <Loading what="the schema" />;
  if (sdl.isLoadingError) return <Failure error={sdl.error} retry={() => void sdl.refetch()} />;
  const own = remote.permissions?.find((p) => p.role === role);
  return (
    <Kept value={own?.definition.schema}>
      {(schema) => <Part remote={remote.name} role={role} sdl={sdl.data.sdl} own={schema} comment={own?.comment} />}
    </Kept>
  );
}

function Part(props: {
  remote: string;
  role: string;
  sdl: string;
  own: string | undefined;
  comment: string | undefined;
}) {
  const { remote, role, sdl, own, comment } = props;
  const server = useServer();
  const [text, setText] = useState(own ?? sdl);
  const { saved } = useEdited(text, own ?? sdl);
  const { confirm, dialog } = useConfirm();
  const graphql = useMemo(() => graphqlLanguageSupport(), []);
  const whole = useMemo(() => typesIn(sdl), [sdl]);
  const roots = useMemo(() => rootsOf(sdl), [sdl]);
  const [part, fault] = useMemo<[Types | undefined, string?]>(() => {
    if (!text.trim()) return [new Map()];
    try {
      return [typesIn(text)];
    } catch (e) {
      return [undefined, (e as Error).message];
    }
  }, [text]);
  const add = {
    type: "add_remote_schema_permissions",
    args: { remote_schema: remote, role, definition: { schema: text }, comment },
  };
  const drop = { type: "drop_remote_schema_permissions", args: { remote_schema: remote, role } };
  const request = own === undefined ? add : { type: "bulk", args: [drop, add] };
  const save = useMutation({
    mutationFn: async () => {
      const { refused } = await server.dryRun(request);
      if (refused) throw new ApiError(refused.error, refused.code, refused.path, 200); // shown below the text
      confirm({ title: "Set the permission", request, made: saved });
    },
  });
  return (
    <>
      <p className="hint">
        Presets of arguments are written as GraphQL, as in <code>id: Int @preset(value: "x-engine-user-id")</code>.
      </p>
      <div className="rule-both">
        {part ? (
          <Tree
            whole={whole}
            part={part}
            roots={roots}
            change={(to) => setText(to.size > 0 ? spelled(to, whole, sdl) : "")}
          />
        ) : (
          <p className="hint">The tree is shown when the text can be read.</p>
        )}
        <div className="page">
          <div className="editor-half">
            <Editor
              label="Schema of the role"
              value={text}
              onChange={setText}
              extensions={graphql}
              run={() => save.mutate()}
            />
          </div>
          {fault && (
            <span className="removed" role="alert">
              {fault}
            </span>
          )}
          {save.error && <Failure error={save.error} />}
          <div className="row">
            <Button look="primary" isPending={save.isPending} isDisabled={!part} onPress={() => save.mutate()}>
              Set the permission…
            </Button>
          </div>
        </div>
      </div>
      {dialog}
    </>
  );
}
