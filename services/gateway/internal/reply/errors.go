package reply

import (
	"queryengine/pkg/apierror"
	"queryengine/pkg/jsontext"
)

// AppendGraphQLError appends an error as the GraphQL endpoints answer it. internal includes the
// internal part, for callers that may see it.
func AppendGraphQLError(b []byte, e *apierror.Error, internal bool) []byte {
	b = AppendGraphQLErrorItem(append(b, `{"errors":[`...), e, internal)
	return append(b, `]}`...)
}

// AppendGraphQLErrorItem appends an error as an item of the list "errors".
func AppendGraphQLErrorItem(b []byte, e *apierror.Error, internal bool) []byte {
	b = append(b, `{"message":`...)
	b = jsontext.AppendString(b, e.Message)
	if e.Extensions != nil {
		return append(append(append(b, `,"extensions":`...), e.Extensions...), '}')
	}
	b = append(b, `,"extensions":{"path":`...)
	b = jsontext.AppendString(b, e.Path)
	b = append(b, `,"code":`...)
	b = jsontext.AppendString(b, string(e.Code))
	b = appendInternal(b, e, internal)
	return append(b, `}}`...)
}

// AppendAPIError appends an error as every other endpoint answers it.
func AppendAPIError(b []byte, e *apierror.Error, internal bool) []byte {
	b = append(b, `{"error":`...)
	b = jsontext.AppendString(b, e.Message)
	b = append(b, `,"path":`...)
	b = jsontext.AppendString(b, e.Path)
	b = append(b, `,"code":`...)
	b = jsontext.AppendString(b, string(e.Code))
	b = appendInternal(b, e, internal)
	return append(b, '}')
}

func appendInternal(b []byte, e *apierror.Error, internal bool) []byte {
	if !internal || e.Internal == nil {
		return b
	}
	return append(append(b, `,"internal":`...), e.InternalJSON()...)
}
