package parse

// manyMembers is from how many members on they are looked up in a map: looking through the
// list for each of them would cost their square.
const manyMembers = 32

// members collects arguments, or the members of an object.
type members struct {
	list   []Argument
	byName map[string]int // nil for few
}

func newMembers(n int) *members {
	m := &members{list: make([]Argument, 0, n)}
	if n > manyMembers {
		m.byName = make(map[string]int, n)
	}
	return m
}

// set adds a member; one that is given twice counts the last time, as in JSON.
func (m *members) set(name string, v Value) {
	if m.byName == nil {
		if old := find(m.list, name); old != nil {
			old.Value = v
			return
		}
	} else if i, ok := m.byName[name]; ok {
		m.list[i].Value = v
		return
	} else {
		m.byName[name] = len(m.list)
	}
	m.list = append(m.list, Argument{Name: name, Value: v})
}

// EqualArguments reports whether two lists of arguments are the same but for their order.
func EqualArguments(a, b []Argument) bool {
	if len(a) != len(b) {
		return false
	}
	var byName map[string]int
	if len(b) > manyMembers {
		byName = make(map[string]int, len(b))
		for i := range b {
			byName[b[i].Name] = i
		}
	}
	for i := range a {
		var other *Argument
		if byName == nil {
			other = find(b, a[i].Name)
		} else if n, ok := byName[a[i].Name]; ok {
			other = &b[n]
		}
		if other == nil || !a[i].Value.Equal(&other.Value) {
			return false
		}
	}
	return true
}

func find(list []Argument, name string) *Argument {
	for i := range list {
		if list[i].Name == name {
			return &list[i]
		}
	}
	return nil
}
