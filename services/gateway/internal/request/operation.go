package request

import "queryengine/services/gateway/internal/jsonscan"

// OperationType is the type of a metadata, schema or data request, "" when it has none;
// what is wrong with the request then is said by the service that runs it. The body must
// be JSON.
func OperationType(body []byte) (string, error) {
	v, err := parse(body)
	if err != nil || v.Kind != jsonscan.Object {
		return "", err
	}
	name := ""
	err = v.Members(func(key []byte, m jsonscan.Value) error {
		if string(key) == "type" && m.Kind == jsonscan.String {
			name = m.Text()
		}
		return nil
	})
	return name, err
}
