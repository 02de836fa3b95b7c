// Package gateway is the service that clients see: HTTP, authentication, sessions and the
// operational routes. It asks the other services over the bus and passes their answers on
// as they come.
//
// It keeps nothing but the newest metadata, so any number of gateways may run side by side.
package gateway
