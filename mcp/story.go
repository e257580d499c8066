package mcp

import (
	"context"
	"fmt"

	"crier/client"
)

const (
	maxStoryRead  = 500 // lines of a timeline that are read at most
	maxStoryLines = 40  // of them, the last ones
)

// story is a post's timeline in words, and how many of its older lines are left out.
func (c *call) story(ctx context.Context, post string) (lines []string, cut int, err error) {
	lines = []string{}
	for attempt, err := range c.Posts.Attempts(ctx, post) {
		if err != nil {
			return nil, 0, err
		}
		if lines = append(lines, sentence(attempt)); len(lines) == maxStoryRead {
			break
		}
	}
	cut = max(len(lines)-maxStoryLines, 0)
	return lines[cut:], cut, nil
}

// sentence is one line of a timeline.
func sentence(a *client.Attempt) string {
	text := a.At.UTC().Format("2006-01-02 15:04:05 UTC") + ": " + subject(a) + happened(a)
	if a.Message != "" {
		text += ": " + visible(a.Message, briefly)
	}
	if a.Code != "" {
		text += " (" + a.Code + ")"
	}
	if a.URL != "" {
		text += ", at " + a.URL
	}
	if !a.NextAt.IsZero() {
		text += "; next at " + a.NextAt.UTC().Format("2006-01-02 15:04:05 UTC")
	}
	return text
}

// subject is what a line is about; the whole post needs no name.
func subject(a *client.Attempt) string {
	switch {
	case a.FirstComment != nil:
		return fmt.Sprintf("on %s, the first comment ", a.Platform)
	case a.Entry != nil && *a.Entry > 0:
		return fmt.Sprintf("on %s, entry %d ", a.Platform, *a.Entry)
	case a.Platform != "":
		return fmt.Sprintf("on %s, the post ", a.Platform)
	default:
		return "the post "
	}
}

// happened is what a line says of its subject, as the API's description has the events.
func happened(a *client.Attempt) string {
	switch a.Event {
	case "created":
		return "was made"
	case "updated":
		return "was changed by a user"
	case "cancelled":
		return "was cancelled by a user"
	case "retried":
		return "was set going again by a user"
	case "processing":
		return "is being worked on by the platform"
	case "deferred":
		return "was held back, which uses up no attempt"
	case "retrying":
		return "was not taken, and is tried again"
	case "outcome_unknown":
		return "was sent and the answer was lost; crier looks for it before anything else"
	case "look_failed":
		return "could not be looked for; crier looks again"
	case "not_found":
		return "was looked for and is not there"
	case "found":
		return "was looked for and is there"
	case "incomplete":
		return "was published without something that it was to have"
	case "entry_failed":
		return "failed for good, and the thread goes on without it"
	case "published":
		return "was published"
	case "failed":
		return "failed for good"
	case "skipped":
		return "was left out, since what it was to follow was not published"
	default: // one that a later server knows
		return "has the event " + string(a.Event)
	}
}
