package wire

import (
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"net/url"
	"strings"
	"time"

	"github.com/jackc/pgx/v5/pgconn"

	"queryengine/pkg/apierror"
)

// connectTimeout bounds an attempt to connect where the address sets no timeout.
const connectTimeout = 15 * time.Second

// TLS overrides the encryption settings in the address of a server. Certificates and keys are PEM
// texts, never paths: they come from the environment and stay out of the file system.
type TLS struct {
	Mode     string // disable, allow, prefer, require, verify-ca, verify-full
	RootCert string
	Cert     string
	Key      string
	// Password decrypts Key.
	Password string
}

// DriverConfig parses an address. Errors don't repeat it, since it may hold a password.
func DriverConfig(address string, t *TLS) (*pgconn.Config, error) {
	if t != nil {
		address = WithMode(address, t.SSLMode())
	}
	config, err := pgconn.ParseConfig(address)
	if err != nil {
		return nil, apierror.New(apierror.PostgresError, "connection error").
			WithInternal("the database URL is not understood")
	}
	if config.ConnectTimeout == 0 {
		config.ConnectTimeout = connectTimeout
	}
	if t == nil {
		return config, nil
	}
	return config, t.apply(config)
}

// SSLMode is the mode as libpq understands it: a root certificate makes require verify.
func (t *TLS) SSLMode() string {
	if t.Mode == "require" && t.RootCert != "" {
		return "verify-ca"
	}
	return t.Mode
}

// WithMode sets the mode in an address of either form, a URL or keywords and values.
func WithMode(address, mode string) string {
	if !strings.HasPrefix(address, "postgres://") && !strings.HasPrefix(address, "postgresql://") {
		return address + " sslmode=" + mode
	}
	u, err := url.Parse(address)
	if err != nil {
		return address // parsing it again reports why
	}
	q := u.Query()
	q.Set("sslmode", mode)
	u.RawQuery = q.Encode()
	return u.String()
}

// apply puts the certificates into the configurations of all hosts. Those are changed in
// place, because the check of verify-ca looks at the roots of the very value it was made for.
func (t *TLS) apply(config *pgconn.Config) error {
	roots, err := t.roots()
	if err != nil {
		return certificateError("root certificate error", err)
	}
	certificates, err := t.certificates()
	if err != nil {
		return err
	}
	targets := []*tls.Config{config.TLSConfig}
	for _, f := range config.Fallbacks {
		targets = append(targets, f.TLSConfig)
	}
	for _, c := range targets {
		if c != nil && roots != nil {
			c.RootCAs = roots
		}
		if c != nil && certificates != nil {
			c.Certificates = certificates
		}
	}
	return nil
}

func (t *TLS) roots() (*x509.CertPool, error) {
	if t.RootCert == "" {
		return nil, nil //nolint:nilnil // none given, none used
	}
	pool := x509.NewCertPool()
	if !pool.AppendCertsFromPEM([]byte(t.RootCert)) {
		return nil, errors.New("no certificate found")
	}
	return pool, nil
}

func (t *TLS) certificates() ([]tls.Certificate, error) {
	if t.Cert == "" && t.Key == "" {
		return nil, nil
	}
	block, _ := pem.Decode([]byte(t.Key))
	if block == nil {
		return nil, certificateError("private-key error", errors.New("no key found"))
	}
	key := pem.EncodeToMemory(block)
	if x509.IsEncryptedPEMBlock(block) { //nolint:staticcheck // sslpassword is for keys of this form
		plain, err := x509.DecryptPEMBlock(block, []byte(t.Password)) //nolint:staticcheck // as above
		if err != nil {
			return nil, certificateError("private-key error", err)
		}
		key = pem.EncodeToMemory(&pem.Block{Type: block.Type, Bytes: plain})
	}
	pair, err := tls.X509KeyPair([]byte(t.Cert), key)
	if err != nil {
		return nil, certificateError("certificate error", err)
	}
	return []tls.Certificate{pair}, nil
}

func certificateError(message string, err error) error {
	return apierror.New(apierror.PostgresError, message).WithInternal(err.Error())
}
