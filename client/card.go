package client

import "crier/client/internal/api"

// BlueskyCard is what the card of a post on bluesky shows.
type BlueskyCard = api.BlueskyCard

// BlueskyCardSetting is a card that is given, or none: see WithCard and WithoutCard.
type BlueskyCardSetting = api.BlueskySettings_Card

// WithCard returns the setting of a card that is given.
func WithCard(card BlueskyCard) *BlueskyCardSetting {
	var setting BlueskyCardSetting
	_ = setting.FromBlueskyCard(card) // texts are always JSON
	return &setting
}

// WithoutCard returns the setting of a post without a card.
func WithoutCard() *BlueskyCardSetting {
	var setting BlueskyCardSetting
	_ = setting.FromBlueskySettingsCard0(false) // likewise
	return &setting
}
