package telegram

import (
	"fmt"
	"net/url"
	"strconv"
	"strings"
	"time"

	"crier/schema"
)

// The methods that are called. Their names are also those of metrics and of faults.
const (
	getMe              = "getMe"
	getChat            = "getChat"
	getChatMember      = "getChatMember"
	getChatMemberCount = "getChatMemberCount"
	sendMessage        = "sendMessage"
	sendPhoto          = "sendPhoto"
	sendVideo          = "sendVideo"
	sendMediaGroup     = "sendMediaGroup"
)

// newMessage is the body of sendMessage.
type newMessage struct {
	ChatID              string          `json:"chat_id"`
	Text                string          `json:"text"`
	ParseMode           string          `json:"parse_mode,omitempty"`
	DisableNotification bool            `json:"disable_notification,omitempty"`
	LinkPreviewOptions  *previewOptions `json:"link_preview_options,omitempty"`
}

type previewOptions struct {
	IsDisabled       bool   `json:"is_disabled,omitempty"`
	URL              string `json:"url,omitempty"`
	PreferSmallMedia bool   `json:"prefer_small_media,omitempty"`
	PreferLargeMedia bool   `json:"prefer_large_media,omitempty"`
	ShowAboveText    bool   `json:"show_above_text,omitempty"`
}

// inputMedia is one item of sendMediaGroup.
type inputMedia struct {
	Type              string `json:"type"`  // photo or video
	Media             string `json:"media"` // attach:// and the name of its part
	Caption           string `json:"caption,omitempty"`
	ParseMode         string `json:"parse_mode,omitempty"`
	Width             int    `json:"width,omitempty"`
	Height            int    `json:"height,omitempty"`
	Duration          int    `json:"duration,omitempty"` // seconds
	SupportsStreaming bool   `json:"supports_streaming,omitempty"`
}

// reply is the envelope of every answer.
type reply[T any] struct {
	Result T `json:"result"`
}

// message is what the connector reads of a Message.
type message struct {
	ID   int64 `json:"message_id"`
	Date int64 `json:"date"` // Unix time
	Chat chat  `json:"chat"`
}

// chat is what the connector reads of a Chat.
type chat struct {
	ID       int64  `json:"id"`
	Title    string `json:"title"`
	Username string `json:"username"`
	Type     string `json:"type"`
	First    string `json:"first_name"` // of a person

	Permissions struct {
		Sends *bool `json:"can_send_messages"`
	} `json:"permissions"` // of a group's members
}

// name is what people call the chat.
func (c chat) name() string {
	if c.Username != "" {
		return "@" + c.Username
	}
	return c.Title
}

// longIDPrefix marks the ids of supergroups and channels, which alone have links to
// their messages.
const longIDPrefix = "-100"

// url returns the address of a message; only members can open a private chat's.
func (m message) url() string {
	if m.Chat.Username != "" {
		return fmt.Sprintf("https://t.me/%s/%d", url.PathEscape(m.Chat.Username), m.ID)
	}
	if id, ok := strings.CutPrefix(strconv.FormatInt(m.Chat.ID, 10), longIDPrefix); ok {
		return fmt.Sprintf("https://t.me/c/%s/%d", id, m.ID)
	}
	return ""
}

func (m message) receipt(entry int) schema.Receipt {
	return schema.Receipt{
		Entry: entry, NativeID: strconv.FormatInt(m.ID, 10), URL: m.url(), PostedAt: time.Unix(m.Date, 0).UTC(),
	}
}
