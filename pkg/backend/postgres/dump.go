package postgres

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"queryengine/pkg/apierror"
	"queryengine/pkg/backend"
	"queryengine/pkg/backend/postgres/wire"
)

const (
	dumpProgram = "pg_dump"
	// restrictKey makes the output the same each time, where the program marks it with a key.
	restrictKey = "--restrict-key"
	// maxDumpError bounds how much of the program's errors is kept.
	maxDumpError = 64 << 10
	// dumpLimit is the longest that a dump may take.
	dumpLimit = 15 * time.Minute
	// dumpConnectSeconds is how long the program waits for a server that doesn't answer.
	dumpConnectSeconds = 15
	// dumpOutputDelay is how long the output of a program that was ended stays open.
	dumpOutputDelay = 5 * time.Second
)

var _ backend.Dumper = (*Server)(nil)

// Dump writes the output of pg_dump for the primary with the given arguments, of which only those are
// allowed that select the content. The address and its password go to the program in its environment,
// which other users can't see.
func (s *Server) Dump(ctx context.Context, arguments []string, w io.Writer) error {
	arguments, err := checkedDumpOptions(arguments)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, dumpLimit)
	defer cancel()
	environment, cleanUp, err := libpqEnvironment(&s.primary.Endpoint)
	if err != nil {
		return err
	}
	defer cleanUp()
	own := []string{"--encoding=utf8", "--no-password"}
	if knowsRestrictKey(ctx) {
		own = append(own, restrictKey+"=engine")
	}
	c := exec.CommandContext(ctx, dumpProgram, append(own, arguments...)...)
	c.WaitDelay = dumpOutputDelay
	complaints := &limitedBuffer{limit: maxDumpError}
	c.Env, c.Stdout, c.Stderr = environment, w, complaints
	err = c.Run()
	var exit *exec.ExitError
	switch {
	case err == nil:
		return nil
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		return apierror.New(apierror.Timeout, "pg_dump took too long")
	case ctx.Err() != nil:
		return ctx.Err()
	case errors.As(err, &exit):
		return apierror.New(apierror.Unexpected, "error while executing pg_dump").WithInternal(complaints.String())
	}
	return apierror.New(apierror.Unexpected, "internal exception while executing pg_dump").WithInternal(err.Error())
}

// knowsRestrictKey asks the installed program.
func knowsRestrictKey(ctx context.Context) bool {
	help, err := exec.CommandContext(ctx, dumpProgram, "--help").Output()
	return err == nil && bytes.Contains(help, []byte(restrictKey))
}

// libpqEnvironment is how libpq's programs learn of a server. cleanUp removes the certificates
// that they read from files.
func libpqEnvironment(e *wire.Endpoint) (list []string, cleanUp func(), err error) {
	address, err := e.URL()
	if err != nil {
		return nil, nil, err
	}
	config, err := wire.DriverConfig(address, nil)
	if err != nil {
		return nil, nil, err
	}
	list = []string{
		"PATH=" + os.Getenv("PATH"), "PGHOST=" + config.Host, fmt.Sprintf("PGPORT=%d", config.Port),
		"PGUSER=" + config.User, "PGPASSWORD=" + config.Password, "PGDATABASE=" + config.Database,
		fmt.Sprintf("PGCONNECT_TIMEOUT=%d", dumpConnectSeconds),
	}
	for _, name := range []string{"sslmode", "sslrootcert", "sslcert", "sslkey"} {
		if value := addressParameter(address, name); value != "" {
			list = append(list, "PG"+strings.ToUpper(name)+"="+value)
		}
	}
	if e.TLS == nil {
		return list, func() {}, nil
	}
	files, cleanUp, err := certificateFiles(e.TLS)
	return append(list, files...), cleanUp, err
}

// certificateFiles writes the certificates to files that only this user can read.
func certificateFiles(t *wire.TLS) (list []string, cleanUp func(), err error) {
	directory, err := os.MkdirTemp("", "engine-tls-")
	if err != nil {
		return nil, nil, err
	}
	cleanUp = func() { _ = os.RemoveAll(directory) }
	list = []string{"PGSSLMODE=" + t.SSLMode()}
	for variable, text := range map[string]string{"PGSSLROOTCERT": t.RootCert, "PGSSLCERT": t.Cert, "PGSSLKEY": t.Key} {
		if text == "" {
			continue
		}
		path := filepath.Join(directory, strings.ToLower(variable))
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			cleanUp()
			return nil, nil, err
		}
		list = append(list, variable+"="+path)
	}
	return list, cleanUp, nil
}

// addressParameter is a parameter of an address of either form, "" when it isn't there.
func addressParameter(address, name string) string {
	if u, err := url.Parse(address); err == nil && u.Scheme != "" {
		return u.Query().Get(name)
	}
	for word := range strings.FieldsSeq(address) {
		if value, ok := strings.CutPrefix(word, name+"="); ok {
			return strings.Trim(value, "'")
		}
	}
	return ""
}

// limitedBuffer keeps the beginning of its input.
type limitedBuffer struct {
	mu    sync.Mutex
	limit int
	kept  bytes.Buffer
}

func (b *limitedBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if room := b.limit - b.kept.Len(); room > 0 {
		b.kept.Write(p[:min(room, len(p))])
	}
	return len(p), nil
}

func (b *limitedBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.kept.String()
}
