package telegram

import (
	"context"
	"fmt"

	"crier/connectors"
	"crier/schema"
)

// Followers implements connectors.FollowersSource: they are the members of the chat. How messages
// do a bot is not told.
func (c *Connector) Followers(ctx context.Context, r connectors.Reading) (schema.Followers, error) {
	call, err := c.call(r.Account, r.Credentials, getChatMemberCount)
	if err != nil {
		return schema.Followers{}, err
	}
	call.Kind, call.Reservation, call.JSON = connectors.Read, r.Reservation, map[string]string{"chat_id": r.Credentials.ChatID}
	members, err := send[int64](ctx, c, call)
	if err != nil {
		return schema.Followers{}, fmt.Errorf("reading how many members there are: %w", err)
	}
	return schema.Followers{Followers: &members}, nil
}
