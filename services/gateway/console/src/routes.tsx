import { createRootRoute, createRoute, createRouter, lazyRouteComponent, redirect } from "@tanstack/react-router";
import { Shell } from "./shell/shell";
import { Failure } from "./shell/failure";
import { Loading } from "./shell/progress";

const root = createRootRoute({
  component: Shell,
  errorComponent: ({ error, reset }) => <Failure error={error} retry={reset} />,
  notFoundComponent: () => <h1>There is no such page</h1>,
});

/** Each area is a chunk of its own, loaded when it is first opened. */
const routes = [
  createRoute({ getParentRoute: () => root, path: "/", beforeLoad: () => { throw redirect({ to: "/api" }); } }),
  createRoute({ getParentRoute: () => root, path: "/api", component: lazyRouteComponent(() => import("./pages/graphql/page"), "GraphQLPage") }),
] as const;

export const router = createRouter({
  routeTree: root.addChildren(routes),
  basepath: "/console",
  defaultPendingComponent: () => <Loading what="the page" />,
  defaultPreload: false,
});

declare module "@tanstack/react-router" {
  interface Register {
    router: typeof router;
  }
}
