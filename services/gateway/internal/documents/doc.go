// Package documents finds the GraphQL documents that requests name instead of sending their text: those of query collections by their
// id or hash, and those that clients have sent with their hash before.
//
// It decides nothing about permissions. What it finds takes the way of a text: each guard sees the text.
package documents
