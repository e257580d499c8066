package tiktok

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"crier/connectors"
	"crier/schema"
)

// creator is what TikTok says that an account may publish. It changes as the creator changes
// their settings, so that it is asked for before each post; what was said last is kept with
// the account.
type creator struct {
	username     string
	levels       []string // of privacy; nil: not known
	interactions []string // that are not turned off, as accounts keep them; nil: not known
	longest      time.Duration
}

// accountSettings is what is kept of a creator: see schema.Account.Settings.
type accountSettings struct {
	Privacy      []string `json:"privacy"`
	Interactions []string `json:"interactions"`
	Longest      []string `json:"maxVideoSeconds"` // one number
}

// creatorOf returns what is known of an account.
func creatorOf(a schema.Account) creator {
	settings, ok := connectors.AccountSettingsOf[accountSettings](a)
	if !ok {
		return creator{}
	}
	k := creator{levels: settings.Privacy, interactions: settings.Interactions}
	if len(settings.Longest) == 1 {
		seconds, _ := strconv.Atoi(settings.Longest[0]) // zero: not known
		k.longest = time.Duration(max(seconds, 0)) * time.Second
	}
	return k
}

// settings returns what is kept of a creator.
func (k creator) settings() json.RawMessage {
	return connectors.Encode(accountSettings{k.levels, k.interactions, []string{strconv.Itoa(int(k.longest.Seconds()))}})
}

func (k creator) allows(interaction string) bool {
	return k.interactions == nil || slices.Contains(k.interactions, interaction)
}

// check refuses what TikTok would refuse of this creator.
func (k creator) check(s settings) error {
	if !slices.Contains(k.levels, s.Privacy) {
		return connectors.Refuse("TikTok lets this account publish with the privacy %s, not %s", strings.Join(k.levels, ", "), s.Privacy)
	}
	return nil
}

// creator asks what an account may publish.
func (c *Connector) creator(ctx context.Context, a schema.Account, credentials schema.Credentials) (creator, error) {
	call := c.call(a, credentials, http.MethodPost, "/v2/post/publish/creator_info/query/", opCreator)
	call.Kind, call.JSON = connectors.Status, struct{}{}
	data, err := ask[struct {
		Username        string   `json:"creator_username"`
		Levels          []string `json:"privacy_level_options"`
		CommentDisabled bool     `json:"comment_disabled"`
		DuetDisabled    bool     `json:"duet_disabled"`
		StitchDisabled  bool     `json:"stitch_disabled"`
		Longest         int      `json:"max_video_post_duration_sec"`
	}](ctx, c, call)
	if err != nil {
		return creator{}, fmt.Errorf("asking what the creator may publish: %w", err)
	}
	if len(data.Levels) == 0 {
		return creator{}, platform.Strange("names no privacy that the account may publish with")
	}
	k := creator{
		username: data.Username, levels: data.Levels, interactions: []string{}, longest: time.Duration(max(data.Longest, 0)) * time.Second,
	}
	for name, off := range map[string]bool{"comment": data.CommentDisabled, "duet": data.DuetDisabled, "stitch": data.StitchDisabled} {
		if !off {
			k.interactions = append(k.interactions, name)
		}
	}
	slices.Sort(k.interactions)
	return k, nil
}

// Check returns whose token it is, and what the creator may publish.
func (c *Connector) Check(ctx context.Context, a schema.Account, credentials schema.Credentials) (connectors.Profile, error) {
	call := c.call(a, credentials, http.MethodGet, "/v2/user/info/", opUser)
	call.Query = map[string][]string{"fields": {"open_id,display_name"}}
	data, err := ask[struct {
		User struct {
			OpenID string `json:"open_id"`
			Name   string `json:"display_name"`
		} `json:"user"`
	}](ctx, c, call)
	if err != nil {
		return connectors.Profile{}, fmt.Errorf("asking whose token it is: %w", err)
	}
	if data.User.OpenID == "" {
		return connectors.Profile{}, platform.Strange("names no account")
	}
	profile := connectors.Profile{NativeID: data.User.OpenID, Name: cmp.Or(data.User.Name, data.User.OpenID)}
	switch k, err := c.creator(ctx, a, credentials); {
	case schema.KindOf(err) == schema.TokenDead: // it is a creator's token that may not publish
		return connectors.Profile{}, err
	case err == nil: // else nothing is known now, which keeps nobody from connecting
		profile.Settings, profile.Name = k.settings(), cmp.Or(k.username, profile.Name)
	}
	return profile, nil
}
