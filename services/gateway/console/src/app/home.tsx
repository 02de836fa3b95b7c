import { Navigate } from "@tanstack/react-router";
import { useQuery } from "@tanstack/react-query";
import { exportQuery } from "../features/metadata/api/queries";
import { useSession } from "../lib/session";
import { Loading } from "../ui/progress";

/** Home is where one begins: with a database as long as there is none, then with the API. */
export function Home() {
  const { session, server } = useSession();
  const metadata = useQuery({ ...exportQuery(server), enabled: session?.admin === true });
  if (session?.admin && metadata.isPending) return <Loading what="the console" />;
  if (metadata.data?.metadata.sources.length === 0) return <Navigate to="/data" search={{ view: "connect" }} replace />;
  return <Navigate to="/api" replace />;
}
