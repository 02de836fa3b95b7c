import { useEffect, useId, useState } from "react";
import { Link } from "@tanstack/react-router";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { Radio, RadioGroup } from "react-aria-components";
import type { MetadataRequest } from "../../../../lib/http/client";
import { prefixOf } from "../../../../lib/http/prefix";
import { useDebounced } from "../../../../lib/debounced";
import { put, type Value } from "../../../../lib/json/path";
import { useServer } from "../../../../lib/session";
import { useEdited } from "../../../../lib/unsaved";
import { Button } from "../../../../ui/button";
import { Failure } from "../../../../ui/failure";
import { icons } from "../../../../ui/icons";
import { Title } from "../../../../ui/title";
import { kindsQuery } from "../../../metadata/api/queries";
import { kindName, proofOf } from "../../model/kinds";
import { addressOf } from "./fields";
import { faultsOf, textOf } from "./health";
import { texts } from "./texts";

/** examples are addresses of the kinds that one text connects; others need the form with all settings. */
const examples: Record<string, string> = {
  postgres: "postgres://user:password@host:5432/database",
  citus: "postgres://user:password@host:5432/database",
  cockroach: "postgres://user:password@host:26257/database",
  mssql: "Server=tcp:host,1433;Database=shop;User Id=engine;Password=…;Encrypt=yes",
  sqlite: "/path/to/file.db",
};

/** checking is the query key of the dry run that checks an address before it is connected. */
const checking = "connecting";

/** Connect is where a new server begins: the kind of a database, its address, and whether it answers. */
export default function Connect(props: { names: string[]; done: (name: string) => void }) {
  const { names, done } = props;
  const server = useServer();
  const client = useQueryClient();
  const id = useId();
  const found = useQuery(kindsQuery(server));
  const [kind, setKind] = useState("postgres");
  const [name, setName] = useState(() => freeName(names));
  const [address, setAddress] = useState("");
  const [shown, setShown] = useState(false);
  useEdited(address, "");
  const request: MetadataRequest = {
    type: `${prefixOf(kind)}_add_source`,
    args: { name: name.trim(), ...put({}, addressOf(kind), address.trim()) } as Value,
  };
  const trial = useDebounced(address.trim() && name.trim() ? JSON.stringify(request) : "");
  const check = useQuery({
    queryKey: [checking, trial],
    enabled: trial !== "",
    retry: false,
    gcTime: 0,
    queryFn: ({ signal }) => server.dryRun(JSON.parse(trial) as MetadataRequest, signal),
  });
  const add = useMutation({
    mutationFn: () => server.change(request),
    onSuccess: async () => {
      setAddress("");
      await client.invalidateQueries({ predicate: (q) => q.queryKey[0] !== checking });
    },
  });
  const { isSuccess } = add;
  // What was typed counts as saved before the page is left.
  useEffect(() => {
    if (isSuccess && address === "") done(name.trim());
  }, [isSuccess, address, done, name]);
  const settled = trial === JSON.stringify(request);
  const [bad] = check.data?.inconsistent_objects.filter((o) => o.name === `source ${name.trim()}`) ?? [];
  const refused = (bad && textOf(bad)) ?? check.data?.refused?.error;
  const fault = faultsOf(kind, add.error ?? check.error)[addressOf(kind)] ?? refused;
  const state = !address
    ? undefined
    : !settled || check.isFetching
      ? { look: "hint", sign: icons.LoaderCircle, text: texts.checking }
      : fault || check.error
        ? { look: "removed", sign: icons.CircleAlert, text: fault ?? (check.error as Error).message }
        : { look: "good", sign: icons.CircleCheck, text: texts.answers };
  return (
    <>
      <Title name="Data" />
      <div className="welcome">
        <h2>{texts.connect}</h2>
        <p className="hint">{texts.connectAbout}</p>
        {found.isLoadingError && <Failure error={found.error} retry={() => void found.refetch()} />}
        <form
          className="form"
          onSubmit={(e) => {
            e.preventDefault();
            if (examples[kind] && address.trim() && !add.isPending) add.mutate();
          }}
        >
          <RadioGroup className="cards" value={kind} onChange={setKind} aria-label={texts.kind}>
            {(found.data ?? [kind]).map((k) => (
              <Radio key={k} value={k} className="card">
                <icons.Database size={18} aria-hidden className="icon" />
                {kindName(k)}
              </Radio>
            ))}
          </RadioGroup>
          {proofOf(kind) && <p className="hint">{proofOf(kind)}</p>}
          {examples[kind] ? (
            <>
              <div className="field wide">
                <label htmlFor={id}>{kind === "sqlite" ? texts.file : texts.address}</label>
                <div className="row value">
                  <input
                    id={id}
                    type={shown || kind === "sqlite" ? "text" : "password"}
                    autoComplete="new-password"
                    spellCheck={false}
                    required
                    placeholder={examples[kind]}
                    aria-invalid={state?.look === "removed" || undefined}
                    aria-describedby={`${id}-state`}
                    value={address}
                    onChange={(e) => setAddress(e.target.value)}
                  />
                  {kind !== "sqlite" && (
                    <Button
                      icon={shown ? icons.EyeOff : icons.Eye}
                      label={shown ? texts.hide : texts.show}
                      onPress={() => setShown(!shown)}
                    />
                  )}
                </div>
                <span className="row" role="status" id={`${id}-state`}>
                  {state && (
                    <span className={`inline ${state.look}`}>
                      <state.sign size={16} aria-hidden className="icon" />
                      {state.text}
                    </span>
                  )}
                </span>
              </div>
              <label className="field">
                {texts.name}
                <input value={name} autoComplete="off" required onChange={(e) => setName(e.target.value)} />
              </label>
              {add.error && <Failure error={add.error} />}
              <div className="row">
                <Button
                  type="submit"
                  look="primary"
                  isPending={add.isPending}
                  isDisabled={!address.trim() || !name.trim()}
                >
                  {texts.connectNow}
                </Button>
                <Link to="/data" search={{ view: "sources" }}>
                  {texts.allSettings}
                </Link>
              </div>
            </>
          ) : (
            <div className="row">
              <Link className="button primary" to="/data" search={{ view: "sources" }}>
                {texts.allSettings}
              </Link>
            </div>
          )}
        </form>
      </div>
    </>
  );
}

/** freeName is a name that no source has. */
function freeName(names: string[]): string {
  if (!names.includes("default")) return "default";
  for (let i = 2; ; i++) if (!names.includes(`database_${i}`)) return `database_${i}`;
}
