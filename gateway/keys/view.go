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
}

type keyAnswer struct {
	Success  bool            `json:"success"`
	Key      keyView         `json:"key"`
	Warnings []schema.Detail `json:"warnings,omitempty"`
}

type keysAnswer struct {
	Success    bool              `json:"success"`
	Keys       []keyView         `json:"keys"`
	Pagination answer.Pagination `json:"pagination"`
	Warnings   []schema.Detail   `json:"warnings,omitempty"`
}

func viewKey(k schema.KeyRecord, current schema.KeyID, now time.Time) keyView {
	suspended := k.SuspendedUntil
	if !suspended.After(now) {
		suspended = time.Time{}
	}
	return keyView{
		ID: k.ID, Name: k.Name, Prefix: k.Prefix, Test: k.Sandbox, Permissions: k.Permission.Names(),
		Networks: networksOrNull(k.Networks), MadeBy: answer.IDOrNull(k.MadeBy), IsActive: k.Works(now), IsCurrent: k.ID == current,
		CreatedAt: answer.Moment(k.CreatedAt), LastUsedAt: answer.MomentOrNull(k.LastUsedAt), ExpiresAt: answer.MomentOrNull(k.ExpiresAt),
		RevokedAt: answer.MomentOrNull(k.RevokedAt), SuspendedUntil: answer.MomentOrNull(suspended),
	}
}

func networksOrNull(networks []netip.Prefix) []netip.Prefix {
	if len(networks) == 0 {
		return nil
	}
	return networks
}
