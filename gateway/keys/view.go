package keys

import (
	"net/netip"
	"time"

	"crier/gateway/answer"
	"crier/schema"
)

// keyView is a key as the API shows it.
type keyView struct {
	ID             schema.KeyID   `json:"id"`
	Name           string         `json:"name"`
	Secret         string         `json:"secret,omitempty"` // the key itself: only where it was made
	Prefix         string         `json:"prefix"`
	Test           bool           `json:"test"`
	Permissions    []string       `json:"permissions"`
	Networks       []netip.Prefix `json:"networks"` // null: any
	MadeBy         *schema.UserID `json:"madeBy"`   // null: no member
	IsActive       bool           `json:"isActive"`
	IsCurrent      bool           `json:"isCurrent"` // the key of this request
	CreatedAt      answer.Moment  `json:"createdAt"`
	LastUsedAt     *answer.Moment `json:"lastUsedAt"`
	ExpiresAt      *answer.Moment `json:"expiresAt"`
	RevokedAt      *answer.Moment `json:"revokedAt"`
	SuspendedUntil *answer.Moment `json:"suspendedUntil"`
	Suspension     *suspension    `json:"suspension"` // null: it is not suspended
}

// suspension is why a key is refused for a while.
type suspension struct {
	Since  answer.Moment `json:"since"`
	Until  answer.Moment `json:"until"`
	Reason string        `json:"reason"`
}

// disregard is the only reason there is.
const disregard = "it kept sending requests in spite of 429"

func viewKey(k schema.KeyRecord, current schema.KeyID, now time.Time) keyView {
	view := keyView{
		ID: k.ID, Name: k.Name, Prefix: k.Prefix, Test: k.Sandbox, Permissions: k.Permission.Names(),
		Networks: networksOrNull(k.Networks), MadeBy: answer.IDOrNull(k.MadeBy), IsActive: k.Works(now), IsCurrent: k.ID == current,
		CreatedAt: answer.Moment(k.CreatedAt), LastUsedAt: answer.MomentOrNull(k.LastUsedAt), ExpiresAt: answer.MomentOrNull(k.ExpiresAt),
		RevokedAt: answer.MomentOrNull(k.RevokedAt),
	}
	if k.SuspendedUntil.After(now) {
		view.SuspendedUntil = answer.MomentOrNull(k.SuspendedUntil)
		view.Suspension = &suspension{answer.Moment(k.SuspendedAt), answer.Moment(k.SuspendedUntil), disregard}
	}
	return view
}

func networksOrNull(networks []netip.Prefix) []netip.Prefix {
	if len(networks) == 0 {
		return nil
	}
	return networks
}
