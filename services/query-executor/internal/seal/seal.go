// Package seal encrypts global ids and cursors of the Relay schema for roles that may not read
// the primary keys inside.
//
// The encryption is deterministic: a row has one global id, and a page that has not changed is
// the same bytes. The nonce is derived from what is encrypted (a synthetic initialization
// vector), so that it only repeats where everything else does.
package seal

import (
	"bytes"
	"crypto/aes"
	"crypto/cipher"
	"crypto/hkdf"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/binary"

	"queryengine/pkg/snapshot"
)

const (
	keySize = 32
	// block is what texts are padded to in bytes, so that the length tells little of a key.
	block = 64
	// label keeps these keys apart from others that are derived from the same secret.
	label = "query engine, relay ids and cursors"
)

// Keys are those of an installation. They are safe for concurrent use.
type Keys struct {
	// list opens what is sealed; the first one seals.
	list []key
}

type key struct {
	aead  cipher.AEAD
	nonce []byte // the key that nonces are derived with
}

// New derives the keys from secrets, separated by commas, as Sealer of package snapshot takes
// them: the first one seals, all of them open. Without a secret there are none: nil.
func New(secrets string) (*Keys, error) {
	if secrets == "" {
		return nil, nil //nolint:nilnil // no keys
	}
	list, err := snapshot.SplitKeys(secrets)
	if err != nil {
		return nil, err
	}
	k := &Keys{}
	for _, secret := range list {
		derived, err := hkdf.Key(sha256.New, []byte(secret), nil, label, 2*keySize)
		if err != nil {
			return nil, err
		}
		encryption, err := aes.NewCipher(derived[:keySize])
		if err != nil {
			return nil, err
		}
		aead, err := cipher.NewGCM(encryption)
		if err != nil {
			return nil, err
		}
		k.list = append(k.list, key{aead: aead, nonce: derived[keySize:]})
	}
	return k, nil
}

// For is what seals texts that are about all of this: what one Sealer has sealed, another one
// opens only if it is about the same.
func (k *Keys) For(about ...string) *Sealer {
	s := &Sealer{keys: k}
	for _, a := range about {
		s.about = binary.AppendUvarint(s.about, uint64(len(a)))
		s.about = append(s.about, a...)
	}
	return s
}

// Sealer seals texts that belong together: JSON, which may end with spaces. It is safe for
// concurrent use.
type Sealer struct {
	keys  *Keys
	about []byte
}

// Seal appends the sealed text to dst. Equal texts are sealed alike.
func (s *Sealer) Seal(dst, text []byte) []byte {
	k := &s.keys.list[0]
	start, size := len(dst), k.aead.NonceSize()
	dst = append(dst, make([]byte, size)...)
	dst = append(dst, text...)
	for (len(dst)-start-size)%block != 0 {
		dst = append(dst, ' ')
	}
	nonce, padded := dst[start:start+size], dst[start+size:]
	mac := hmac.New(sha256.New, k.nonce)
	mac.Write(binary.AppendUvarint(nil, uint64(len(s.about))))
	mac.Write(s.about)
	mac.Write(padded)
	copy(nonce, mac.Sum(nil))
	return k.aead.Seal(dst[:start+size], nonce, padded, s.about)
}

// Open gives the text of what a Sealer about the same has sealed, and reports whether it is that.
func (s *Sealer) Open(sealed []byte) ([]byte, bool) {
	for i := range s.keys.list {
		aead := s.keys.list[i].aead
		if len(sealed) < aead.NonceSize() {
			return nil, false
		}
		nonce, rest := sealed[:aead.NonceSize()], sealed[aead.NonceSize():]
		if text, err := aead.Open(nil, nonce, rest, s.about); err == nil {
			return bytes.TrimRight(text, " "), true
		}
	}
	return nil, false
}

// Name tells apart Sealers that are about different things.
func (s *Sealer) Name() string { return string(s.about) }
