import { useEffect, useState } from "react";
import { Link, Outlet, useLocation } from "@tanstack/react-router";
import { useQuery } from "@tanstack/react-query";
import { Dialog, Modal, ModalOverlay } from "react-aria-components";

import { areas, groups, type Area } from "./areas";
import { get } from "../lib/http/client";
import { leave, pageEdits } from "../lib/unsaved";
import { project } from "../lib/http/project";
import { useSession } from "../lib/session";
import { useStored } from "../lib/stored";
import { useFollowing } from "../features/metadata/model/following";
import { Button } from "../ui/button";
import { icons } from "../ui/icons";
import { Keys } from "../ui/keys";
import { Logo } from "../ui/logo";
import { Progress } from "../ui/progress";
import { TitleSlot } from "../ui/title";
import { Toasts } from "../ui/toast";
import { Ended } from "./ended";
import { Palette } from "./palette";
import { StaleNotice } from "./stale";
import { texts } from "./texts";
import { UndoNotice } from "./undo";
import { Unsaved } from "./unsaved";
import { ProjectNotice } from "./projectnotice";

type Theme = "system" | "light" | "dark";
const nextTheme: Record<Theme, Theme> = { system: "light", light: "dark", dark: "system" };
const themeIcons = { system: icons.SunMoon, light: icons.Sun, dark: icons.Moon };

/** wide is the width in px from which the sidebar has words, unless the user chose. */
const wide = 1200;

/** Shell is what all pages have around them. */
export function Shell() {
  const { session, signOut } = useSession();
  const [palette, setPalette] = useState(false);
  const [keys, setKeys] = useState(false);
  const [drawer, setDrawer] = useState(false);
  const [slot, setSlot] = useState<HTMLElement | null>(null);
  const [folded, setFolded] = useStored<boolean | null>(localStorage, "query-engine-sidebar", null);
  const [theme, setTheme] = useStored<Theme>(localStorage, "query-engine-theme", "system");
  useFollowing();
  const { pathname, search } = useLocation();
  const version = useQuery({
    queryKey: ["version"],
    staleTime: Infinity,
    queryFn: ({ signal }) => get<{ version: string }>("/v1/version", session!.credentials, signal),
  });
  const shown = areas.filter((a) => session?.admin || !a.admin);
  const area = areas.find((a) => pathname.startsWith(a.path));
  const narrow = folded ?? window.innerWidth < wide;

  useEffect(() => {
    if (theme === "system") delete document.documentElement.dataset.theme;
    else document.documentElement.dataset.theme = theme;
  }, [theme]);
  useEffect(() => {
    document.title = [nameIn(search as Record<string, unknown>), area?.name, texts.product].filter(Boolean).join(" · ");
  }, [area, search]);
  useEffect(() => {
    const listen = (e: KeyboardEvent) => {
      if ((e.ctrlKey || e.metaKey) && e.key.toLowerCase() === "k") {
        e.preventDefault();
        setPalette(true);
      }
      if (e.key === "?" && !e.ctrlKey && !e.altKey && !e.metaKey && !isTyping()) setKeys(true);
    };
    window.addEventListener("keydown", listen);
    return () => window.removeEventListener("keydown", listen);
  }, []);

  return (
    <div className="shell" data-narrow={narrow || undefined}>
      <a className="skip" href="#content">
        {texts.skip}
      </a>
      <Progress />
      <div className="sidebar">
        <Brand />
        <Areas shown={shown} hints={narrow} />
        <div className="sidebar-foot">
          <span className="name">{version.data?.version}</span>
          <Button
            look="quiet"
            small
            icon={icons.PanelLeft}
            label={narrow ? texts.unfold : texts.fold}
            aria-expanded={!narrow}
            onPress={() => setFolded(!narrow)}
          />
        </div>
      </div>
      <div className="frame">
        <header className="topbar">
          <Button
            look="quiet"
            className="menu-button"
            icon={icons.Menu}
            label={texts.openMenu}
            onPress={() => setDrawer(true)}
          />
          <div className="crumbs" ref={setSlot} />
          {project && (
            <span className="project" title={project.directory}>
              {texts.project(project.directory.split(/[\\/]/).pop()!)}
            </span>
          )}
          <Button look="quiet" icon={icons.Search} onPress={() => setPalette(true)} aria-keyshortcuts="Control+K">
            <span className="label">{texts.search}</span> <kbd>Ctrl K</kbd>
          </Button>
          <Button
            look="quiet"
            className="for-keys"
            icon={icons.CircleHelp}
            label={texts.keys}
            onPress={() => setKeys(true)}
            aria-keyshortcuts="?"
          />
          <Button
            look="quiet"
            icon={themeIcons[theme]}
            label={texts.theme(theme)}
            onPress={() => setTheme(nextTheme[theme])}
          />
          {!project &&
            (session?.credentials.kind === "none" ? (
              <Button look="quiet" icon={icons.LogIn} label={texts.signIn} onPress={() => leave(pageEdits, signOut)} />
            ) : (
              <Button
                look="quiet"
                icon={icons.LogOut}
                label={texts.signOut}
                onPress={() => leave(pageEdits, signOut)}
              />
            ))}
        </header>
        {project && <ProjectNotice />}
        <main id="content" tabIndex={-1}>
          <TitleSlot value={slot}>
            {session?.admin === false && area?.admin ? <h1>{texts.forAdmin}</h1> : <Outlet />}
          </TitleSlot>
        </main>
        <StaleNotice />
      </div>
      <Toasts>{session?.admin && <UndoNotice />}</Toasts>
      <Unsaved />
      {!project && <Ended />}
      {drawer && (
        <ModalOverlay className="overlay for-drawer" isOpen isDismissable onOpenChange={setDrawer}>
          <Modal className="drawer">
            <Dialog className="sidebar" aria-label={texts.menu}>
              <Brand />
              <Areas shown={shown} opened={() => setDrawer(false)} />
            </Dialog>
          </Modal>
        </ModalOverlay>
      )}
      {keys && <Keys close={() => setKeys(false)} />}
      {palette && <Palette areas={shown} close={() => setPalette(false)} />}
    </div>
  );
}

