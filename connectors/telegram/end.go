package telegram

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"

	"crier/schema"
)

// member is what the connector reads of a ChatMember.
type member struct {
	Status string `json:"status"`
	Posts  *bool  `json:"can_post_messages"` // of an administrator of a channel
	Sends  *bool  `json:"can_send_messages"` // of a restricted member
}

// mayPost checks what getChat does not show: a public channel shows itself to every bot. A
// server that does not know the method says nothing.
func (c *Connector) mayPost(ctx context.Context, a schema.Account, credentials schema.Credentials, in chat) error {
	if in.Type == "private" {
		if in.First == "" && in.Username == "" {
			return &schema.Error{Kind: schema.TokenDead, End: schema.EndDeleted, Message: "the user has deleted their account"}
		}
		return nil
	}
	call, err := c.call(a, credentials, getChatMember)
	if err != nil {
		return err
	}
	call.JSON = map[string]any{"chat_id": credentials.ChatID, "user_id": json.Number(call.App)}
	var answer reply[json.RawMessage]
	response, err := c.client.Do(ctx, call, &answer)
	switch {
	case response != nil && response.Status == http.StatusNotFound:
		return nil
	case response != nil && isRefused(err):
		return removed("Telegram says of the bot's membership: " + refusalOf(response.Body).Description)
	case err != nil:
		return fmt.Errorf("reading the bot's membership: %w", err)
	}
	if m, ok := memberOf(answer.Result); ok {
		return m.check(in)
	}
	return nil
}

// memberOf reads a ChatMember; what is none, such as the answer of a server that takes any
// method, says nothing.
func memberOf(result json.RawMessage) (m member, ok bool) {
	err := json.Unmarshal(result, &m)
	return m, err == nil
}

func isRefused(err error) bool { return schema.KindOf(err) == schema.Refused }

func removed(message string) error {
	return &schema.Error{Kind: schema.TokenDead, End: schema.EndRemoved, Message: message}
}

func (m member) check(in chat) error {
	isFalse := func(right *bool) bool { return right != nil && !*right }
	switch {
	case m.Status == "left" || m.Status == "kicked":
		return removed("the bot is not a member of the chat")
	case in.Type == "channel" && (m.Status == "member" || m.Status == "restricted" || isFalse(m.Posts)):
		return removed("the bot needs to be an administrator of the channel who may post messages")
	case in.Type != "channel" && m.Status == "member" && isFalse(in.Permissions.Sends):
		return removed("the chat lets its members send no messages")
	case m.Status == "restricted" && isFalse(m.Sends):
		return removed("the bot may not send messages to the chat")
	default:
		return nil
	}
}
