package graph

import (
	"context"
	"fmt"
	"net/url"
	"time"

	"crier/connectors"
	"crier/connectors/listing"
	"crier/schema"
)

// Publish makes the one visible call of a delivery and returns the id of what it made.
func Publish(ctx context.Context, client *connectors.Client, d schema.Delivery, call connectors.Call) (id string, err error) {
	call.Kind, call.Reservation, call.Visible = connectors.Post, d.Reservation, true
	var out connectors.Created
	if _, err := client.Do(ctx, call, &out); err != nil {
		return "", err
	}
	if out.ID == "" {
		return "", &schema.Error{Kind: schema.Unknown, Message: "the platform's answer names nothing that was made"}
	}
	return out.ID, nil
}

// CreateContainer makes the call that makes a container, which nobody can see, of what is asked for.
func CreateContainer(ctx context.Context, client *connectors.Client, call connectors.Call, form url.Values) (id string, err error) {
	call.Form, call.Kind = form, connectors.Media
	var out connectors.Created
	switch _, err := client.Do(ctx, call, &out); {
	case err != nil:
		return "", fmt.Errorf("creating container: %w", err)
	case out.ID == "":
		return "", &schema.Error{Kind: schema.Retryable, Message: "the platform's answer names no container"}
	}
	return out.ID, nil
}

// readBackTime bounds the read of what was just published: until it is over, the receipt is
// kept nowhere.
const readBackTime = 3 * time.Second

// ReadBack makes a call that asks for the address of what is published. Where that fails, it is
// there all the same: the item has its id alone.
func ReadBack(ctx context.Context, client *connectors.Client, call connectors.Call, id string) listing.Item {
	ctx, cancel := context.WithTimeout(ctx, readBackTime)
	defer cancel()
	call.Query, call.Kind = url.Values{"fields": {"id,permalink,timestamp"}}, connectors.Status
	var out Post
	if _, err := client.Do(ctx, call, &out); err != nil || out.ID != id {
		return listing.Item{ID: id}
	}
	return listing.Item{ID: id, URL: out.Permalink, At: out.Timestamp.Time}
}

// Receipt returns the receipt of what a delivery made; now stands for a time that is not known.
func Receipt(d schema.Delivery, item listing.Item, now time.Time) schema.Receipt {
	r := schema.Receipt{Entry: d.VisibleEntry(), NativeID: item.ID, URL: connectors.WebURL(item.URL), PostedAt: item.At}
	if item.At.IsZero() {
		r.PostedAt = now.UTC()
	}
	return r
}
