package api

import (
	"mime"
	"net/http"
	"strconv"
	"strings"

	"queryengine/pkg/apierror"
	"queryengine/services/gateway/internal/accesslog"
	"queryengine/services/gateway/internal/request"
)

// What the specification "GraphQL over HTTP" asks for, and the established wire format does
// not: another media type with statuses of its own for clients that ask for it, 4xx for
// requests that are none, and queries by GET.

// responseType is the media type whose statuses tell whether the operation ran.
const responseType = "application/graphql-response+json"

var responseTypes = []string{responseType + "; charset=utf-8"}

// strictly prepares an exchange at a GraphQL endpoint, and refuses bodies of other types.
func (x *exchange) strictly() error {
	if !x.api.StrictOverHTTP || x.errors != graphqlErrors200 {
		return nil
	}
	if prefersResponseType(x.r.Header.Values("Accept")) {
		x.errors = graphqlErrors
		x.w.Header()["Content-Type"] = responseTypes
	} else {
		x.errors = graphqlErrorsStrict
	}
	if x.r.Method != http.MethodPost {
		return nil
	}
	if kind, _, err := mime.ParseMediaType(x.r.Header.Get("Content-Type")); err != nil || kind != "application/json" {
		return apierror.New(apierror.BadRequest, "the content type must be application/json").WithStatus(http.StatusUnsupportedMediaType)
	}
	return nil
}

// prefersResponseType reports whether a client that accepts these prefers responseType to plain
// JSON.
func prefersResponseType(accept []string) bool {
	response, plain := 0.0, 0.0
	for item := range strings.SplitSeq(strings.Join(accept, ","), ",") {
		kind, parameters, err := mime.ParseMediaType(item)
		if err != nil {
			continue
		}
		quality := 1.0
		if q, err := strconv.ParseFloat(parameters["q"], 64); err == nil {
			quality = q
		}
		switch kind {
		case responseType:
			response = max(response, quality)
		case "application/json":
			plain = max(plain, quality)
		}
	}
	return response > 0 && response >= plain
}

// requestFault reports whether an error means that there was no GraphQL request at all.
func requestFault(e *apierror.Error) bool {
	switch e.Code {
	case apierror.InvalidJSON, apierror.ParseFailed, apierror.BadRequest:
		return true
	}
	return false
}

// graphqlByGET runs the query of a GET request, whose document is named; mutations are refused. With StrictOverHTTP the request may have
// its text, too.
func graphqlByGET(x *exchange) error {
	x.mode = accesslog.ModeError
	x.mayCache()
	if err := x.strictly(); err != nil {
		return err
	}
	if err := x.authenticate(nil); err != nil {
		return err
	}
	parameters := x.r.URL.Query()
	r := request.OfQuery(parameters)
	switch {
	case r.Document.Named():
	case x.api.StrictOverHTTP && r.Query == "":
		return apierror.New(apierror.BadRequest, "the parameter query is missing")
	case x.api.StrictOverHTTP:
	case r.Query != "":
		return apierror.New(apierror.NotSupported, "queries are sent by POST; by GET, too, with --strict-graphql-over-http")
	default:
		return request.ErrPersistedQuery()
	}
	if text := parameters.Get("variables"); text != "" {
		variables, err := request.ReadVariables([]byte(text))
		if err != nil {
			return apierror.At(err, "variables")
		}
		r.Variables = variables
	}
	x.mode = accesslog.ModeSingle
	err := x.api.findDocument(x.session, &r)
	x.asks(r)
	if err != nil {
		return err
	}
	if done, err := x.answerKnown(&r); done || err != nil {
		return err
	}
	return x.execute(r, false, x)
}
