package request

import "queryengine/pkg/jsontext"

// Canonical is the GraphQL request of a body, or the batch of them, with the members that
// requests have and no others: what webhooks are shown. It is nil for a body that holds something
// else. stored gives a request that names a document its text, where that is known.
func Canonical(body []byte, stored func(*GraphQL)) []byte {
	b, err := ReadBody(body)
	if err != nil {
		return nil
	}
	if !b.IsBatch() {
		r, err := b.Single()
		if err != nil {
			return nil
		}
		stored(&r)
		return appendRequest(nil, r)
	}
	out := []byte{'['}
	err = b.Batch(func(i int, r GraphQL, err error) error {
		if err != nil {
			return err
		}
		if i > 0 {
			out = append(out, ',')
		}
		stored(&r)
		out = appendRequest(out, r)
		return nil
	})
	if err != nil {
		return nil
	}
	return append(out, ']')
}

func appendRequest(out []byte, r GraphQL) []byte {
	out = jsontext.AppendString(append(out, `{"query":`...), r.Query)
	if r.Document.ID != "" {
		out = jsontext.AppendString(append(out, `,"documentId":`...), r.Document.ID)
	}
	if r.OperationName != "" {
		out = jsontext.AppendString(append(out, `,"operationName":`...), r.OperationName)
	}
	if r.Variables != nil {
		out = append(append(out, `,"variables":`...), r.Variables...)
	}
	return append(out, '}')
}
