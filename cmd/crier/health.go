package main

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"time"
)

type healthCommand struct {
	AdminListen string        `default:"127.0.0.1:8081" help:"Address of metrics, health and profiles, as serve is told."`
	Live        bool          `env:"-" help:"Ask whether the process is alive, not whether it is ready."`
	Timeout     time.Duration `env:"-" default:"4s" help:"How long the answer may take."`
}

// Validate refuses what cannot be asked.
func (h *healthCommand) Validate() error {
	if h.Timeout <= 0 {
		return fmt.Errorf("--timeout is %v: more than 0s is wanted", h.Timeout)
	}
	_, err := h.url()
	return err
}

// maxHealth bounds what is read of an answer, in bytes.
const maxHealth = 64 << 10

// Run shows what /readyz or /healthz answers, and fails unless that is 200.
func (h *healthCommand) Run(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, h.Timeout)
	defer cancel()
	address, err := h.url()
	if err != nil {
		return err
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return fmt.Errorf("asking %s: %w", address, err)
	}
	// No proxy of the environment: the process is beside this one.
	client := http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	response, err := client.Do(request)
	if err != nil {
		return fmt.Errorf("no crier answers on its admin listener: %w", err)
	}
	defer response.Body.Close()
	if _, err := io.Copy(os.Stdout, io.LimitReader(response.Body, maxHealth)); err != nil {
		return fmt.Errorf("reading what %s answers: %w", address, err)
	}
	if response.StatusCode != http.StatusOK {
		return fmt.Errorf("%s answers %s", address, response.Status)
	}
	return nil
}

// url is what is asked. A process that listens on every address is asked on loopback.
func (h *healthCommand) url() (string, error) {
	host, port, err := net.SplitHostPort(h.AdminListen)
	if err != nil {
		return "", fmt.Errorf("--admin-listen is %q: host:port is wanted", h.AdminListen)
	}
	switch host {
	case "", "0.0.0.0":
		host = "127.0.0.1"
	case "::":
		host = "::1"
	}
	path := "/readyz"
	if h.Live {
		path = "/healthz"
	}
	return "http://" + net.JoinHostPort(host, port) + path, nil
}
