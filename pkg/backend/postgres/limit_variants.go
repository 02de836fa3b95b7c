package postgres

import (
	"bytes"
	"slices"
	"sync"
	"sync/atomic"
)

const (
	// maxVariants is how many texts with limits of their own a statement has.
	maxVariants = 8
	// replaceAfter is after how many requests with other limits the least used text gives way.
	replaceAfter = 256
	// maxLimitDigits is how long a limit may be that is part of a text.
	maxLimitDigits = 9
)

// variants are the texts of a statement for the limits that occur. The planner makes much of a
// limit that it knows; of one that is a parameter it knows nothing when the plan is to be for all.
// There are few of them: others than the most common limits stay parameters.
type variants struct {
	list atomic.Pointer[[]*variant]
	// adding guards misses and changes of the list.
	adding sync.Mutex
	misses int
}

type variant struct {
	limits    [][]byte
	statement *statement
	hits      atomic.Uint32
}

// forLimits is the statement for the limits among its variables.
func (s *statement) forLimits(variables [][]byte) *statement {
	indexes := s.utc.limits
	if len(indexes) == 0 || s.variants == nil || indexes[len(indexes)-1] >= len(variables) {
		return s
	}
	if list := s.variants.list.Load(); list != nil {
		for _, v := range *list {
			if v.fits(indexes, variables) {
				v.hits.Add(1)
				return v.statement
			}
		}
	}
	return s.addVariant(indexes, variables)
}

func (v *variant) fits(indexes []int, variables [][]byte) bool {
	for i, index := range indexes {
		if (v.limits[i] == nil) != (variables[index] == nil) || !bytes.Equal(v.limits[i], variables[index]) {
			return false
		}
	}
	return true
}

// addVariant makes the text for limits that have none, where there is room.
func (s *statement) addVariant(indexes []int, variables [][]byte) *statement {
	literals := make(map[int]string, len(indexes))
	v := &variant{limits: make([][]byte, len(indexes))}
	for i, index := range indexes {
		value := variables[index]
		if !plainLimit(value) {
			return s
		}
		literals[index], v.limits[i] = "NULL", bytes.Clone(value)
		if value != nil {
			literals[index] = string(value)
		}
	}
	if !s.variants.adding.TryLock() {
		return s
	}
	defer s.variants.adding.Unlock()
	var list []*variant
	if known := s.variants.list.Load(); known != nil {
		list = slices.Clone(*known)
	}
	if len(list) == maxVariants {
		if s.variants.misses++; s.variants.misses < replaceAfter {
			return s
		}
		s.variants.misses = 0
		least := slices.MinFunc(list, func(a, b *variant) int { return int(a.hits.Load()) - int(b.hits.Load()) })
		list = slices.DeleteFunc(list, func(other *variant) bool { return other == least })
		for _, other := range list {
			other.hits.Store(0)
		}
	}
	made, err := newStatement(func(m mode) (*rendered, error) {
		m.limits = literals
		return s.render(m)
	})
	if err != nil {
		return s
	}
	v.statement = made
	list = append(list, v)
	s.variants.list.Store(&list)
	return made
}

// plainLimit reports whether a limit is fit to be part of a text: it is NULL, or a number as one writes it.
func plainLimit(value []byte) bool {
	if value == nil {
		return true
	}
	if len(value) == 0 || len(value) > maxLimitDigits || value[0] == '0' && len(value) > 1 {
		return false
	}
	for _, c := range value {
		if c < '0' || c > '9' {
			return false
		}
	}
	return true
}
