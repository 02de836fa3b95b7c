import { useState } from "react";
import { Tab, TabList, TabPanel, Tabs } from "react-aria-components";
import { ApiError } from "../lib/http/client";
import { Button, type Look } from "./button";
import { Dropdown } from "./dropdown";
import { Empty } from "./empty";
import { Failure } from "./failure";
import { Grid } from "./grid";
import { icons } from "./icons";
import { Loading } from "./progress";
import { Crumb, Title } from "./title";
import { Toast } from "./toast";
import { Cancel, Window } from "./window";

const looks: Look[] = ["primary", "secondary", "quiet", "danger", "link"];
const colors = [
  "page",
  "panel",
  "field",
  "active",
  "selected",
  "accent",
  "accent-soft",
  "bad",
  "good",
  "warn",
  "line",
  "edge",
];
const sizes = ["small", "code", "body", "title", "page", "hero"];

/**
 * Catalogue shows every component in every state, for those who change the console: /console/components, which the
 * navigation doesn't list.
 */
export function Catalogue() {
  const [opened, setOpened] = useState<"dialog" | "side">();
  const [toast, setToast] = useState<string>();
  return (
    <div className="page">
      <Title name="Components">
        <Crumb>
          <strong>{document.documentElement.dataset.theme ?? "system"}</strong>
        </Crumb>
      </Title>
      <section className="panel" aria-label="Colors">
        <h2>Colors</h2>
        <div className="row">
          {colors.map((c) => (
            <span key={c} className="inline">
              <span className="sample" data-color={c} /> {c}
            </span>
          ))}
        </div>
      </section>
      <section className="panel" aria-label="Type">
        <h2>Type</h2>
        {sizes.map((s) => (
          <span key={s} className="type" data-size={s}>
            {s}: 54 relationships of public.orders
          </span>
        ))}
        <code>code: SELECT 1</code>
      </section>
      <section className="panel" aria-label="Buttons">
        <h2>Buttons</h2>
        {looks.map((look) => (
          <div key={look} className="row">
            <Button look={look}>{look}</Button>
            <Button look={look} icon={icons.Plus}>
              with an icon
            </Button>
            <Button look={look} small>
              small
            </Button>
            <Button look={look} isDisabled>
              disabled
            </Button>
            <Button look={look} isPending>
              pending
            </Button>
            {look !== "link" && <Button look={look} icon={icons.RefreshCw} label={`Refresh, ${look}`} />}
          </div>
        ))}
      </section>
      <section className="panel" aria-label="Toolbar">
        <h2>Toolbar</h2>
        <div className="toolbar">
          <Button look="quiet" icon={icons.ListFilter}>
            Filter
          </Button>
          <Dropdown name="Columns" icon={icons.Columns3}>
            <Button look="quiet">All columns</Button>
          </Dropdown>
          <span className="divider" />
          <Button icon={icons.Plus}>Insert row</Button>
          <span className="hint push">1 to 50 of 350</span>
        </div>
      </section>
      <section className="panel" aria-label="States">
        <h2>States</h2>
        <div className="row">
          <span className="chip">none</span>
          <span className="chip good">Connected</span>
          <span className="chip warn">in part</span>
          <span className="chip bad">failed</span>
          <span className="mark">mark</span>
        </div>
        <Loading what="the tables" />
        <Empty action={<Button look="primary">Add one</Button>}>No event triggers yet.</Empty>
        <Failure error={new ApiError("it broke", "unexpected", "$.args", 500)} retry={() => {}} />
      </section>
      <section className="panel" aria-label="Fields">
        <h2>Fields</h2>
        <div className="field">
          <label htmlFor="catalogue-name">Name</label>
          <input id="catalogue-name" placeholder="placeholder" aria-describedby="catalogue-hint" />
          <span className="hint" id="catalogue-hint">
            A hint.
          </span>
        </div>
        <div className="field">
          <label htmlFor="catalogue-wrong">Webhook</label>
          <input id="catalogue-wrong" aria-invalid defaultValue="htp:/" />
          <span className="removed">This isn't an address.</span>
        </div>
        <div className="row">
          <label className="inline">
            <input type="checkbox" defaultChecked /> checked
          </label>
          <label className="inline">
            <input type="checkbox" disabled /> disabled
          </label>
          <select aria-label="Choice">
            <option>first</option>
            <option>second</option>
          </select>
        </div>
      </section>
      <section className="panel" aria-label="Tabs and tables">
        <Tabs>
          <TabList aria-label="Tabs of the catalogue">
            <Tab id="rows">Rows</Tab>
            <Tab id="more">More</Tab>
          </TabList>
          <TabPanel id="rows">
            <Grid
              label="Table"
              columns={["name", "type", "nullable"]}
              rows={[
                ["id", "integer", "no"],
                ["title", "text", null],
              ]}
            />
          </TabPanel>
          <TabPanel id="more">Nothing more.</TabPanel>
        </Tabs>
      </section>
      <section className="panel" aria-label="Above the page">
        <h2>Above the page</h2>
        <div className="row">
          <Button onPress={() => setOpened("dialog")}>Dialog</Button>
          <Button onPress={() => setOpened("side")}>Side panel</Button>
          <Button onPress={() => setToast(`${Date.now()}`)}>Toast</Button>
        </div>
        <Toast label="A toast" id={toast} close={() => setToast(undefined)}>
          <p>30 tables tracked</p>
          <Button small icon={icons.Undo2}>
            Undo
          </Button>
        </Toast>
      </section>
      {opened && (
        <Window
          title={opened === "side" ? "Side panel" : "Dialog"}
          side={opened === "side"}
          close={() => setOpened(undefined)}
        >
          <p>It says in words what will happen.</p>
          <div className="row">
            <Button look="primary" onPress={() => setOpened(undefined)}>
              Save
            </Button>
            <Cancel />
          </div>
        </Window>
      )}
    </div>
  );
}
