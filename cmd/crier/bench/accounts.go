package bench

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
)

// maxAnswer bounds how much of an answer is read. The list of the simulators' posts has
// megabytes.
const maxAnswer = 256 << 20

// getJSON reads a document over HTTP; key is empty where none is needed.
func getJSON(ctx context.Context, url, key string, document any) error {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return err
	}
	if key != "" {
		request.Header.Set("Authorization", "Bearer "+key)
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	body, err := io.ReadAll(io.LimitReader(response.Body, maxAnswer))
	if err != nil {
		return fmt.Errorf("reading %s: %w", url, err)
	}
	if response.StatusCode != http.StatusOK {
		return fmt.Errorf("reading %s: %s: %.400s", url, response.Status, body)
	}
	if err := json.Unmarshal(body, document); err != nil {
		return fmt.Errorf("reading %s: %w", url, err)
	}
	return nil
}

// accounts returns the accounts of the server's workspace by platform, those alone that
// benchmarks post to.
func (s *server) accounts(ctx context.Context) (map[string][]target, error) {
	var answer struct {
		Accounts []struct {
			ID       string `json:"id"`
			Platform string `json:"platform"`
		} `json:"accounts"`
	}
	if err := getJSON(ctx, s.URL+"/api/v1/accounts", s.Key, &answer); err != nil {
		return nil, err
	}
	byPlatform := map[string][]target{}
	for _, p := range platforms() {
		byPlatform[p.String()] = nil
	}
	for _, a := range answer.Accounts {
		if _, wanted := byPlatform[a.Platform]; wanted {
			byPlatform[a.Platform] = append(byPlatform[a.Platform], target{a.Platform, a.ID})
		}
	}
	for platform, accounts := range byPlatform {
		if len(accounts) == 0 {
			return nil, fmt.Errorf("the workspace has no %s account", platform)
		}
	}
	return byPlatform, nil
}

// everywhere returns targets of posts that go to an account of each platform.
func everywhere(byPlatform map[string][]target) [][]target {
	maximum := 0
	for _, accounts := range byPlatform {
		maximum = max(maximum, len(accounts))
	}
	all := make([][]target, maximum)
	for i := range all {
		for _, p := range platforms() {
			accounts := byPlatform[p.String()]
			all[i] = append(all[i], accounts[i%len(accounts)])
		}
	}
	return all
}

// inTurn returns the targets of posts that go to one account each, one account after another.
func inTurn(byPlatform map[string][]target) [][]target {
	var all [][]target
	for _, targets := range everywhere(byPlatform) {
		for _, account := range targets {
			all = append(all, []target{account})
		}
	}
	return all
}
