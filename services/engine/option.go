package engine

import (
	"net/http"

	"queryengine/pkg/extension"
)

// Option adds code to the engine. Options are made by the functions of this package.
type Option struct{ handler extension.Handler }

// HandlerOption changes how a piece of code is called.
type HandlerOption struct{ apply func(*extension.Handler) }

// Concurrency bounds how many calls of the code run at once, and how many of its subscriptions; others wait for as long
// as they may take. It is 100 by default.
func Concurrency(calls int) HandlerOption {
	return HandlerOption{func(h *extension.Handler) { h.Concurrency = calls }}
}

// Query makes an action a root field of queries. It must not have side effects.
func Query() HandlerOption {
	return HandlerOption{func(h *extension.Handler) {
		if h.Definition != nil {
			h.Definition.Query = true
		}
	}}
}

func option(h extension.Handler, options []HandlerOption) Option {
	for _, o := range options {
		o.apply(&h)
	}
	return Option{h}
}

// codeOf is the code of all options. Its errors are about names.
func codeOf(options []Option) (*extension.Set, error) {
	handlers := make([]extension.Handler, len(options))
	for i, o := range options {
		handlers[i] = o.handler
	}
	return extension.New(handlers...)
}

// HTTP has an http.Handler answer all calls to go://name and to paths below it, whatever their kind: webhooks, input
// validation, actions.
func HTTP(name string, h http.Handler, options ...HandlerOption) Option {
	return option(extension.Handler{Kind: extension.HTTP, Name: name, Serve: serveHTTP(h)}, options)
}
