package client_test

import (
	"encoding/json"
	"testing"

	"crier/client"
)

func TestCardSettings(t *testing.T) {
	for want, card := range map[string]*client.BlueskyCardSetting{
		`{}`:                           nil,
		`{"card":false}`:               client.WithoutCard(),
		`{"card":{"title":"A title"}}`: client.WithCard(client.BlueskyCard{Title: "A title"}),
	} {
		got, err := json.Marshal(client.BlueskySettings{Card: card})
		if err != nil || string(got) != want {
			t.Errorf("%s, %v; want %s", got, err, want)
		}
	}
}
