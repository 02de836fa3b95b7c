// Package egress is the one HTTP client for addresses that users write into metadata:
// webhooks, action handlers, remote schemas.
//
// It bounds what such an address can do to the engine. A call has a deadline, an answer a maximum size,
// a chain of redirects a maximum length, and a host a maximum number of connections. Addresses in
// refused networks can't be reached by any name: the rule looks at the address that is being dialled,
// so a name that resolves differently the second time doesn't get around it. Certificates are verified,
// except those of hosts on the TLS allow list of the metadata. Variables like HTTP_PROXY don't count
// unless the settings say so.
//
// Answers of every status are answers. Any other outcome is an *Error, whose text holds nothing of the
// address, the headers or the bodies, because they may come from variables of the environment: callers
// show the address as the user wrote it.
package egress
