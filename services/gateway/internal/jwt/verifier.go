package jwt

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/lestrrat-go/jwx/v2/jwa"

	"queryengine/pkg/guard"
	"queryengine/pkg/lifecycle"
	"queryengine/pkg/telemetry"
)

// Deps are what a Verifier works with.
type Deps struct {
	// Client fetches JWK sets.
	Client *http.Client
	// Logger gets the faults of refreshing JWK sets.
	Logger *slog.Logger
	// Now is the clock.
	Now func() time.Time
	// EnableEC accepts elliptic-curve keys in JWK sets.
	EnableEC bool
}

// Verifier verifies tokens. It is safe for concurrent use.
type Verifier struct {
	issuers []*issuer
	deps    Deps
	state   lifecycle.State
	cancel  context.CancelFunc
	refresh sync.WaitGroup
}

// issuer is a configuration with its keys of the moment.
type issuer struct {
	config *Config
	keys   atomic.Pointer[[]*key]
	cache  *cache
}

// New wires a Verifier and does no I/O.
func New(configs []*Config, d Deps) *Verifier {
	v := &Verifier{deps: d}
	for _, c := range configs {
		i := &issuer{config: c, cache: newCache()}
		if c.key != nil {
			i.keys.Store(&[]*key{c.key})
		}
		v.issuers = append(v.issuers, i)
	}
	return v
}

// Name is "jwt verifier".
func (*Verifier) Name() string { return "jwt verifier" }

// Configs are the configurations, for the config API.
func (v *Verifier) Configs() []*Config {
	configs := make([]*Config, len(v.issuers))
	for n, i := range v.issuers {
		configs[n] = i.config
	}
	return configs
}

// Start fetches the JWK sets, and keeps refreshing those whose answer sets an expiry.
func (v *Verifier) Start(ctx context.Context) error {
	return v.state.Start(func() error {
		var running context.Context
		running, v.cancel = context.WithCancel(context.Background())
		for _, i := range v.issuers {
			if i.config.jwkURL == "" {
				continue
			}
			first, err := v.firstFetch(ctx, i.config.jwkURL)
			if err != nil {
				v.stop()
				return err
			}
			i.keys.Store(&first.keys)
			if first.interval > 0 {
				v.refresh.Go(func() { v.keepFresh(running, i, first.interval) })
			}
		}
		return nil
	})
}

// Started is closed once all keys are there.
func (v *Verifier) Started() <-chan struct{} { return v.state.Started() }

// Stop ends refreshing.
func (v *Verifier) Stop() { v.state.Stop(v.stop) }

// Status is nil once the keys are there: while a refresh fails, the old ones stay in use.
func (v *Verifier) Status() error { return v.state.Status() }

func (v *Verifier) stop() {
	v.cancel()
	v.refresh.Wait()
}

func (v *Verifier) now() time.Time { return v.deps.Now() }

func (v *Verifier) firstFetch(ctx context.Context, url string) (set *fetched, err error) {
	wait := firstRetryWait
	for range startRetries {
		if set, err = v.fetch(ctx, url); err == nil || errors.Is(err, errBadSet) || !lifecycle.Sleep(ctx, wait) {
			return set, err
		}
		wait *= 2
	}
	return v.fetch(ctx, url)
}

func (v *Verifier) fetch(ctx context.Context, url string) (*fetched, error) {
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	set, err := fetch(ctx, v.deps.Client, url, v.deps.EnableEC, v.deps.Now)
	if err == nil && set.unreadable != nil {
		v.deps.Logger.LogAttrs(ctx, slog.LevelInfo, set.unreadable.Error(), slog.Any("error", nil))
	}
	return set, err
}

func (v *Verifier) keepFresh(ctx context.Context, i *issuer, wait time.Duration) {
	for lifecycle.Sleep(ctx, wait) {
		wait = unknownExpiry
		var next *fetched
		err := guard.Do(v.deps.Logger, "panic in the reading of a JWK set", func() (err error) {
			next, err = v.fetch(ctx, i.config.jwkURL)
			return err
		})
		if err != nil {
			v.deps.Logger.LogAttrs(ctx, telemetry.LevelCritical, err.Error(), slog.Any("error", cause(err)))
			continue
		}
		i.keys.Store(&next.keys)
		if next.interval > 0 {
			wait = next.interval
		}
	}
}

// cause is the error inside another one, nil for none.
func cause(err error) any {
	if err = errors.Unwrap(err); err == nil {
		return nil
	}
	return err.Error()
}

// keysFor are the keys of a set, nil for none, to try for a token: the one it names if there is
// such a key, else all that fit the algorithm.
func keysFor(set *[]*key, id string, alg jwa.SignatureAlgorithm) []*key {
	if set == nil {
		return nil
	}
	keys := *set
	if id != "" {
		if n := slices.IndexFunc(keys, func(k *key) bool { return k.id == id }); n >= 0 {
			keys = keys[n : n+1]
		}
	}
	var fitting []*key
	for _, k := range keys {
		if k.fits(alg) {
			fitting = append(fitting, k)
		}
	}
	return fitting
}
