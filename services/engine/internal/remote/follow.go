package remote

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// silence is how long a server may say nothing before it is taken for gone. It sends a comment every 12 seconds.
const silence = 45 * time.Second

// errSilent is the end of a connection on which nothing came.
var errSilent = errors.New("the server says nothing")

// Follow calls told with the version of the metadata that is in effect, unless it is the known one, and with each later version, until the
// connection ends, which is an error, too, or told returns one. A version that learned of is that of later requests.
func (c *Client) Follow(ctx context.Context, known int64, told func(version int64) error) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	watch := time.AfterFunc(silence, func() { cancel(errSilent) })
	defer watch.Stop()
	answer, err := c.open(ctx, http.MethodGet, strings.TrimSuffix(c.config.Paths.Metadata, "/")+"/changes?resource_version="+strconv.FormatInt(known, 10), nil, nil)
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	var event string
	lines := bufio.NewScanner(answer.Body)
	for lines.Scan() {
		watch.Reset(silence)
		key, value, _ := strings.Cut(lines.Text(), ":")
		value = strings.TrimPrefix(value, " ")
		switch key {
		case "event":
			event = value
		case "data":
			if err := tell(event, value, told); err != nil {
				return err
			}
		}
	}
	if cause := context.Cause(ctx); cause != nil {
		return cause
	}
	if err := lines.Err(); err != nil {
		return fmt.Errorf("the connection broke: %w", err)
	}
	return errors.New("the server ended the connection")
}

// tell reads the data of an event.
func tell(event, data string, told func(version int64) error) error {
	switch event {
	case "version":
		var v struct {
			Version int64 `json:"resource_version"`
		}
		if err := json.Unmarshal([]byte(data), &v); err != nil {
			return fmt.Errorf("event of the server: %w", err)
		}
		return told(v.Version)
	case "error":
		refusal := &RefusedError{}
		if json.Unmarshal([]byte(data), refusal) != nil || refusal.Message == "" {
			refusal.Message = data
		}
		return refusal
	}
	return nil // of a later version of the server
}
