package program

import (
	"context"
	"crypto/tls"
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

// Health asks the program that runs with the same settings on this machine for its health, for health
// checks in images that hold nothing else. A gateway is polled to see whether it can pass requests on: it
// should not be restarted because of faults elsewhere.
func Health(ctx context.Context, name config.Service, v *config.Values) error {
	port, scheme, client, path := config.StatusPort.Get(v), "http", http.DefaultClient, "/healthz"
	if name == config.Gateway || name == config.Engine {
		port = config.ServerPort.Get(v)
		scheme, client = Scheme(v), SelfClient(v)
	}
	if name == config.Gateway {
		path = "/readyz"
	}
	if port == 0 {
		return fmt.Errorf("%s has no /healthz: set --%s", name, config.StatusPort.Spec().Flag)
	}
	ctx, cancel := context.WithTimeout(ctx, healthPatience)
	defer cancel()
	url := scheme + "://" + net.JoinHostPort("127.0.0.1", strconv.Itoa(port)) + path
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return err
	}
	response, err := client.Do(request)
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

// Scheme is that of the gateway's addresses.
func Scheme(v *config.Values) string {
	if config.TLSCertificate.Get(v) != "" {
		return "https"
	}
	return "http"
}

// SelfClient is for a program that asks its own gateway at 127.0.0.1. The certificate there is
// for other names.
func SelfClient(v *config.Values) *http.Client {
	if Scheme(v) == "http" {
		return http.DefaultClient
	}
	return &http.Client{Transport: &http.Transport{
		DisableKeepAlives: true,
		TLSClientConfig:   &tls.Config{InsecureSkipVerify: true}, //nolint:gosec // what it sends does not leave the machine
	}}
}
