package remoteschema

import "slices"

// fillPresets makes presets of arguments, and of fields of input objects, for which a client can choose
// nothing: those of an input object all of whose permitted fields have presets. They are sent whether
// or not a client would have given the object, and its type is removed from the schema.
func (p *permission) fillPresets(s *Schema) {
	filled := map[*Type]bool{}
	for again := true; again; {
		again = false
		for _, t := range s.Types {
			if t.Kind == InputObject && !filled[t] && len(t.Inputs) == 0 && len(t.Presets) > 0 {
				filled[t], again = true, true
				p.fill(s, t)
			}
		}
	}
	if len(filled) > 0 {
		used := inputsInUse(s)
		s.Types = slices.DeleteFunc(s.Types, func(t *Type) bool {
			if !filled[t] || used[t] {
				return false
			}
			delete(s.byName, t.Name)
			delete(s.byRemote, t.Remote)
			return true
		})
	}
}

// fill puts the presets of t wherever an object of it was to be given.
func (p *permission) fill(s *Schema, t *Type) {
	fields := make([]ObjectField, len(t.Presets))
	values := make([]Value, len(t.Presets))
	for i, preset := range t.Presets {
		fields[i], values[i] = ObjectField{preset.Name, preset.Value}, preset.Value
	}
	value := simplified(ObjectValue{fields}, values)
	move := func(inputs []*Input, presets []*Preset, upstream []*Input) ([]*Input, []*Preset) {
		var kept []*Input
		for _, i := range inputs {
			if i.Type.Type == t {
				presets = append(slices.Clip(presets), &Preset{Input: input(upstream, i.Name), Value: value})
			} else {
				kept = append(kept, i)
			}
		}
		return kept, presets
	}
	for _, u := range s.Types {
		upstream := p.upstream.byRemote[u.Remote]
		u.Inputs, u.Presets = move(u.Inputs, u.Presets, upstream.Inputs)
		for _, f := range u.Fields {
			f.Args, f.Presets = move(f.Args, f.Presets, upstream.RemoteField(f.Remote).Args)
		}
	}
}

// inputsInUse are the types of arguments and of fields of input objects.
func inputsInUse(s *Schema) map[*Type]bool {
	used := map[*Type]bool{}
	add := func(list []*Input) {
		for _, i := range list {
			used[i.Type.Named()] = true
		}
	}
	for _, t := range s.Types {
		add(t.Inputs)
		for _, f := range t.Fields {
			add(f.Args)
		}
	}
	return used
}
