package analytics

import (
	"context"
	"errors"
	"time"

	"crier/connectors"
	"crier/gateway/directory"
	"crier/schema"
)

// curveTimeout is how long the platform may take: less than a request.
const curveTimeout = 8 * time.Second

// Why an answer has no curve.
const (
	noCurve      = "curve, the share of viewers along the video, is not collected: it is read of one video, which postId names"
	notGranted   = "the account was connected without the permission to read the curve: connect it again"
	notConnected = "the account has to be connected again before the curve can be read"
	notEnough    = "youtube has no curve of the video, as long as few have watched it or it is new"
	notReadable  = "youtube could not be asked for the curve"
)

// addCurve reads the curve of a video, and returns why there is none; empty: there is one.
func (a *analytics) addCurve(ctx context.Context, q figuresQuery, v *retentionView, posted time.Time) (unavailable string) {
	ctx, cancel := context.WithTimeout(ctx, curveTimeout)
	defer cancel()
	points, err := a.curve(ctx, q, v, posted)
	e, _ := errors.AsType[*schema.Error](err)
	switch {
	case connectors.IsNotPermitted(err):
		return notGranted
	case e != nil && e.Kind == schema.TokenDead:
		return notConnected
	case err != nil:
		return notReadable
	case len(points) == 0:
		return notEnough
	}
	for _, p := range points {
		v.Curve, v.CurveAt = append(v.Curve, p.Watching), append(v.CurveAt, p.Elapsed)
	}
	return ""
}

func (a *analytics) curve(ctx context.Context, q figuresQuery, v *retentionView, posted time.Time) ([]connectors.RetentionPoint, error) {
	found, err := a.Accounts.Find(ctx, q.workspace, a.Now(), func(d *directory.Directory) bool { return d.Account(v.Account) != nil })
	if err != nil {
		return nil, err
	}
	account := found.Account(v.Account)
	if account == nil || account.Problem() != nil {
		return nil, &schema.Error{Kind: schema.TokenDead, Message: "the account is not connected"}
	}
	source, err := connectors.As[connectors.RetentionSource](a.Platforms, *account)
	if err != nil {
		return nil, err
	}
	credentials, err := a.Vault.Open(*account)
	if err != nil {
		return nil, err
	}
	if scoped, unable := connectors.As[connectors.Scoped](a.Platforms, *account); unable == nil && scoped.Scopes().Forbids(credentials, connectors.ReadsRetention) {
		return nil, &schema.Error{Kind: schema.TokenDead, End: schema.EndScope, Message: "the permission was not granted"}
	}
	return source.Retention(ctx, connectors.Reading{Account: *account, Credentials: credentials}, v.NativeID, posted)
}
