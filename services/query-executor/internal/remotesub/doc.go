// Package remotesub runs subscriptions that remote schemas answer. Each subscriber has a
// connection of its own to the remote, and is sent what comes from there for as long as it lasts.
//
// Planning is not done here. A subscription brings a function that plans it, which is called
// again when the metadata has changed in a way that its plan depends on; a subscription whose
// plan is another one then ends.
package remotesub
