package wire

import (
	"context"
	"errors"
	"maps"
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
	own := map[string]string{settingJIT: "off", settingPlanMode: p.Endpoint.Plans.setting()}
	maps.DeleteFunc(own, func(name, value string) bool { return value == "" || sets(config, name) })
	if p.noSettings.Load() || len(own) == 0 {
		return pgconn.ConnectConfig(ctx, config)
	}
	maps.Copy(config.RuntimeParams, own)
	pg, err := pgconn.ConnectConfig(ctx, config)
	if !refuses(err, own) {
		return pg, err
	}
	for name := range own {
		delete(config.RuntimeParams, name)
	}
	if pg, err = pgconn.ConnectConfig(ctx, config); err == nil {
		p.noSettings.Store(true)
	}
	return pg, err
}

// settingPlanMode is the server's setting for planning prepared statements.
const settingPlanMode = "plan_cache_mode"

// sets reports whether the address of the source has a setting.
func sets(c *pgconn.Config, name string) bool {
	_, set := c.RuntimeParams[name]
	return set || strings.Contains(c.RuntimeParams["options"], name+"=")
}

// refuses reports whether a connection was refused because of one of our settings: poolers such as PgBouncer know few
// settings, and old servers don't have these.
func refuses(err error, settings map[string]string) bool {
	var pg *pgconn.PgError
	if !errors.As(err, &pg) {
		return false
	}
	for name := range settings {
		if strings.Contains(pg.Message, name) {
			return true
		}
	}
	return false
}
