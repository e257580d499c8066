package bluesky

import (
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"slices"
	"time"

	"crier/connectors"
	"crier/schema"
)

// limitsWait is how long the video service may take to say what it takes of an account.
const limitsWait = 3 * time.Second

// accountSettings is what is kept of an account.
type accountSettings struct {
	// Videos tells whether the account may publish any; nil: the video service did not say.
	Videos *bool `json:"videos,omitempty"`
}

// settings returns what the video service says that it takes of the account, to be kept; empty where it
// does not say it now, which keeps nobody from connecting.
func (c *Connector) settings(ctx context.Context, d schema.Delivery, s session) json.RawMessage {
	ctx, cancel := context.WithTimeout(ctx, limitsWait)
	defer cancel()
	var granted struct {
		Token string `json:"token"`
	}
	ask := call(d, http.MethodGet, s.PDS, getServiceAuth, s.Access)
	ask.Query = url.Values{"aud": {serviceDID(c.video)}, "lxm": {uploadLimits}}
	if _, err := c.client.Do(ctx, ask, &granted); err != nil {
		return nil
	}
	var allowance uploadAllowance
	if _, err := c.client.Do(ctx, call(d, http.MethodGet, c.video, uploadLimits, granted.Token), &allowance); err != nil || allowance.CanUpload == nil {
		return nil
	}
	return connectors.Encode(accountSettings{Videos: new(allowance.mayPublish())})
}

// uploadAllowance is the output of app.bsky.video.getUploadLimits. What is left of a day is missing where
// the account has no allowance at all.
type uploadAllowance struct {
	CanUpload *bool  `json:"canUpload"`
	Videos    *int64 `json:"remainingDailyVideos"`
	Bytes     *int64 `json:"remainingDailyBytes"`
}

// mayPublish reports whether the account may publish videos, if not today: one whose address of mail is not
// confirmed may not.
func (u uploadAllowance) mayPublish() bool {
	isUsedUp := u.Videos != nil && *u.Videos <= 0 || u.Bytes != nil && *u.Bytes <= 0
	return *u.CanUpload || isUsedUp
}

// constraintsOfAccount is what is taken of an account: with the platform's limits no video of one that may
// publish none.
func constraintsOfAccount(c schema.Constraints, a schema.Account) schema.Constraints {
	settings, _ := connectors.AccountSettingsOf[accountSettings](a)
	if a.Limits == schema.PlatformLimits && settings.Videos != nil && !*settings.Videos {
		c.Media.Kinds = slices.DeleteFunc(slices.Clone(c.Media.Kinds), func(k schema.MediaKind) bool { return k == schema.Video })
	}
	return c
}
