package answer

import (
	"fmt"
	"reflect"
	"strings"

	"queryengine/pkg/ir"
)

// WriteKey writes what tells a shape from others.
func (s *Shape) WriteKey(b *strings.Builder) {
	if s == nil {
		return
	}
	b.WriteByte('(')
	for i := range s.Parts {
		p := &s.Parts[i]
		fmt.Fprintf(b, "%q %d %d %d %t %d", p.Lead, p.Kind, p.Column, p.Cell.Type, p.Cell.Quoted, reflect.ValueOf(p.Cell.Encode).Pointer())
		writeSeal(b, p.Seal)
		p.Shape.WriteKey(b)
		if g := p.Page; g != nil {
			fmt.Fprintf(b, "page %d %t %d %t %q", g.Size, g.Last, g.Excluded, g.After, g.Tail)
			writeSeal(b, g.Seal)
			g.Cursor.WriteKey(b)
			for _, part := range g.Parts {
				fmt.Fprintf(b, "%q %s", part.Lead, part.Info)
				part.Edges.WriteKey(b)
			}
		}
	}
	fmt.Fprintf(b, "%q)", s.Tail)
}

func writeSeal(b *strings.Builder, seal ir.Sealer) {
	if seal != nil {
		fmt.Fprintf(b, "%q", seal.Name())
	}
}
