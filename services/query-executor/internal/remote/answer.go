package remote

import (
	"encoding/json"
	"errors"
	"unicode/utf8"

	"queryengine/pkg/apierror"
	"queryengine/pkg/jsonwalk"
)

// ServerError holds the errors of a remote, which clients get as they are: a JSON list.
type ServerError struct{ List []byte }

// Error reports that there are some. Their texts are for clients alone.
func (*ServerError) Error() string { return "the remote server answered with errors" }

// Answer is the data and errors in the answer of a remote.
type Answer struct {
	// Data is nil for none, and for null.
	Data []byte
	// Errors are nil for none.
	Errors []byte
	// null reports whether data is there and is null.
	null bool
}

// parse reads the body of an answer. What it finds is as good as JSON as brackets and quotes
// tell: a Shape looks closer at what it copies.
func parse(body []byte) (*Answer, error) {
	a := &Answer{}
	if !utf8.Valid(body) {
		return a, errors.New("Cannot decode input: Invalid UTF-8 stream") //nolint:staticcheck // it is the end of a message
	}
	c := jsonwalk.NewCursor(body)
	if c.Kind() != jsonwalk.Object {
		return a, syntax(body)
	}
	err := c.Object(func(key []byte) error {
		value, err := c.Value()
		switch {
		case string(key) == "data" && jsonwalk.KindOf(value) == jsonwalk.Null:
			a.null = true
		case string(key) == "data":
			a.Data = value
		case string(key) == "errors" && jsonwalk.KindOf(value) != jsonwalk.Null:
			a.Errors = value
		}
		return err
	})
	if err == nil {
		err = c.End()
	}
	if err != nil || a.Errors != nil { // which are rare, and handed on as they are
		err = syntax(body)
	}
	return a, err
}

// syntax is the fault in JSON, nil for none.
func syntax(body []byte) error {
	var v any
	return json.Unmarshal(body, &v)
}

// Root finds the value of a root field in the body of an answer, under the rules for root
// fields. The errors of the remote are *ServerError; with data first, they don't count as long as
// there are data.
func Root(body []byte, key string, dataFirst bool) ([]byte, error) {
	a, err := parse(body)
	if err != nil {
		return nil, fault("Error in $: " + err.Error())
	}
	if err := a.check(dataFirst); err != nil {
		return nil, err
	}
	value, err := lookUp(a.Data, key)
	if err == nil && value == nil {
		err = fault("expecting key " + key)
	}
	return value, err
}

func (a *Answer) check(dataFirst bool) error {
	switch {
	case a.Errors != nil && (a.Data == nil || !dataFirst):
		if jsonwalk.KindOf(a.Errors) != jsonwalk.Array {
			return fault(`Invalid "errors" field in response from remote`)
		}
		if c := jsonwalk.NewCursor(a.Errors); isEmpty(&c) {
			return fault(`Empty "errors" field in response from remote`)
		}
		return &ServerError{List: a.Errors}
	case a.null:
		return fault(`Received null "data" field with no errors in response from remote`)
	case a.Data == nil:
		return fault(`Missing "data" field with no errors in response from remote`)
	}
	return nil
}

func isEmpty(c *jsonwalk.Cursor) bool {
	empty := true
	_ = c.Array(func() error { // it was checked to be JSON
		empty = false
		return c.Skip()
	})
	return empty
}

// lookUp is the member of an object, nil when it isn't there.
func lookUp(object []byte, key string) (found []byte, err error) {
	if jsonwalk.KindOf(object) != jsonwalk.Object {
		return nil, fault("expecting an object as the data of the remote")
	}
	err = jsonwalk.Fields(object, func(k, value []byte) error {
		if string(k) == key {
			found = value
		}
		return nil
	})
	return found, err
}

func fault(message string) error { return apierror.New(apierror.RemoteSchemaError, message) }
