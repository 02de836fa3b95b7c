import { useEffect, useState } from "react";
import { Link, Outlet, useLocation } from "@tanstack/react-router";
import { useQuery } from "@tanstack/react-query";
import { Button } from "react-aria-components";
import { areas } from "./areas";
import { get } from "../lib/http/client";
import { leave, pageEdits } from "../lib/unsaved";
import { project } from "../lib/http/project";
import { useSession } from "../lib/session";
import { useStored } from "../lib/stored";
import { useFollowing } from "../features/metadata/model/following";
import { Keys } from "../ui/keys";
import { Palette } from "./palette";
import { Progress } from "../ui/progress";
import { StaleNotice } from "./stale";
import { UndoNotice } from "./undo";
import { Unsaved } from "./unsaved";
import { ProjectNotice } from "./projectnotice";

type Theme = "system" | "light" | "dark";
const nextTheme: Record<Theme, Theme> = { system: "light", light: "dark", dark: "system" };

/** Shell is what all pages have around them. */
export function Shell() {
  const { session, signOut } = useSession();
  const [palette, setPalette] = useState(false);
  const [keys, setKeys] = useState(false);
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

  useEffect(() => {
    if (theme === "system") delete document.documentElement.dataset.theme;
    else document.documentElement.dataset.theme = theme;
  }, [theme]);
  useEffect(() => {
    document.title = [nameIn(search as Record<string, unknown>), area?.name, "Query Engine"]
      .filter(Boolean)
      .join(" · ");
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
    <div className="shell">
      <a className="skip" href="#content">
        Skip to the content
      </a>
      <Progress />
      <header>
        <strong className="brand">Query Engine</strong>
        <nav aria-label="Areas">
          {shown.map((a) => (
            <Link key={a.path} to={a.path} className="area" activeProps={{ "aria-current": "page" }}>
              {a.name}
            </Link>
          ))}
        </nav>
        {project && (
          <span className="project" title={project.directory}>
            Project {project.directory.split(/[\\/]/).pop()}
          </span>
        )}
        <span className="hint">{version.data?.version}</span>
        <Button className="button" onPress={() => setPalette(true)} aria-keyshortcuts="Control+K">
          Search <kbd>Ctrl K</kbd>
        </Button>
        <Button className="button" onPress={() => setKeys(true)} aria-label="Keys of all pages" aria-keyshortcuts="?">
          ?
        </Button>
        <Button className="button" onPress={() => setTheme(nextTheme[theme])}>
          Theme: {theme}
        </Button>
        {!project && (
          <Button className="button" onPress={() => leave(pageEdits, signOut)}>
            {session?.credentials.kind === "none" ? "Sign in" : "Sign out"}
          </Button>
        )}
      </header>
      {project && <ProjectNotice />}
      {session?.admin && <UndoNotice />}
      <main id="content" tabIndex={-1}>
        {session?.admin === false && area?.admin ? <h1>This page is for admin</h1> : <Outlet />}
      </main>
      <StaleNotice />
      <Unsaved />
      {keys && <Keys close={() => setKeys(false)} />}
      {palette && <Palette areas={shown} close={() => setPalette(false)} />}
    </div>
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
