// Package websocket carries GraphQL operations over WebSockets, in the protocol
// graphql-transport-ws and in the older one whose subprotocol is called graphql-ws.
//
// It keeps connections: their start, authentication, keep-alive, operations and end. Who
// the caller is and what an operation answers comes from functions it is given.
package websocket
