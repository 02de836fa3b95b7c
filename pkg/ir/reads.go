package ir

import "reflect"

// Reads calls f with each relation that a part of a plan reads besides the row in scope, and with each function that it calls, until f
// returns false. Plans are plain data, so that whatever is added to them is found.
func Reads(part any, f func(From, *Call) bool) { reads(reflect.ValueOf(part), f) }

func reads(v reflect.Value, f func(From, *Call) bool) bool {
	switch v.Kind() {
	case reflect.Interface, reflect.Pointer:
		return v.IsNil() || reads(v.Elem(), f)
	case reflect.Slice:
		for i := range v.Len() {
			if !reads(v.Index(i), f) {
				return false
			}
		}
	case reflect.Struct:
		if !v.CanInterface() {
			return true
		}
		switch node := v.Interface().(type) {
		case From:
			if !f(node, nil) {
				return false
			}
		case Call:
			if !f(nil, &node) {
				return false
			}
		}
		for i := range v.NumField() {
			if field := v.Field(i); field.CanInterface() && !reads(field, f) {
				return false
			}
		}
	}
	return true
}