function Brand() {
  return (
    <div className="brand">
      <Logo />
      <span className="name">{texts.product}</span>
    </div>
  );
}

/** Areas are the pages by their groups; hints are their names for the pointer, where only signs are shown. */
function Areas(props: { shown: Area[]; hints?: boolean; opened?: () => void }) {
  const { shown, hints, opened } = props;
  return (
    <nav className="areas" aria-label={texts.areas}>
      {groups.map((group) => {
        const list = shown.filter((a) => a.group === group);
        if (list.length === 0) return null;
        return (
          <div key={group}>
            <div className="areas-title">{group}</div>
            <ul>
              {list.map(({ path, name, icon: Sign }) => (
                <li key={path}>
                  <Link
                    to={path}
                    className="area"
                    activeProps={{ "aria-current": "page" }}
                    title={hints ? name : undefined}
                    onClick={opened}
                  >
                    <Sign size={18} aria-hidden className="icon" />
                    <span className="name">{name}</span>
                  </Link>
                </li>
              ))}
            </ul>
          </div>
        );
      })}
    </nav>
  );
}

/** nameIn is the object that an address names. */
function nameIn(search: Record<string, unknown>): string | undefined {
  const name = search.table ?? search.function ?? search.name ?? search.role;
  return name === undefined ? undefined : String(name);
}

/**
 * isTyping reports whether keys are text for a field or an editor. What has the focus is asked: fields with a list send
 * the list what is typed, too.
 */
function isTyping(): boolean {
  const focused = document.activeElement;
  return focused instanceof HTMLElement && (focused.isContentEditable || focused.matches("input, textarea, select"));
}
