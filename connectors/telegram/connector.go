package telegram

import (
	"cmp"
	"context"
	"fmt"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"time"

	"crier/connectors"
	"crier/connectors/media"
	"crier/schema"
)

// DefaultBase is the address of Telegram's own Bot API server; others can run one.
const DefaultBase = "https://api.telegram.org"

// Connector publishes to Telegram. It is safe for concurrent use.
type Connector struct {
	client *connectors.Client
	base   string
	media  media.Source
	now    func() time.Time
	groups groupPace
}

// New makes the connector.
func New(c connectors.Parts) *Connector {
	return &Connector{client: c.Client, base: cmp.Or(c.Base, DefaultBase), media: c.Media, now: c.Now}
}

// Prepare opens the media of an entry to check what Telegram would refuse, before the
// one call that can be made only once. It keeps nothing.
func (c *Connector) Prepare(ctx context.Context, d schema.Delivery) (schema.Progress, error) {
	files, err := c.open(ctx, d)
	if err != nil {
		return schema.Progress{}, err
	}
	return schema.Progress{Ready: true}, files.Close()
}

// Publish sends the message, or the album, of an entry.
func (c *Connector) Publish(ctx context.Context, d schema.Delivery) (schema.Receipt, error) {
	messages := max(len(d.Media), 1)
	if err := c.groups.take(d.Credentials, messages, c.now()); err != nil {
		c.client.Throttle(connectors.Call{Account: d.Account.ID, Kind: connectors.Post}, err.RetryAfter)
		return schema.Receipt{}, err
	}
	sent, err := c.send(ctx, d)
	if err != nil {
		return schema.Receipt{}, err
	}
	if sent.ID == 0 {
		return schema.Receipt{}, &schema.Error{Kind: schema.Unknown, Message: "Telegram's answer names no message"}
	}
	c.groups.learn(d.Credentials, sent.Chat, messages, c.now())
	return sent.receipt(d.Entry), nil
}

// send makes the visible call of an entry.
func (c *Connector) send(ctx context.Context, d schema.Delivery) (message, error) {
	s, err := connectors.SettingsOf[settings](d)
	if err != nil {
		return message{}, err
	}
	files, err := c.open(ctx, d)
	if err != nil {
		return message{}, err
	}
	defer files.Close()
	switch len(files) {
	case 0:
		return c.sendText(ctx, d, s)
	case 1:
		return c.sendFile(ctx, d, s, files[0])
	default:
		return c.sendAlbum(ctx, d, s, files)
	}
}

func (c *Connector) sendText(ctx context.Context, d schema.Delivery, s settings) (message, error) {
	body := newMessage{
		ChatID: d.Credentials.ChatID, Text: d.Text,
		ParseMode: s.ParseMode, DisableNotification: s.DisableNotification,
	}
	if p := s.LinkPreviewOptions; p != nil {
		options := previewOptions(*p)
		body.LinkPreviewOptions = &options
	}
	call, err := c.call(d.Account, d.Credentials, sendMessage)
	if err != nil {
		return message{}, err
	}
	call.JSON = body
	return send[message](ctx, c, call.Publishing(d))
}

// Find cannot tell: a bot sees no message of a chat, not even its own.
func (c *Connector) Find(context.Context, schema.Delivery) (schema.Receipt, schema.Verdict, error) {
	return schema.Receipt{}, schema.CannotTell, nil
}

// Comment refuses: Telegram has no first comments.
func (c *Connector) Comment(context.Context, schema.Delivery) (schema.Receipt, error) {
	return schema.Receipt{}, &schema.Error{Kind: schema.Refused, Message: "Telegram takes no first comments"}
}

// Check checks that the token is a bot's and that the bot may post to its chat.
func (c *Connector) Check(ctx context.Context, a schema.Account, credentials schema.Credentials) (connectors.Profile, error) {
	call, err := c.call(a, credentials, getMe)
	if err != nil {
		return connectors.Profile{}, err
	}
	if _, err := c.client.Do(ctx, call, nil); err != nil {
		return connectors.Profile{}, fmt.Errorf("reading bot: %w", err)
	}
	call, err = c.call(a, credentials, getChat)
	if err != nil {
		return connectors.Profile{}, err
	}
	call.JSON = map[string]string{"chat_id": credentials.ChatID}
	found, err := send[chat](ctx, c, call)
	if err != nil {
		return connectors.Profile{}, err
	}
	if found.ID == 0 {
		return connectors.Profile{}, &schema.Error{Kind: schema.Retryable, Message: "Telegram's answer names no chat"}
	}
	if err := c.mayPost(ctx, a, credentials, found); err != nil {
		return connectors.Profile{}, err
	}
	return connectors.Profile{NativeID: strconv.FormatInt(found.ID, 10), Name: found.name(), Server: connectors.ServerOf(a, c.base)}, nil
}

// send makes a call and returns the result in its answer.
func send[T any](ctx context.Context, c *Connector, call connectors.Call) (T, error) {
	var answer reply[T]
	if _, err := c.client.Do(ctx, call, &answer); err != nil {
		return answer.Result, fmt.Errorf("calling %s: %w", call.Operation, err)
	}
	return answer.Result, nil
}

// tokenPattern keeps what is no token, and could lead to another path, out of the
// address it becomes a part of.
var tokenPattern = regexp.MustCompile(`^[0-9]+:[A-Za-z0-9_-]+$`)

// call is a call of a method, still without a body. All are POST: no redirect carries
// the token elsewhere.
func (c *Connector) call(a schema.Account, credentials schema.Credentials, method string) (connectors.Call, error) {
	if !tokenPattern.MatchString(credentials.BotToken) {
		return connectors.Call{}, &schema.Error{Kind: schema.TokenDead, Message: "the bot token is malformed"}
	}
	bot, _, _ := strings.Cut(credentials.BotToken, ":")
	return connectors.Call{
		Operation: method, Method: http.MethodPost,
		URL:     connectors.ServerOf(a, c.base) + "/bot" + credentials.BotToken + "/" + method,
		Secrets: []string{credentials.BotToken},
		Account: a.ID, App: bot,
	}, nil
}

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
