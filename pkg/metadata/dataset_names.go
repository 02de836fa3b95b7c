package metadata

import (
	"queryengine/pkg/apierror"
	"queryengine/pkg/jsonwalk"
)

// namesOfTables are the keys whose values are names of tables and functions, in whichever part of a source.
var namesOfTables = map[string]bool{"table": true, "remote_table": true, "return_table": true, "function": true, "_table": true}

// withDatasets is an encoded source of BigQuery, whose names have a dataset where those of other kinds have a schema.
// Names in other sources (to_source) stay as they are.
func withDatasets(raw []byte) ([]byte, error) {
	return appendWithDatasets(make([]byte, 0, len(raw)+len(raw)/8), raw)
}

func appendWithDatasets(dst, raw []byte) ([]byte, error) {
	comma := func(i int) {
		if i > 0 {
			dst = append(dst, ',')
		}
	}
	var err error
	switch jsonwalk.KindOf(raw) {
	case jsonwalk.Array:
		dst = append(dst, '[')
		err = jsonwalk.Items(raw, func(i int, item []byte) error {
			comma(i)
			dst, err = appendWithDatasets(dst, item)
			return err
		})
		return append(dst, ']'), err
	case jsonwalk.Object:
		dst = append(dst, '{')
		i := 0
		err = jsonwalk.Fields(raw, func(key, value []byte) error {
			comma(i)
			i++
			text, err := Encode(string(key))
			if err != nil {
				return err
			}
			dst = append(append(dst, text...), ':')
			switch name := string(key); {
			case name == "to_source":
				dst = append(dst, value...)
			case namesOfTables[name]:
				dst, err = appendName(dst, value)
			default:
				dst, err = appendWithDatasets(dst, value)
			}
			return err
		})
		return append(dst, '}'), err
	}
	return append(dst, raw...), nil
}

// appendName writes a name with its dataset. What has other keys isn't one.
func appendName(dst, raw []byte) ([]byte, error) {
	var name, schema []byte
	other := jsonwalk.KindOf(raw) != jsonwalk.Object
	if !other {
		err := jsonwalk.Fields(raw, func(key, value []byte) error {
			switch {
			case string(key) == "name" && jsonwalk.KindOf(value) == jsonwalk.String:
				name = value
			case string(key) == "schema" && jsonwalk.KindOf(value) == jsonwalk.String:
				schema = value
			default:
				other = true
			}
			return nil
		})
		if err != nil {
			return dst, apierror.From(err)
		}
	}
	if other || name == nil || schema == nil {
		return appendWithDatasets(dst, raw)
	}
	dst = append(append(dst, `{"dataset":`...), schema...)
	return append(append(append(dst, `,"name":`...), name...), '}'), nil
}
