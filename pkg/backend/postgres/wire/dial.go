package wire

import (
	"context"
	"errors"
	"strings"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgconn/ctxwatch"
)

// settingJIT is the server's setting for compiling expensive statements. The compiler can't be
// interrupted: a cancelled statement would go on until it is done, tens of seconds for a deeply nested
// one. So it is off, unless the address of the source sets it.
const settingJIT = "jit"

func (p *Pool) dial(ctx context.Context) (*pgconn.PgConn, error) {
	return p.dialWith(ctx, func(*pgconn.Config) {})
}

// dialWith opens a connection that does not belong to the pool; change may alter how.
func (p *Pool) dialWith(ctx context.Context, change func(*pgconn.Config)) (*pgconn.PgConn, error) {
	url, err := p.Endpoint.URL()
	if err != nil {
		return nil, err
	}
	config, err := DriverConfig(url, p.Endpoint.TLS)
	if err != nil {
		return nil, err
	}
	if p.name != "" && config.RuntimeParams["application_name"] == "" {
		config.RuntimeParams["application_name"] = p.name
	}
	// Answers are UTF-8, whatever the database keeps its text in.
	config.RuntimeParams["client_encoding"] = "UTF8"
	config.BuildContextWatcherHandler = func(pg *pgconn.PgConn) ctxwatch.Handler {
		return &pgconn.CancelRequestContextWatcherHandler{Conn: pg, DeadlineDelay: CancelGrace}
	}
	change(config)
	p.plansFixed.Store(setsPlanMode(config))
	if p.noJIT.Load() || setsJIT(config) {
		return pgconn.ConnectConfig(ctx, config)
	}
	config.RuntimeParams[settingJIT] = "off"
	pg, err := pgconn.ConnectConfig(ctx, config)
	if !refusesJIT(err) {
		return pg, err
	}
	delete(config.RuntimeParams, settingJIT)
	if pg, err = pgconn.ConnectConfig(ctx, config); err == nil {
		p.noJIT.Store(true)
	}
	return pg, err
}

// settingPlanMode is the server's setting for planning prepared statements. An address that has it is
// respected: nothing is chosen then.
const settingPlanMode = "plan_cache_mode"

// setsPlanMode reports whether the address of the source has a setting of its own.
func setsPlanMode(c *pgconn.Config) bool {
	_, set := c.RuntimeParams[settingPlanMode]
	return set || strings.Contains(c.RuntimeParams["options"], settingPlanMode+"=")
}

// setsJIT reports whether the address of the source has a setting of its own.
func setsJIT(c *pgconn.Config) bool {
	_, set := c.RuntimeParams[settingJIT]
	return set || strings.Contains(c.RuntimeParams["options"], settingJIT+"=")
}

// refusesJIT reports whether a connection was refused because of the setting: poolers such
// as PgBouncer know few settings, and old servers don't have this one.
func refusesJIT(err error) bool {
	var pg *pgconn.PgError
	return errors.As(err, &pg) && strings.Contains(pg.Message, settingJIT)
}
