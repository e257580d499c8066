package client

import (
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"strings"
	"time"

	"crier/client/internal/api"
)

// EventService reads what happened, whether or not a webhook was there to get it.
type EventService struct{ api *caller }

// EventFilter selects events.
type EventFilter struct {
	After string // the id of the last event that is known; empty: from the beginning
	Names []EventName
}

// List iterates over events in the order in which crier recorded them, up to now. Go on later
// after the id of the last one.
func (e *EventService) List(ctx context.Context, filter EventFilter) iter.Seq2[*Event, error] {
	params := api.ListEventsParams{Limit: pageSize(0)}
	if len(filter.Names) > 0 {
		names := make([]string, len(filter.Names))
		for i, n := range filter.Names {
			names[i] = string(n)
		}
		params.Type = new(strings.Join(names, ","))
	}
	return pages(func(cursor string) (Page[Event], error) {
		if cursor == "" {
			cursor = filter.After
		}
		params.After = optional(cursor)
		response, err := read[struct {
			Events     []Event
			NextCursor string
			HasMore    bool
		}](e.api.get(ctx, &params, "events"))
		if err != nil {
			return Page[Event]{}, err
		}
		if !response.HasMore {
			response.NextCursor = ""
		}
		return Page[Event]{response.Events, response.NextCursor}, nil
	})
}

// Event is something that happened, as webhooks deliver it and Events.List reads it.
type Event struct {
	ID        string    `json:"id"` // the same over retries and redelivery: drop what you have seen
	Name      EventName `json:"event"`
	Test      bool      `json:"test"` // sample data of a test
	CreatedAt time.Time `json:"createdAt"`
	// Data is a PostData, ThreadData, AccountData, WebhookData, FeedData or ItemData by the event's
	// name, and the json.RawMessage that came of an event that is newer than this package.
	Data any `json:"data"`
}

// Data of events.
type (
	// PostData is of the events of posts.
	PostData struct {
		Post EventPost `json:"post"`
	}
	// ThreadData is of the events of threads.
	ThreadData struct {
		Thread EventThread `json:"thread"`
	}
	// AccountData is of the events of accounts.
	AccountData struct {
		Account   EventAccount    `json:"account"`
		Error     *AccountProblem `json:"error,omitzero"`     // of EventAccountFailed
		ExpiresAt time.Time       `json:"expiresAt,omitzero"` // of EventAccountTokenExpiring
	}
	// WebhookData is of EventWebhookDisabled.
	WebhookData struct {
		Webhook EventWebhook `json:"webhook"`
	}
	// FeedData is of EventFeedMatched.
	FeedData struct {
		Monitor FeedMonitor `json:"monitor"`
		Items   []FeedItem  `json:"items"` // what was found at one moment
	}
	// FeedMonitor names a monitor.
	FeedMonitor struct {
		ID   string `json:"id"`
		Name string `json:"name"`
	}
	// ItemData is of the events of comments and mentions.
	ItemData struct {
		Item InboxItem `json:"item"`
	}
)

// UnmarshalJSON implements json.Unmarshaler.
func (e *Event) UnmarshalJSON(body []byte) error {
	var envelope struct {
		ID        string
		Event     EventName
		Test      bool
		CreatedAt time.Time
		Data      json.RawMessage
	}
	if err := json.Unmarshal(body, &envelope); err != nil {
		return fmt.Errorf("reading an event: %w", err)
	}
	*e = Event{ID: envelope.ID, Name: envelope.Event, Test: envelope.Test, CreatedAt: envelope.CreatedAt}
	var err error
	switch kind, _, _ := strings.Cut(string(e.Name), "."); kind {
	case "post":
		e.Data, err = dataOf[PostData](envelope.Data)
	case "thread":
		e.Data, err = dataOf[ThreadData](envelope.Data)
	case "account":
		e.Data, err = dataOf[AccountData](envelope.Data)
	case "webhook":
		e.Data, err = dataOf[WebhookData](envelope.Data)
	case "feed":
		e.Data, err = dataOf[FeedData](envelope.Data)
	case "comment", "mention":
		e.Data, err = dataOf[ItemData](envelope.Data)
	default:
		e.Data = envelope.Data
	}
	return err
}

func dataOf[T any](encoded json.RawMessage) (T, error) {
	var data T
	if err := json.Unmarshal(encoded, &data); err != nil {
		return data, fmt.Errorf("reading an event's data: %w", err)
	}
	return data, nil
}

// EventName says what happened.
type EventName = api.EventName

// What happens.
const (
	EventPostScheduled            = api.EventNamePostScheduled
	EventPostPublished            = api.EventNamePostPublished
	EventPostFailed               = api.EventNamePostFailed
	EventPostCancelled            = api.EventNamePostCancelled
	EventPostUpdated              = api.EventNamePostUpdated
	EventThreadScheduled          = api.EventNameThreadScheduled
	EventThreadPublished          = api.EventNameThreadPublished
	EventThreadPartiallyPublished = api.EventNameThreadPartiallyPublished
	EventThreadFailed             = api.EventNameThreadFailed
	EventAccountConnected         = api.EventNameAccountConnected
	EventAccountDisconnected      = api.EventNameAccountDisconnected
	EventAccountFailed            = api.EventNameAccountError
	EventAccountTokenExpiring     = api.EventNameAccountTokenExpiring
	EventWebhookDisabled          = api.EventNameWebhookDisabled
	EventFeedMatched              = api.EventNameFeedMatched
	EventCommentReceived          = api.EventNameCommentReceived
	EventMentionReceived          = api.EventNameMentionReceived
)

// What events are about, as it was then.
type (
	EventPost     = api.EventPost
	EventThread   = api.EventThread
	EventAccount  = api.EventAccount
	EventWebhook  = api.EventWebhook
	EventPlatform = api.EventPlatform
)

// EveryEvent returns the names of all that happens.
func EveryEvent() []EventName {
	return []EventName{
		EventPostScheduled, EventPostPublished, EventPostFailed, EventPostCancelled, EventPostUpdated,
		EventThreadScheduled, EventThreadPublished, EventThreadPartiallyPublished, EventThreadFailed,
		EventAccountConnected, EventAccountDisconnected, EventAccountFailed, EventAccountTokenExpiring, EventWebhookDisabled, EventFeedMatched,
		EventCommentReceived, EventMentionReceived,
	}
}
