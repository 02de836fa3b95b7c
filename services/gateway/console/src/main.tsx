import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { RouterProvider } from "@tanstack/react-router";
import { ApiError } from "./lib/http/client";
import { SessionProvider, useSession } from "./lib/session";
import { SignIn } from "./app/signin";
import { router } from "./app/routes";
import "./ui/style/index.css";

const client = new QueryClient({
  defaultOptions: {
    // A server that can't be reached is tried again by the button next to the error.
    queries: {
      retry: (count, e) => count < 1 && !(e instanceof ApiError),
      refetchOnWindowFocus: false,
      staleTime: 10_000,
      networkMode: "always",
    },
    mutations: { networkMode: "always" },
  },
});

function Console() {
  const { session } = useSession();
  return session ? <RouterProvider router={router} /> : <SignIn />;
}

interface TrustedTypes {
  createPolicy(name: string, rules: { createHTML: (text: string) => string | null }): unknown;
}

// The page's policy refuses text as HTML. Emptying an element, as libraries do, isn't that.
(window as { trustedTypes?: TrustedTypes }).trustedTypes?.createPolicy("default", {
  createHTML: (text) => (text === "" ? "" : null),
});

createRoot(document.getElementById("root")!).render(
  <StrictMode>
    <QueryClientProvider client={client}>
      <SessionProvider>
        <Console />
      </SessionProvider>
    </QueryClientProvider>
  </StrictMode>,
);
