// Package guard keeps a panic in the work of one party from ending the process that others share.
package guard

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"runtime/debug"
	"sync"
	"sync/atomic"

	"golang.org/x/sync/errgroup"

	"queryengine/pkg/apierror"
)

// Do runs f. A panic is logged with its stack, and becomes an error that clients see as an internal one. what is the log
// message. f has to release its locks by deferred calls.
func Do(log *slog.Logger, what string, f func() error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			log.Error(what, "panic", p, "stack", string(debug.Stack()))
			err = apierror.New(apierror.Unexpected, "internal error")
		}
	}()
	return f()
}

// Run is Do for work without an error. It reports whether f returned.
func Run(log *slog.Logger, what string, f func()) (returned bool) {
	return Do(log, what, func() error {
		f()
		return nil
	}) == nil
}

// WaitGroup is a sync.WaitGroup for the parts of one request. A panic of a part continues in Wait, on the goroutine of the request,
// and so ends where those of the request do.
type WaitGroup struct {
	group sync.WaitGroup
	parts parts
}

// Go runs a part.
func (g *WaitGroup) Go(f func()) {
	g.group.Go(func() {
		defer g.parts.recover()
		f()
	})
}

// Wait waits for all parts.
func (g *WaitGroup) Wait() {
	g.group.Wait()
	g.parts.panic()
}

// Group is an errgroup.Group that treats panics as WaitGroup does.
type Group struct {
	group *errgroup.Group
	parts parts
}

// parts has the first panic of a part.
type parts struct{ first atomic.Pointer[part] }

// recover is deferred by parts.
func (p *parts) recover() {
	if value := recover(); value != nil {
		p.first.CompareAndSwap(nil, &part{value, debug.Stack()})
	}
}

func (p *parts) panic() {
	if first := p.first.Load(); first != nil {
		panic(first)
	}
}

// part is what a part of a request panicked with.
type part struct {
	value any
	stack []byte
}

// Error implements error.
func (p *part) Error() string { return fmt.Sprintf("%v, in a part of a request: %s", p.value, p.stack) }

var errPanicked = errors.New("a part of the request panicked")

// WithContext returns a Group, and a context that ends when a part fails or Wait returns.
func WithContext(ctx context.Context) (*Group, context.Context) {
	group, ctx := errgroup.WithContext(ctx)
	return &Group{group: group}, ctx
}

// SetLimit bounds how many parts run at once.
func (g *Group) SetLimit(n int) { g.group.SetLimit(n) }

// Go runs a part.
func (g *Group) Go(f func() error) {
	g.group.Go(func() (err error) {
		err = errPanicked // unless it returns
		defer g.parts.recover()
		err = f()
		return err
	})
}

// Wait waits for all parts and returns the first error.
func (g *Group) Wait() error {
	err := g.group.Wait()
	g.parts.panic()
	return err
}
