// Package publishing publishes the changes of tables that the metadata asks for, each as a role sees them, in one
// process of all. What isn't asked for any more is removed from the database and from NATS.
//
// The streams of NATS tell what there is to be removed, so that it is also after this process has missed that.
package publishing
