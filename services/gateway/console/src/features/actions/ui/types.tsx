import { useMemo, useState } from "react";
import { graphqlLanguageSupport } from "cm6-graphql";
import type { MetadataRequest } from "../../../lib/http/client";
import type { MetadataDocument, ObjectType, SetCustomTypesArgs } from "../../../lib/http/types";
import { Editor } from "../../../ui/editor";
import { useConfirmLeave, useEdited } from "../../../lib/unsaved";
import { Kept } from "../../../ui/forms/kept";
import { ConfirmChange } from "../../../ui/confirm";
import { byType, relatedOf, Relationships } from "./relationships";
import { read, written } from "../model/sdl";
import { Button } from "../../../ui/button";

/** CustomTypes edits the types of actions as GraphQL, and the relationships of the objects by a form or as JSON. */
export function CustomTypes(props: { document: MetadataDocument }) {
  const { document } = props;
  const before = (document.custom_types ?? {}) as SetCustomTypesArgs;
  return <Kept value={before}>{(value) => <Edited before={value} document={document} />}</Kept>;
}

function Edited(props: { before: SetCustomTypesArgs; document: MetadataDocument }) {
  const { before, document } = props;
  const [sdl, setSDL] = useState(() => written(before));
  const [related, setRelated] = useState(() => relatedOf(before.objects ?? []));
  const [broken, setBroken] = useState<string>();
  const [problem, setProblem] = useState<string>();
  const { value: request, set: setRequest, close } = useConfirmLeave<MetadataRequest | undefined>(undefined);
  const graphql = useMemo(() => graphqlLanguageSupport(), []);
  const objects = useMemo(() => readable(sdl), [sdl]);
  const now = JSON.stringify([sdl, byType(related), broken]);
  const [beginning] = useState(now);
  const { saved } = useEdited(now, beginning);
  const save = () => {
    try {
      const types = read(sdl);
      if (broken !== undefined) throw new Error("The relationships can't be read.");
      for (const [name, list] of Object.entries(byType(related))) {
        const object = types.objects?.find((o) => o.name === name);
        if (!object)
          throw new Error(
            name
              ? `There are relationships of ${name}, which isn't a type.`
              : "There is a relationship without an object type.",
          );
        object.relationships = list as unknown as ObjectType["relationships"];
      }
      setProblem(undefined);
      setRequest({ type: "set_custom_types", args: types });
    } catch (e) {
      setProblem((e as Error).message);
    }
  };
  return (
    <section className="panel" aria-label="Custom types">
      <p className="hint">
        Scalars, enums, inputs and objects for arguments and answers of actions. All of them are set at once.
      </p>
      <div className="editor-half">
        <Editor label="Types" value={sdl} onChange={setSDL} extensions={graphql} run={save} />
      </div>
      <h3>Relationships of the objects to tables</h3>
      <Relationships
        document={document}
        objects={objects}
        value={related}
        change={setRelated}
        broken={setBroken}
        run={save}
      />
      {problem && (
        <p className="removed" role="alert">
          {problem}
        </p>
      )}
      <div className="row">
        <Button look="primary" onPress={save}>
          Set the types…
        </Button>
      </div>
      {request && <ConfirmChange title="Set the types" request={request} close={close} made={saved} />}
    </section>
  );
}

/** readable are the objects that a text defines, undefined while it can't be read. */
function readable(sdl: string): ObjectType[] | undefined {
  try {
    return read(sdl).objects;
  } catch {
    return undefined;
  }
}
