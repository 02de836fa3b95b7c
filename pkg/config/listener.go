package config

import (
	"time"
)

// Listener.
var (
	ServerPort = define(Spec{
		Flag: "server-port", Default: "8080", Values: number, Group: GroupListener, Services: []Service{Gateway},
		Help: "port that clients connect to",
	}, parsePort)
	ServerHost = define(Spec{
		Flag: "server-host", Default: "*", Group: GroupListener, Services: []Service{Gateway},
		Help: "address to listen on; * is all IPv4 addresses",
	}, parseNonEmpty)
	TLSCertificate = define(Spec{
		Flag: "tls-certificate", Values: "path of a PEM file", Group: GroupListener, Services: []Service{Gateway},
		Help: "certificate, with its chain, that clients connect to by TLS; needs tls-key; the files are read again when they change",
	}, parsePath)
	TLSKey = define(Spec{
		Flag: "tls-key", Values: "path of a PEM file", Group: GroupListener, Services: []Service{Gateway},
		Help: "key of the certificate",
	}, parsePath)
	TLSClientCA = define(Spec{
		Flag: "tls-client-ca", Values: "path of a PEM file", Group: GroupListener, Services: []Service{Gateway},
		Help: "certificate authorities of clients; with it, clients need a certificate for everything but /healthz",
	}, parsePath)
	StrictTransportMaxAge = define(Spec{
		Flag: "hsts-max-age", Default: "31536000", Values: seconds + "; 0 is not at all", Group: GroupListener, Services: []Service{Gateway},
		Help: "how long browsers come back by TLS only, in answers over TLS",
	}, parseDuration(time.Second))
	ServerTimeout = define(Spec{
		Flag: "server-timeout", Default: "30", Values: seconds, Group: GroupListener, Services: []Service{Gateway},
		Help: "a client that takes longer to send its request is disconnected",
	}, parseDuration(time.Second))
	MaxTotalHeaderLength = define(Spec{
		Flag: "max-total-header-length", Default: "1048576", Values: "integer, bytes", Group: GroupListener, Services: []Service{Gateway},
		Help: "size of all headers of a request; a larger one is answered with 431",
	}, parsePositive)
	MaxRequestSize = define(Spec{
		Flag: "max-request-size", Default: "33554432", Values: "integer, bytes", Group: GroupListener, Services: []Service{Gateway},
		Help: "size of a request body; a larger one is answered with 413",
	}, parsePositive)
	CORSDomain = define(Spec{
		Flag: "cors-domain", Default: "*", Values: "list of scheme://host[:port]", Group: GroupListener, Services: []Service{Gateway},
		Help: "origins that browsers may call from; the left-most label of a host may be *",
	}, parseList)
	DisableCORS = define(Spec{
		Flag: "disable-cors", Default: "false", Values: boolean, Switch: true, Group: GroupListener, Services: []Service{Gateway},
		Help: "send no CORS headers",
	}, parseBool)
	EnableConsole = define(Spec{
		Flag: "enable-console", Default: "false", Values: boolean, Switch: true, Group: GroupListener, Services: []Service{Gateway},
		Help: "serve the console at /console; / leads there",
	}, parseBool)
	ConsoleAssetsDir = define(Spec{
		Flag: "console-assets-dir", Values: "path", Group: GroupListener, Services: []Service{Gateway},
		Help: "directory of another console's files, served at /console/assets: main.js, main.css and what they load",
	}, parseText)
	WebSocketReadCookie = define(Spec{
		Flag: "ws-read-cookie", Default: "false", Values: boolean, Switch: true, Group: GroupListener, Services: []Service{Gateway},
		Help: "accept the cookies of a WebSocket's upgrade although CORS is disabled",
	}, parseBool)
	WebSocketInitTimeout = define(Spec{
		Flag: "websocket-connection-init-timeout", Default: "3", Values: seconds, Group: GroupListener, Services: []Service{Gateway},
		Help: "how long a WebSocket may wait with its first message",
	}, durationOf(time.Second, nonNegative("WebSocket Connection Timeout must not be negative")))
	WebSocketInitSize = define(Spec{
		Flag: "websocket-init-size", Default: "65536", Values: "integer, bytes", Group: GroupListener, Services: []Service{Gateway},
		Help: "size of a message on a WebSocket until connection_init has succeeded; a larger one ends the connection",
	}, parsePositive)
	WebSocketKeepAlive = define(Spec{
		Flag: "websocket-keepalive", Default: "5", Values: seconds + "; 0 is never", Group: GroupListener, Services: []Service{Gateway},
		Help: "how often a WebSocket gets a keep-alive message",
	}, parseDuration(time.Second))
	WebSocketCompression = define(Spec{
		Flag: "websocket-compression", Variable: "CONNECTION_COMPRESSION", Default: "false", Values: boolean, Switch: true, Group: GroupListener, Services: []Service{Gateway},
		Help: "compress messages of WebSockets",
	}, parseBool)
	StatusPort = define(Spec{
		Flag: "status-port", Default: "0", Values: number, Group: GroupListener, Services: []Service{Gateway, Metadata, QueryExecutor, EventDelivery, Scheduler},
		Help: "port of /healthz and /metrics of a service, of the gateway besides those of its own port; 0 is none",
	}, parsePort)
	Profiling = define(Spec{
		Flag: "profiling", Default: "false", Values: boolean, Switch: true, Group: GroupListener, Services: []Service{Gateway, Metadata, QueryExecutor, EventDelivery, Scheduler},
		Help: "serve profiles of the Go runtime at /debug/pprof of --status-port",
	}, parseBool)
)
