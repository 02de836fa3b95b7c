package api

import (
	"bytes"
	"mime"
	"mime/multipart"
	"net/url"
	"strings"

	"google.golang.org/protobuf/proto"

	"queryengine/pkg/apierror"
	"queryengine/services/gateway/internal/accesslog"
	"queryengine/services/gateway/internal/request"
)

// restPrefix is what the paths of all REST endpoints begin with.
const restPrefix = "/api/rest/"

// callEndpoint answers a request for a REST endpoint with the data of its query.
func callEndpoint(x *exchange) error {
	x.mayCache()
	if err := x.authenticate(nil); err != nil {
		return err
	}
	current, err := x.api.current()
	if err != nil {
		return err
	}
	path, err := restPath(x.r.URL)
	if err != nil {
		return err
	}
	match, err := x.api.endpoints.Of(current.Document).Find(x.r.Method, path)
	if err != nil {
		return err
	}
	body, err := x.readBody()
	if err != nil {
		return err
	}
	parameters := x.r.URL.Query()
	form, err := formValues(x.r.Header.Get("Content-Type"), body)
	if err != nil {
		return apierror.New(apierror.BadRequest, "the form could not be read").WithInternal(err.Error())
	}
	for name, texts := range form {
		parameters[name] = append(parameters[name], texts...)
	}
	variables, err := match.Variables(parameters, body)
	if err != nil {
		return err
	}
	x.mode = accesslog.ModeSingle
	x.asks(request.GraphQL{Query: match.Query, Variables: variables})
	if done, err := x.answerKnown(&x.request); done || err != nil {
		return err
	}
	return x.execute(x.request, false, &dataSink{x: x})
}

// formValues are the values of a form, in either of its two encodings; none for another body.
// Files in it are left out.
func formValues(contentType string, body []byte) (url.Values, error) {
	switch kind, parameters, _ := mime.ParseMediaType(contentType); kind {
	case "application/x-www-form-urlencoded":
		return url.ParseQuery(string(body))
	case "multipart/form-data":
		form, err := multipart.NewReader(bytes.NewReader(body), parameters["boundary"]).ReadForm(int64(len(body)))
		if err != nil {
			return nil, err
		}
		return form.Value, form.RemoveAll()
	}
	return nil, nil
}

// restPath splits the path of an endpoint. A slash that is escaped is part of its segment.
func restPath(u *url.URL) ([]string, error) {
	path := strings.Split(strings.TrimPrefix(u.EscapedPath(), restPrefix), "/")
	for i, segment := range path {
		text, err := url.PathUnescape(segment)
		if err != nil {
			return nil, apierror.New(apierror.BadRequest, "the path could not be read").WithInternal(err.Error())
		}
		path[i] = text
	}
	return path, nil
}

// dataSink takes an answer of an executor, {"data":...}, and passes on the data alone.
type dataSink struct {
	x *exchange
	// begun reports whether the part in front of the data is gone, start is what came of it.
	begun bool
	start []byte
	// last reports whether the last byte that came is kept back: it may be the end of the object
	// around the data.
	last bool
}

// beforeData is how every answer begins, afterData how it ends.
const (
	beforeData = `{"data":`
	afterData  = '}'
)

// Head takes the headers of the answer.
func (s *dataSink) Head(m proto.Message) error { return s.x.Head(m) }

// Write takes the next piece of the answer.
func (s *dataSink) Write(p []byte) (int, error) {
	size := len(p)
	if !s.begun {
		missing := min(len(beforeData)-len(s.start), len(p))
		s.start = append(s.start, p[:missing]...)
		if p = p[missing:]; len(s.start) < len(beforeData) {
			return size, nil
		}
		if string(s.start) != beforeData {
			return 0, apierror.New(apierror.Unexpected, "the answer of the query has no data")
		}
		s.begun = true
	}
	if len(p) == 0 {
		return size, nil
	}
	if s.last {
		if _, err := s.x.Write([]byte{afterData}); err != nil {
			return 0, err
		}
	}
	if s.last = p[len(p)-1] == afterData; s.last {
		p = p[:len(p)-1]
	}
	if _, err := s.x.Write(p); err != nil {
		return 0, err
	}
	return size, nil
}
