package jwt

import (
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/rsa"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"
	"slices"

	"github.com/lestrrat-go/jwx/v2/jwa"
	"github.com/lestrrat-go/jwx/v2/jws"
)

// key is a public or shared key and the algorithms that it may verify. Tying algorithms to
// the kind of key is what keeps a public key from being used as an HMAC secret.
type key struct {
	id         string
	material   any
	algorithms []jwa.SignatureAlgorithm
}

func (k *key) fits(alg jwa.SignatureAlgorithm) bool { return slices.Contains(k.algorithms, alg) }

func (k *key) verify(token []byte, alg jwa.SignatureAlgorithm) error {
	_, err := jws.Verify(token, jws.WithKey(alg, k.material))
	return err
}

// minimum sizes of shared keys, in bytes.
var hmacSizes = []struct {
	alg  jwa.SignatureAlgorithm
	size int
}{{jwa.HS256, 32}, {jwa.HS384, 48}, {jwa.HS512, 64}}

// parseKey reads the pair of type and key.
func parseKey(kind, text string, enableEC bool) (*key, error) {
	switch alg := jwa.SignatureAlgorithm(kind); alg {
	case jwa.HS256, jwa.HS384, jwa.HS512:
		return sharedKey(alg, []byte(text))
	case jwa.RS256, jwa.RS384, jwa.RS512, "Ed25519":
		public, err := publicKey(text, enableEC)
		if err != nil {
			return nil, err
		}
		k, err := asymmetric(public, enableEC)
		if err == nil && k.fits(jwa.EdDSA) != (kind == "Ed25519") {
			err = fmt.Errorf("the key is not of type %s", kind)
		}
		return k, err
	case jwa.ES256, jwa.ES384, jwa.ES512:
		if !enableEC {
			break
		}
		public, err := publicKey(text, enableEC)
		if err != nil {
			return nil, err
		}
		k, err := asymmetric(public, enableEC)
		if err == nil && !k.fits(alg) {
			err = fmt.Errorf("the key is not of type %s", kind)
		}
		return k, err
	}
	return nil, fmt.Errorf("Key type: %s is not supported", kind) //nolint:staticcheck // wire text
}

func sharedKey(least jwa.SignatureAlgorithm, secret []byte) (*key, error) {
	k := &key{material: secret}
	for _, h := range hmacSizes {
		if h.alg == least && len(secret) < h.size {
			return nil, fmt.Errorf("Key size too small; should be atleast %d characters", h.size) //nolint:staticcheck // wire text
		}
		if h.alg >= least && len(secret) >= h.size {
			k.algorithms = append(k.algorithms, h.alg)
		}
	}
	return k, nil
}

// asymmetric ties a public key to the algorithms of its family.
func asymmetric(public any, enableEC bool) (*key, error) {
	switch p := public.(type) {
	case *rsa.PublicKey:
		return &key{material: p, algorithms: []jwa.SignatureAlgorithm{jwa.RS256, jwa.RS384, jwa.RS512}}, nil
	case ed25519.PublicKey:
		return &key{material: p, algorithms: []jwa.SignatureAlgorithm{jwa.EdDSA}}, nil
	case *ecdsa.PublicKey:
		if !enableEC {
			return nil, errors.New("Key type: EC is not supported") //nolint:staticcheck // wire text
		}
		alg, ok := map[int]jwa.SignatureAlgorithm{256: jwa.ES256, 384: jwa.ES384, 521: jwa.ES512}[p.Curve.Params().BitSize]
		if !ok {
			return nil, fmt.Errorf("curve %s is not supported", p.Curve.Params().Name)
		}
		return &key{material: p, algorithms: []jwa.SignatureAlgorithm{alg}}, nil
	}
	return nil, fmt.Errorf("Key type: %T is not supported", public) //nolint:staticcheck // wire text
}

// publicKey reads PEM: PKCS #1, SPKI, or an X.509 certificate.
func publicKey(text string, enableEC bool) (any, error) {
	block, _ := pem.Decode([]byte(text))
	if block == nil {
		return nil, errors.New("Could not decode PEM: no PEM block found") //nolint:staticcheck // wire text
	}
	switch block.Type {
	case "RSA PUBLIC KEY":
		k, err := x509.ParsePKCS1PublicKey(block.Bytes)
		return k, pemError(err)
	case "PUBLIC KEY":
		k, err := x509.ParsePKIXPublicKey(block.Bytes)
		return k, pemError(err)
	case "CERTIFICATE":
		certificate, err := x509.ParseCertificate(block.Bytes)
		if err != nil {
			return nil, pemError(err)
		}
		switch certificate.PublicKey.(type) {
		case *rsa.PublicKey, ed25519.PublicKey:
			return certificate.PublicKey, nil
		case *ecdsa.PublicKey:
			if enableEC {
				return certificate.PublicKey, nil
			}
		}
		return nil, errors.New("Could not decode RSA or EdDSA public key from x509 cert") //nolint:staticcheck // wire text
	}
	return nil, fmt.Errorf("Could not decode PEM: unexpected block %q", block.Type) //nolint:staticcheck // wire text
}

func pemError(err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("Could not decode PEM: %w", err) //nolint:staticcheck // wire text
}
