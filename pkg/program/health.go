package program

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strconv"
	"strings"
	"time"

	"queryengine/pkg/config"
)

// healthPatience bounds the question of the health command.
const healthPatience = 3 * time.Second

// Health asks the program that runs with the same settings on this machine how it is, for
// health checks in images that hold nothing else.
func Health(ctx context.Context, name config.Service, v *config.Values) error {
	port := config.StatusPort.Get(v)
	if name == config.Gateway || name == config.Engine {
		port = config.ServerPort.Get(v)
	}
	if port == 0 {
		return fmt.Errorf("%s has no /healthz: set --%s", name, config.StatusPort.Spec().Flag)
	}
	ctx, cancel := context.WithTimeout(ctx, healthPatience)
	defer cancel()
	url := "http://" + net.JoinHostPort("127.0.0.1", strconv.Itoa(port)) + "/healthz"
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return err
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	text, err := io.ReadAll(io.LimitReader(response.Body, 4<<10))
	if err == nil && response.StatusCode != http.StatusOK {
		err = errors.New(strings.TrimSpace(string(text)))
	}
	return err
}
