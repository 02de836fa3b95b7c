package metadata

import "encoding/json"

// GetStatus are the arguments of get_status, which looks at none.
type GetStatus struct{}

func (*GetStatus) decode(json.RawMessage) error { return nil }
