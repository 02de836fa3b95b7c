package remotes

import (
	"errors"

	"queryengine/pkg/apierror"
	"queryengine/pkg/egress"
	"queryengine/pkg/metadata"
)

// failed is the error of a call without an answer. It shows the address as the user wrote it.
func failed(d *metadata.RemoteSchemaDefinition, err error) *apierror.Error {
	e := apierror.Newf(apierror.RemoteSchemaError, "HTTP exception occurred while sending the request to %q", d.Shown())
	var call *egress.Error
	if errors.As(err, &call) {
		return e.WithInternal(transport{call.Type(), call.Error()})
	}
	return e
}

// transport is the wire format's description of a call without an answer.
type transport struct {
	Type    string `json:"type"`
	Message string `json:"message"`
}
