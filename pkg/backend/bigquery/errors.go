package bigquery

import (
	"context"
	"errors"
	"fmt"
	"net/http"

	"queryengine/pkg/apierror"
)

var (
	errMalformed = errors.New("a row of the result is malformed")
	errResponse  = errors.New("the response has no result and no job")
)

// callerError is an error of who gets the rows, not of the database.
type callerError struct{ error }

func caller(err error) error {
	if err == nil {
		return nil
	}
	return callerError{err}
}

// detail is the internal part of a statement's error.
type detail struct {
	Query string      `json:"query"`
	Error errorDetail `json:"error"`
}

type errorDetail struct {
	Message string `json:"message"`
	Reason  string `json:"reason,omitempty"`
}

// Detail is the message of the database, for operators.
func (d detail) Detail() string { return d.Error.Message }

// queryError turns the error of a query into what the client may see: an *apierror.Error, or an error that wraps
// context.Canceled when the caller is gone.
func queryError(ctx context.Context, err error, text string) error {
	if err == nil {
		return nil
	}
	if own := (callerError{}); errors.As(err, &own) {
		return own.error
	}
	if found := (*apierror.Error)(nil); errors.As(err, &found) {
		return err
	}
	if ctx.Err() != nil {
		if errors.Is(ctx.Err(), context.DeadlineExceeded) {
			return apierror.New(apierror.Timeout, "the database did not answer within the time limit")
		}
		return fmt.Errorf("statement canceled: %w: %w", ctx.Err(), context.Cause(ctx))
	}
	internal := detail{Query: text, Error: errorDetail{Message: err.Error()}}
	var failed *apiError
	if !errors.As(err, &failed) {
		return apierror.New(apierror.BigQueryError, "connection error").WithInternal(internal)
	}
	internal.Error = errorDetail{Message: failed.Message, Reason: failed.reason()}
	message := "query execution failed"
	switch failed.reason() {
	case "quotaExceeded", "rateLimitExceeded", "jobRateLimitExceeded":
		message = "a quota of the database is exceeded"
	case "bytesBilledLimitExceeded":
		message = "the query would process more bytes than the source allows"
	}
	return apierror.New(apierror.BigQueryError, message).WithInternal(internal)
}

// rawError is queryError for the text of run_sql.
func rawError(ctx context.Context, err error, text string) error {
	err = queryError(ctx, err, text)
	if found := (*apierror.Error)(nil); errors.As(err, &found) && found.Code == apierror.BigQueryError {
		return found.WithStatus(http.StatusBadRequest)
	}
	return err
}

func errReadOnlySQL() error {
	return apierror.New(apierror.NotSupported, "BigQuery can't distinguish read-only statements: read_only isn't supported")
}
