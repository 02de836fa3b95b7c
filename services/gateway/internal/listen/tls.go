package listen

import (
	"bytes"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"sync"
	"sync/atomic"
	"time"
)

// lookEvery is how long a renewed certificate may go unseen: the files are read at most that
// often, when a client connects.
const lookEvery = time.Second

// Files are the PEM files of a TLS listener.
type Files struct {
	Certificate, Key string
	// ClientCA holds the authorities of client certificates, "" to ask clients for none.
	ClientCA string
}

// TLS is what the files hold now. They are read again while it is in use, so that a renewed
// certificate needs no restart; files that are no certificate leave the last one in place. It
// is safe for concurrent use.
type TLS struct {
	files   Files
	log     *slog.Logger
	current atomic.Pointer[tls.Config]

	mu     sync.Mutex
	looked time.Time
	read   content // the last that was tried, good or not
	failed string  // the last logged error, not to be repeated
}

// content is what the files held.
type content struct{ certificate, key, clientCA []byte }

func (c content) equal(other content) bool {
	return bytes.Equal(c.certificate, other.certificate) && bytes.Equal(c.key, other.key) && bytes.Equal(c.clientCA, other.clientCA)
}

// NewTLS reads the files.
func NewTLS(files Files, log *slog.Logger) (*TLS, error) {
	t := &TLS{files: files, log: log, looked: time.Now()}
	read, err := files.read()
	if err != nil {
		return nil, err
	}
	if err := t.use(read); err != nil {
		return nil, err
	}
	return t, nil
}

// Config is for a server. A client without a certificate is accepted, a certificate must be from
// ClientCA: which requests need one is decided per request.
func (t *TLS) Config() *tls.Config {
	return &tls.Config{
		MinVersion: tls.VersionTLS12,
		GetConfigForClient: func(*tls.ClientHelloInfo) (*tls.Config, error) {
			t.look()
			return t.current.Load(), nil
		},
	}
}

// look takes what the files hold now, unless another goroutine looks or has just looked.
func (t *TLS) look() {
	if !t.mu.TryLock() {
		return
	}
	defer t.mu.Unlock()
	now := time.Now()
	if now.Sub(t.looked) < lookEvery {
		return
	}
	t.looked = now
	read, err := t.files.read()
	if err == nil && read.equal(t.read) {
		return
	}
	if err == nil {
		err = t.use(read)
	}
	if err != nil {
		if text := err.Error(); text != t.failed {
			t.failed = text
			t.log.Error("renewed TLS certificate is invalid; keeping the previous one", "error", err)
		}
		return
	}
	t.failed = ""
	t.log.Info("TLS certificate renewed", "expires", t.current.Load().Certificates[0].Leaf.NotAfter)
}

// use has new connections use a content.
func (t *TLS) use(read content) error {
	t.read = read
	pair, err := tls.X509KeyPair(read.certificate, read.key)
	if err != nil {
		return fmt.Errorf("the TLS certificate %s with the key %s: %w", t.files.Certificate, t.files.Key, err)
	}
	next := &tls.Config{
		MinVersion:   tls.VersionTLS12,
		NextProtos:   []string{"h2", "http/1.1"},
		Certificates: []tls.Certificate{pair},
	}
	if t.files.ClientCA != "" {
		next.ClientAuth, next.ClientCAs = tls.VerifyClientCertIfGiven, x509.NewCertPool()
		if !next.ClientCAs.AppendCertsFromPEM(read.clientCA) {
			return fmt.Errorf("the TLS client authorities %s hold no certificate", t.files.ClientCA)
		}
	}
	t.current.Store(next)
	return nil
}

func (f Files) read() (c content, err error) {
	var errs [3]error
	c.certificate, errs[0] = os.ReadFile(f.Certificate)
	c.key, errs[1] = os.ReadFile(f.Key)
	if f.ClientCA != "" {
		c.clientCA, errs[2] = os.ReadFile(f.ClientCA)
	}
	for _, err := range errs {
		if err != nil { // one line is enough
			return c, fmt.Errorf("read the TLS files: %w", err)
		}
	}
	return c, nil
}

// Validate checks that the files belong together, without reading them.
func (f Files) Validate() error {
	if (f.Certificate == "") != (f.Key == "") {
		return errors.New("TLS needs both a certificate and its key")
	}
	if f.ClientCA != "" && f.Certificate == "" {
		return errors.New("TLS client authorities need a certificate and its key")
	}
	return nil
}
