// Package graphqlws subscribes at GraphQL servers over WebSockets.
//
// It speaks the newer protocol, graphql-transport-ws, and the older one that calls itself
// graphql-ws, whichever the server chose, and carries one subscription on each WebSocket.
// Results are handed on as the bytes that they came as, one after the other: the next one
// isn't read before the last one was taken, so that a slow taker slows the server down. A
// server that falls silent is given up.
//
// It knows nothing of addresses and headers, and doesn't come back after a loss: results may
// have been missed meanwhile, and only the client can know what that means.
package graphqlws
