package input

import "queryengine/pkg/jsonwalk"

// longText is JSON of which several levels are walked.
type longText struct {
	json []byte
	read bool
	doc  *jsonwalk.Doc
}

// longFrom is from what size on levels are not just read again.
const longFrom = 4 << 10

func newLongText(json []byte) *longText {
	if len(json) < longFrom {
		return nil
	}
	return &longText{json: json}
}

// walk gives what to walk parts with.
func (t *longText) walk() *jsonwalk.Doc {
	if t == nil {
		return nil
	}
	if !t.read {
		t.read, t.doc = true, jsonwalk.NewDoc(t.json)
	}
	return t.doc
}
