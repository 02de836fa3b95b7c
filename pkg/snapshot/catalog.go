package snapshot

import (
	"encoding/json"
	"fmt"

	"queryengine/pkg/catalog"
	"queryengine/pkg/metadata"
)

// EncodeCatalog returns a catalog as JSON, as it is part of snapshots. Equal catalogs have equal
// texts.
func EncodeCatalog(c *catalog.Source) ([]byte, error) { return metadata.Encode(encodeCatalog(c)) }

// DecodeCatalog is the inverse of EncodeCatalog.
func DecodeCatalog(raw []byte) (*catalog.Source, error) {
	var e encodedCatalog
	if err := json.Unmarshal(raw, &e); err != nil {
		return nil, fmt.Errorf("decode a catalog: %w", err)
	}
	return e.decode(), nil
}
