// Package apply processes the requests of the metadata API.
//
// A request that changes metadata is processed on a copy of the state: each of its operations gives a
// new document, the sources that it touches are introspected, the whole is checked for consistency, and
// only then does it become the base of the next operation. At the end the difference to the state
// before is committed, as one version, with a compare-and-swap. Until then nothing is stored, so a
// request that fails leaves nothing behind in the metadata. Such requests run one after the other;
// read-only ones run concurrently with them.
//
// Several processes may share one metadata database: each applies what the others have committed before
// it processes a request.
package apply
