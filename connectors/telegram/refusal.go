package telegram

import (
	"encoding/json"
	"fmt"
	"net/http"
	"regexp"
	"strconv"
	"time"

	"crier/connectors"
	"crier/schema"
)

// refusal is the body of an answer that is not ok.
type refusal struct {
	ErrorCode   int    `json:"error_code"`
	Description string `json:"description"`
	Parameters  struct {
		MigrateToChatID int64 `json:"migrate_to_chat_id"`
		RetryAfter      int64 `json:"retry_after"` // seconds
	} `json:"parameters"`
}

// refusalOf reads a refusal; what is none, such as a proxy's page, says nothing.
func refusalOf(body []byte) refusal {
	var r refusal
	if json.Unmarshal(body, &r) != nil {
		return refusal{}
	}
	return r
}

// The codes of refusals, which the Bot API tells apart by their descriptions alone.
const (
	noBot        = "no bot"      // the description is nothing but "Not Found"
	supergroup   = "supergroup"  // the group has another id since it is one
	serverRefuse = "server code" // the description is a code of Telegram's servers, not of the Bot API server
)

var serverCode = regexp.MustCompile(`^Bad Request: [A-Z][A-Z0-9_]+$`)

func readRefusal(response *connectors.Response) (connectors.Refusal, bool) {
	r := refusalOf(response.Body)
	if r.Description == "" {
		return connectors.Refusal{}, false
	}
	refusal := connectors.Refusal{
		Codes: []string{strconv.Itoa(r.ErrorCode)}, Message: r.Description,
		Wait: time.Duration(r.Parameters.RetryAfter) * time.Second,
	}
	switch {
	case r.Parameters.MigrateToChatID != 0:
		refusal.Codes = append(refusal.Codes, supergroup)
		refusal.Message = fmt.Sprintf("the group has become a supergroup: connect it again with the chat id %d", r.Parameters.MigrateToChatID)
	case r.ErrorCode == http.StatusNotFound && r.Description == "Not Found":
		refusal.Codes = append(refusal.Codes, noBot)
	case serverCode.MatchString(r.Description):
		refusal.Codes = append(refusal.Codes, serverRefuse)
	}
	return refusal, true
}

// answers is what Telegram's refusals mean beyond their status.
func answers() connectors.Answers {
	return connectors.Answers{Read: readRefusal, Table: append(ofAlbums(), ofBots()...)}
}

const botAPIServer = "tdlib/telegram-bot-api Client.cpp"

// ofAlbums are the answers that do not exclude that items of the album were sent: each is settled by
// itself, and one that fails makes an error of the whole call. Its own 429 is passed on without a
// number, and so is the code of a server. All that the Bot API server refuses before it sends any has
// other descriptions.
func ofAlbums() []connectors.Answer {
	ofAlbum := func(row connectors.Answer) connectors.Answer {
		row.Scope, row.Operations, row.Means = connectors.VisibleCall, []string{sendMediaGroup}, connectors.IsUnknown
		return row
	}
	return []connectors.Answer{
		ofAlbum(connectors.Answer{
			Says: "ailed to send message #", Source: botAPIServer + " on_message_send_failed; rubenlagus/TelegramBots #1520",
			Example: `{"ok":false,"error_code":400,"description":"Bad Request: failed to send message #1 with the error message \"Too Many Requests: retry after 8\""}`,
		}),
		ofAlbum(connectors.Answer{
			Says: "roup send failed", Source: botAPIServer + " on_message_send_failed; tdlib/td #1990",
			Example: `{"ok":false,"error_code":400,"description":"Bad Request: group send failed"}`,
		}),
		ofAlbum(connectors.Answer{
			Status: []int{http.StatusTooManyRequests}, Source: botAPIServer + " is_special_error_code",
			Example: `{"ok":false,"error_code":429,"description":"Too Many Requests: retry after 8","parameters":{"retry_after":8}}`,
		}),
		ofAlbum(connectors.Answer{
			Status: []int{http.StatusBadRequest}, Codes: []string{serverRefuse}, Source: botAPIServer + " on_message_send_failed, of 406",
			Example: `{"ok":false,"error_code":400,"description":"Bad Request: MEDIA_GROUP_INVALID"}`,
		}),
	}
}

// ofBots are the answers that say that a bot may no longer post to its chat. A chat that refuses photos
// still takes texts, so that answer is not among them.
func ofBots() []connectors.Answer {
	rows := []connectors.Answer{
		{
			Codes: []string{supergroup}, Means: connectors.EndsAccount, End: schema.EndRevoked, Source: "core.telegram.org/bots/api#responseparameters",
			Example: `{"ok":false,"error_code":400,"description":"Bad Request: group chat was upgraded to a supergroup chat","parameters":{"migrate_to_chat_id":-1001}}`,
		},
		{ // the methods called here exist, so that it is the bot that does not
			Status: []int{http.StatusNotFound}, Codes: []string{noBot}, Means: connectors.ChecksAccount, Message: "Telegram knows no bot of this token",
			Source: botAPIServer, Example: `{"ok":false,"error_code":404,"description":"Not Found"}`,
		},
	}
	for _, of := range []struct {
		status int
		says   string // a part: the kind of chat is in most
		end    schema.End
	}{
		{http.StatusForbidden, "bot was kicked from", schema.EndRemoved},
		{http.StatusForbidden, "bot is not a member of", schema.EndRemoved},
		{http.StatusBadRequest, "chat not found", schema.EndRemoved},
		{http.StatusForbidden, "chat was deleted", schema.EndRemoved},
		{http.StatusForbidden, "chat was deactivated", schema.EndRemoved},
		{http.StatusBadRequest, "need administrator rights", schema.EndRemoved},
		{http.StatusBadRequest, "not enough rights to send text messages", schema.EndRemoved},
		{http.StatusBadRequest, "have no rights to send a message", schema.EndRemoved},
		{http.StatusBadRequest, "CHAT_WRITE_FORBIDDEN", schema.EndRemoved},
		// A person's chat looks as before to the bot.
		{http.StatusForbidden, "bot was blocked by the user", schema.EndRevoked},
		{http.StatusForbidden, "bot can't initiate conversation", schema.EndRevoked},
		{http.StatusForbidden, "user is deactivated", schema.EndDeleted},
	} {
		rows = append(rows, connectors.Answer{
			Status: []int{4}, Says: of.says, Means: connectors.EndsAccount, End: of.end, Source: botAPIServer,
			Example: fmt.Sprintf(`{"ok":false,"error_code":%d,"description":"%s: %s"}`, of.status, statusWord(of.status), of.says),
		})
	}
	return rows
}

// statusWord is what descriptions of a status begin with.
func statusWord(status int) string {
	if status == http.StatusForbidden {
		return "Forbidden"
	}
	return "Bad Request"
}
