import {
  Link,
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
  type ErrorComponentProps,
} from "@tanstack/react-router";
import type { EventSearch, NameSearch, PermissionSearch, TableSearch, ViewSearch } from "../lib/search";
import { chunk, ChunkError } from "../lib/chunk";
import { Home } from "./home";
import { Shell } from "./shell";
import { Failure } from "../ui/failure";
import { Loading } from "../ui/progress";

/** PageError stands in the place of a page, so that others can be opened. */
function PageError(props: ErrorComponentProps<unknown>) {
  const { error, reset } = props;
  return <Failure error={error} retry={error instanceof ChunkError ? () => location.reload() : reset} />;
}

const root = createRootRoute({
  component: Shell,
  errorComponent: PageError,
  notFoundComponent: () => (
    <div className="page">
      <h1>There is no such page</h1>
      <p>
        The address may be wrong, or of another version of the console. The pages are above, and <kbd>Ctrl K</kbd> finds
        tables, roles and other objects.
      </p>
      <div className="row">
        <Link className="button" to="/api">
          Open API
        </Link>
      </div>
    </div>
  ),
});

/** Each area is a chunk of its own, loaded when it is first opened. */
const routes = [
  createRoute({
    getParentRoute: () => root,
    path: "/",
    component: Home,
  }),
  createRoute({
    getParentRoute: () => root,
    path: "/api",
    component: lazyRouteComponent(
      chunk(() => import("../features/graphql/ui/page")),
      "GraphQLPage",
    ),
  }),
  createRoute({
    getParentRoute: () => root,
    path: "/data",
    validateSearch: (s: Record<string, unknown>): TableSearch => ({
      source: text(s.source),
      schema: text(s.schema),
      table: text(s.table),
      function: text(s.function),
      view: text(s.view),
      tab: text(s.tab),
      role: text(s.role),
    }),
    component: lazyRouteComponent(
      chunk(() => import("../features/data/ui/page")),
      "DataPage",
    ),
  }),
  createRoute({
    getParentRoute: () => root,
    path: "/permissions",
    validateSearch: (s: Record<string, unknown>): PermissionSearch => ({
      source: text(s.source),
      schema: text(s.schema),
      table: text(s.table),
      kind: text(s.kind),
      name: text(s.name),
      role: text(s.role),
    }),
    component: lazyRouteComponent(
      chunk(() => import("../features/permissions/ui/page")),
      "PermissionsPage",
    ),
  }),
  createRoute({
    getParentRoute: () => root,
    path: "/sql",
    component: lazyRouteComponent(
      chunk(() => import("../features/sql/ui/page")),
      "SQLPage",
    ),
  }),
  createRoute({
    getParentRoute: () => root,
    path: "/events",
    validateSearch: (s: Record<string, unknown>): EventSearch => ({
      kind: text(s.kind),
      source: text(s.source),
      name: text(s.name),
      schema: text(s.schema),
      table: text(s.table),
    }),
    component: lazyRouteComponent(
      chunk(() => import("../features/events/ui/page")),
      "EventsPage",
    ),
  }),
  createRoute({
    getParentRoute: () => root,
    path: "/actions",
    validateSearch: (s: Record<string, unknown>): NameSearch => ({ name: text(s.name) }),
    component: lazyRouteComponent(
      chunk(() => import("../features/actions/ui/page")),
      "ActionsPage",
    ),
  }),
  createRoute({
    getParentRoute: () => root,
    path: "/remote-schemas",
    validateSearch: (s: Record<string, unknown>): NameSearch => ({ name: text(s.name) }),
    component: lazyRouteComponent(
      chunk(() => import("../features/remotes/ui/page")),
      "RemoteSchemasPage",
    ),
  }),
  createRoute({
    getParentRoute: () => root,
    path: "/assistants",
    component: lazyRouteComponent(
      chunk(() => import("../features/assistants/ui/page")),
      "AssistantsPage",
    ),
  }),
  createRoute({
    getParentRoute: () => root,
    path: "/metadata",
    component: lazyRouteComponent(
      chunk(() => import("../features/metadata/ui/page")),
      "MetadataPage",
    ),
  }),
  createRoute({
    getParentRoute: () => root,
    path: "/settings",
    validateSearch: (s: Record<string, unknown>): ViewSearch => ({ view: text(s.view) }),
    component: lazyRouteComponent(
      chunk(() => import("../features/settings/ui/page")),
      "SettingsPage",
    ),
  }),
  createRoute({
    getParentRoute: () => root,
    path: "/monitoring",
    component: lazyRouteComponent(
      chunk(() => import("../features/monitoring/ui/page")),
      "MonitoringPage",
    ),
  }),
] as const;

/** text takes numbers, too, as which the router reads names of digits. */
function text(value: unknown): string | undefined {
  return value === undefined ? undefined : String(value);
}

// Not an area: for those who change the console.
const catalogue = createRoute({
  getParentRoute: () => root,
  path: "/components",
  component: lazyRouteComponent(
    chunk(() => import("../ui/catalogue")),
    "Catalogue",
  ),
});

export const router = createRouter({
  routeTree: root.addChildren([...routes, catalogue]),
  basepath: "/console",
  defaultErrorComponent: PageError,
  defaultPendingComponent: () => <Loading what="the page" />,
  defaultPreload: false,
});

declare module "@tanstack/react-router" {
  interface Register {
    router: typeof router;
  }
}
