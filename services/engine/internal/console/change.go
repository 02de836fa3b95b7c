package console

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"queryengine/pkg/apierror"
	"queryengine/pkg/metadata"
)

// bodyLimit bounds requests, refusalLimit what is read of an error.
const (
	bodyLimit    = 256 << 20
	refusalLimit = 1 << 20
)

// errDiffers refuses changes, since files that a person has written by hand would be lost.
var errDiffers = apierror.New(apierror.Conflict, "the metadata files of the project aren't the metadata of the server, so nothing was changed: "+
	"bring them to the server (engine metadata apply), or write those of the server over them")

// serveOperation forwards an operation and writes what it changes.
func (c *Console) serveOperation(w http.ResponseWriter, r *http.Request, api metadata.API) {
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, bodyLimit))
	if err != nil {
		refuse(w, apierror.Newf(apierror.BadRequest, "the request can't be read: %s", err), report{})
		return
	}
	if r.Header.Get("Content-Encoding") != "" {
		refuse(w, apierror.New(apierror.NotSupported, "the console takes no packed requests").WithStatus(http.StatusUnsupportedMediaType), report{})
		return
	}
	wanted, err := choiceOf(r.Header)
	if err != nil {
		refuse(w, err, report{})
		return
	}
	does := examine(c.registry, api, body)
	if !does.modifies {
		c.forward.ServeHTTP(w, with(r.Context(), r, body))
		return
	}
	ctx, done, err := c.begin(r)
	if err != nil {
		return // the client has left
	}
	defer done()
	if err := c.checkFiles(ctx); err != nil {
		c.Say("refused: %s", err)
		refuse(w, err, report{Error: apierror.From(err).Message, Differs: errors.Is(err, errDiffers)})
		return
	}
	pending := &migrations{console: c}
	if wanted.migrates(does.sql) {
		if err = does.check(); err == nil {
			err = pending.begin(ctx, does.sql, wanted)
		}
		if err != nil {
			c.Say("refused: %s", err)
			refuse(w, err, report{})
			return
		}
	}
	c.run(ctx, w, with(ctx, r, body), pending)
}

// run forwards a change, and writes what became of it before the answer goes on.
func (c *Console) run(ctx context.Context, w http.ResponseWriter, r *http.Request, pending *migrations) {
	r.Header.Del("Accept-Encoding") // errors are read
	forward := *c.forward
	forward.ModifyResponse = func(answer *http.Response) error {
		became, err := outcomeOf(answer)
		if err != nil {
			return err
		}
		written := pending.end(ctx, became)
		if became != refused {
			written = c.writeMetadata(ctx, became, written)
		}
		written.set(answer.Header)
		return nil
	}
	forward.ErrorHandler = func(w http.ResponseWriter, _ *http.Request, err error) {
		written := c.writeMetadata(ctx, unknown, pending.end(ctx, unknown))
		refuse(w, unreachable(err), written)
	}
	forward.ServeHTTP(w, r)
}

// unreachable is the error of a request that didn't come back.
func unreachable(err error) error {
	return apierror.Newf(apierror.Unexpected, "the server can't be reached: %s", err).WithStatus(http.StatusBadGateway)
}

// with is a request with a body that has been read.
func with(ctx context.Context, r *http.Request, body []byte) *http.Request {
	r = r.Clone(ctx)
	r.Body, r.ContentLength = io.NopCloser(bytes.NewReader(body)), int64(len(body))
	r.Header.Set("Content-Length", strconv.Itoa(len(body)))
	r.Header.Del(modeHeader)
	r.Header.Del(nameHeader)
	r.Header.Del(downHeader)
	return r
}

// choiceOf reads what a request asks for.
func choiceOf(h http.Header) (choice, error) {
	c := choice{mode: h.Get(modeHeader)}
	switch c.mode {
	case "", ofSchema, always, never:
	default:
		return c, apierror.Newf(apierror.BadRequest, "header %s: expected %s, %s or %s", modeHeader, ofSchema, always, never)
	}
	for header, to := range map[string]*string{nameHeader: &c.name, downHeader: &c.down} {
		text, err := url.PathUnescape(h.Get(header))
		if err != nil {
			return c, apierror.Newf(apierror.BadRequest, "header %s: expected a text in percent-encoding", header)
		}
		*to = strings.TrimSpace(text)
	}
	return c, nil
}

// outcome is what became of a change.
type outcome int

// The outcomes.
const (
	made outcome = iota
	refused
	unknown
)

// outcomeOf reads what became of a change off the answer, which can be read again.
func outcomeOf(answer *http.Response) (outcome, error) {
	if answer.StatusCode == http.StatusOK {
		return made, nil
	}
	text, err := io.ReadAll(io.LimitReader(answer.Body, refusalLimit))
	if err != nil {
		return unknown, err
	}
	answer.Body = struct {
		io.Reader
		io.Closer
	}{io.MultiReader(bytes.NewReader(text), answer.Body), answer.Body}
	var e struct{ Code apierror.Code }
	switch {
	case json.Unmarshal(text, &e) != nil, e.Code == "", e.Code == apierror.Timeout, e.Code == apierror.Unexpected:
		return unknown, nil //nolint:nilerr // something on the way has answered, or the server doesn't know
	case e.Code == apierror.NotInEffect:
		return made, nil
	}
	return refused, nil
}

// refuse answers with an error of the console itself, as the API words them.
func refuse(w http.ResponseWriter, err error, r report) {
	r.set(w.Header())
	e := apierror.From(err)
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(e.Status)
	_ = json.NewEncoder(w).Encode(map[string]string{"path": e.Path, "error": e.Message, "code": string(e.Code)}) // the client may have left
}
