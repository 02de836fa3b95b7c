package plan

// sizeOf is how many bytes values take once.
func sizeOf(values [][]byte) int {
	size := 0
	for _, v := range values {
		size += len(v)
	}
	return size
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
