package snapshot

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
)

// leastKey is the least length of a key of a Sealer, in characters.
const leastKey = 32

// Sealer keeps secrets of the metadata from readers of the stream of changes. A message with secrets
// shows *** in their place, and holds all of itself encrypted (AES-256-GCM) for processes that have the
// key. It is safe for concurrent use.
type Sealer struct {
	// keys decrypt; the first one also encrypts.
	keys []cipher.AEAD
}

// NewSealer makes a Sealer of keys, separated by commas: the first one encrypts, all of them decrypt,
// so that a key can be replaced. Each should be impossible to guess.
func NewSealer(keys string) (*Sealer, error) {
	list, err := SplitKeys(keys)
	if err != nil {
		return nil, err
	}
	s := &Sealer{}
	for _, key := range list {
		sum := sha256.Sum256([]byte("query engine, metadata changes\x00" + key))
		block, err := aes.NewCipher(sum[:])
		if err != nil {
			return nil, err
		}
		sealed, err := cipher.NewGCMWithRandomNonce(block)
		if err != nil {
			return nil, err
		}
		s.keys = append(s.keys, sealed)
	}
	return s, nil
}

// SplitKeys are keys that are separated by commas. It refuses those that are too short.
func SplitKeys(keys string) ([]string, error) {
	var list []string
	for key := range strings.SplitSeq(keys, ",") {
		if key = strings.TrimSpace(key); len(key) < leastKey {
			return nil, fmt.Errorf("a key needs at least %d characters", leastKey)
		}
		list = append(list, key)
	}
	return list, nil
}

// sealedChange is a message whose objects are redacted.
type sealedChange struct {
	*Change
	// Sealed is the whole message, encrypted.
	Sealed []byte `json:"sealed,omitempty"`
}

// Seal returns the message of a change as every reader may see it; data itself when it has no secret.
func (s *Sealer) Seal(streamID string, version int64, data []byte) ([]byte, error) {
	c, err := DecodeChange(data)
	if err != nil {
		return nil, err
	}
	secret := false
	for i := range c.Objects {
		if c.Objects[i].Value == nil {
			continue
		}
		shown, changed, err := redact(c.Objects[i].Kind, c.Objects[i].Value)
		if err != nil {
			return nil, fmt.Errorf("find the secrets of a change: %w", err)
		}
		c.Objects[i].Value, secret = shown, secret || changed
	}
	if !secret {
		return data, nil
	}
	return json.Marshal(sealedChange{Change: c, Sealed: s.keys[0].Seal(nil, nil, data, belongsTo(streamID, version))})
}

// belongsTo binds an encrypted message to its place in the stream.
func belongsTo(streamID string, version int64) []byte {
	return fmt.Appendf(nil, "%s:%d", streamID, version)
}

var (
	errNoKey    = errors.New("the change holds sealed secrets, and there is no key: set --metadata-key as the metadata service has it")
	errWrongKey = errors.New("the secrets of the change were sealed with another key: set --metadata-key as the metadata service has it")
)

// Open returns the whole message of a change. A nil Sealer opens messages without secrets.
func (s *Sealer) Open(streamID string, version int64, data []byte) ([]byte, error) {
	var c struct {
		Sealed []byte `json:"sealed"`
	}
	if err := json.Unmarshal(data, &c); err != nil {
		return nil, fmt.Errorf("decode the change: %w", err)
	}
	if c.Sealed == nil {
		return data, nil
	}
	if s == nil {
		return nil, errNoKey
	}
	for _, key := range s.keys {
		if whole, err := key.Open(nil, nil, c.Sealed, belongsTo(streamID, version)); err == nil {
			return whole, nil
		}
	}
	return nil, errWrongKey
}
