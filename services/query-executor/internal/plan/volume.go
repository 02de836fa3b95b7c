package plan

// sizeOf is how many bytes values take once.
func sizeOf(values [][]byte) int {
	size := 0
	for _, v := range values {
		size += len(v)
	}
	return size
}
