package youtube

import (
	"cmp"
	"context"
	"fmt"
	"net/http"
	"strings"

	"crier/connectors"
	"crier/schema"
)

// channelPrefix begins the ids of channels.
const channelPrefix = "UC"

// channelOf returns the channel of an account; empty for one of a sandbox, which is made
// without asking the simulator.
func channelOf(a schema.Account) string {
	if a.Sandbox || !strings.HasPrefix(a.NativeID, channelPrefix) {
		return ""
	}
	return a.NativeID
}

// channel is what YouTube shows of one.
type channel struct {
	ID      string `json:"id"`
	Snippet struct {
		Title string `json:"title"`
	} `json:"snippet"`
	Status struct {
		LongUploads string `json:"longUploadsStatus"`
	} `json:"status"`
	Details struct {
		Related struct {
			Uploads string `json:"uploads"` // the playlist of all its videos
		} `json:"relatedPlaylists"`
	} `json:"contentDetails"`
}

// channels returns those that a token is of: one, which the person has chosen on Google's page.
func (c *Connector) channels(ctx context.Context, a schema.Account, credentials schema.Credentials) ([]channel, error) {
	call := about(c.call(a, credentials, http.MethodGet, "/youtube/v3/channels", opChannels), "snippet", "status", "contentDetails")
	call.Kind = connectors.Status
	call.Query.Set("mine", "true")
	var read list[channel]
	if _, err := c.do(ctx, a, credentials, call, &read); err != nil {
		return nil, fmt.Errorf("asking whose token it is: %w", err)
	}
	if !strings.HasSuffix(read.Kind, "ListResponse") {
		return nil, platform.Strange("is no list of channels")
	}
	for _, channel := range read.Items {
		if channel.ID == "" || channel.Details.Related.Uploads == "" {
			return nil, platform.Strange("names no channel")
		}
	}
	return read.Items, nil
}

// channel returns the one that a token is of.
func (c *Connector) channel(ctx context.Context, a schema.Account, credentials schema.Credentials) (channel, error) {
	all, err := c.channels(ctx, a, credentials)
	if err != nil {
		return channel{}, err
	}
	if len(all) == 0 {
		return channel{}, connectors.Refuse("the token is of a Google account that has no YouTube channel")
	}
	return all[0], nil
}

// Check returns the token's channel, and whether it takes long videos.
func (c *Connector) Check(ctx context.Context, a schema.Account, credentials schema.Credentials) (connectors.Profile, error) {
	own, err := c.channel(ctx, a, credentials)
	if err != nil {
		return connectors.Profile{}, err
	}
	return connectors.Profile{
		NativeID: own.ID, Name: cmp.Or(own.Snippet.Title, "channel "+own.ID), Settings: settingsOfChannel(own.Status.LongUploads),
	}, nil
}

// Entities returns the channels that a token is of.
func (c *Connector) Entities(ctx context.Context, a schema.Account, credentials schema.Credentials) ([]connectors.Entity, error) {
	all, err := c.channels(ctx, a, credentials)
	if err != nil {
		return nil, err
	}
	entities := []connectors.Entity{}
	for _, channel := range all {
		entities = append(entities, connectors.Entity{
			ID: channel.ID, Name: cmp.Or(channel.Snippet.Title, "channel "+channel.ID), Kind: "channel", Credentials: credentials,
		})
	}
	return entities, nil
}
