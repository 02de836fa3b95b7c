import { useMemo, useState } from "react";
import { json } from "@codemirror/lang-json";
import { graphqlLanguageSupport } from "cm6-graphql";
import { Button } from "react-aria-components";
import type { MetadataRequest } from "../../api/client";
import type { SetCustomTypesArgs } from "../../api/types";
import { Editor } from "../../editor/editor";
import { useEdited } from "../../edits";
import { Kept } from "../../forms/kept";
import { ConfirmChange } from "../../shell/confirm";
import { read, written } from "./sdl";

/** CustomTypes edits the types of actions as GraphQL, and the relationships of the objects as JSON. */
export function CustomTypes(props: { types: unknown }) {
  const before = (props.types ?? {}) as SetCustomTypesArgs;
  return <Kept value={before}>{(value) => <Edited before={value} />}</Kept>;
}

function Edited(props: { before: SetCustomTypesArgs }) {
  const { before } = props;
  const [sdl, setSDL] = useState(() => written(before));
  const [relationships, setRelationships] = useState(() => JSON.stringify(Object.fromEntries((before.objects ?? []).filter((o) => o.relationships?.length).map((o) => [o.name, o.relationships])), null, 2));
  const [problem, setProblem] = useState<string>();
  const [request, setRequest] = useState<MetadataRequest>();
  const graphql = useMemo(() => graphqlLanguageSupport(), []);
  const language = useMemo(() => json(), []);
  const [beginning] = useState(() => JSON.stringify([sdl, relationships]));
  const { saved } = useEdited(JSON.stringify([sdl, relationships]), beginning);
  const save = () => {
    try {
      const types = read(sdl);
      const given = JSON.parse(relationships.trim() || "{}") as Record<string, NonNullable<SetCustomTypesArgs["objects"]>[number]["relationships"]>;
      for (const name of Object.keys(given)) {
        const object = types.objects?.find((o) => o.name === name);
        if (!object) throw new Error(`There are relationships of ${name}, which isn't a type.`);
        object.relationships = given[name];
      }
      setProblem(undefined);
      setRequest({ type: "set_custom_types", args: types });
    } catch (e) {
      setProblem((e as Error).message);
    }
  };
  return (
    <section className="panel" aria-label="Custom types">
      <p className="hint">Scalars, enums, inputs and objects for arguments and answers of actions. All of them are set at once.</p>
      <div className="editor-half"><Editor label="Types" value={sdl} onChange={setSDL} extensions={graphql} run={save} /></div>
      <h3>Relationships of the objects to tables</h3>
      <div className="short-editor"><Editor label="Relationships as JSON" value={relationships} onChange={setRelationships} extensions={language} run={save} /></div>
      {problem && <p className="removed" role="alert">{problem}</p>}
      <div className="row"><Button className="button primary" onPress={save}>Set the types…</Button></div>
      {request && <ConfirmChange title="Set the types" request={request} close={() => setRequest(undefined)} made={saved} />}
    </section>
  );
}
