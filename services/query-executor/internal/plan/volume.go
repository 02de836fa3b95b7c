package plan

import "queryengine/pkg/apierror"

// spareVolume is how many bytes values may take beyond once.
const spareVolume = 32 << 20

// Volume bounds the bytes that the values of a request take. A short document can use a long
// value any number of times, and each use takes room of its own.
type Volume struct{ left int }

// NewVolume has room for each of the values once, and some.
func NewVolume(values [][]byte) Volume {
	v := Volume{left: spareVolume}
	for _, value := range values {
		v.left += len(value)
	}
	return v
}

// Take takes room.
func (v *Volume) Take(bytes int) error {
	if v.left -= bytes; v.left < 0 {
		return apierror.New(apierror.ValidationFailed, "the values of variables are used too often")
	}
	return nil
}

// Size is about how many bytes the rows take.
func (r *InsertRows) Size() int {
	const row, cell = 16, 24
	size := 0
	for i := range r.Nodes {
		n := &r.Nodes[i]
		size += n.Count * row
		for _, column := range n.columns {
			for _, text := range column.values {
				size += cell + len(text)
			}
		}
	}
	return size
}
