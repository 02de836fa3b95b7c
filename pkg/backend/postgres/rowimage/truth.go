package rowimage

// Truth is what is known of the outcome of a condition: the set of the outcomes that it may have, of the three
// that SQL knows.
type Truth uint8

// The single outcomes, and that nothing is known.
const (
	True Truth = 1 << iota
	False
	Null
	Unknown = True | False | Null
)

// Maybe reports whether the condition may hold.
func (t Truth) Maybe() bool { return t&True != 0 }

func truth(b bool) Truth {
	if b {
		return True
	}
	return False
}

func not(t Truth) Truth { return t&Null | t&True<<1 | t&False>>1 }

// and is exact for conditions that don't depend on each other.
func and(a, b Truth) Truth {
	t := (a | b) & False
	if both := a & b; both&True != 0 {
		t |= True
	}
	if a&Null != 0 && b&(True|Null) != 0 || b&Null != 0 && a&(True|Null) != 0 {
		t |= Null
	}
	return t
}

func or(a, b Truth) Truth { return not(and(not(a), not(b))) }
