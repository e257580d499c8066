package connectors

import (
	"encoding/json"
	"errors"
	"strings"
	"unicode"
)

// longestMessage is how many runes of a platform's message are kept.
const longestMessage = 300

// messageFields is where platforms put what they say to people, best first.
var messageFields = []string{"error_description", "message", "error_user_msg", "description", "detail", "error", "errors", "title"}

// platformMessage returns what a platform says in the JSON of a refusal; empty if it
// says nothing.
func platformMessage(body []byte) string {
	var decoded any
	if json.Unmarshal(body, &decoded) != nil {
		return ""
	}
	return bounded(messageIn(decoded, 3))
}

// messageIn looks for a message at most depth levels down.
func messageIn(value any, depth int) string {
	if depth == 0 {
		return ""
	}
	switch value := value.(type) {
	case string:
		return value
	case []any:
		if len(value) > 0 {
			return messageIn(value[0], depth)
		}
	case map[string]any:
		for _, field := range messageFields {
			if text := messageIn(value[field], depth-1); text != "" {
				return text
			}
		}
	}
	return ""
}

// bounded shortens a text from outside and removes control characters.
func bounded(text string) string {
	clean := strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return ' '
		}
		return r
	}, text)
	runes := 0
	for i := range clean {
		if runes == longestMessage {
			return clean[:i] + "…"
		}
		runes++
	}
	return strings.TrimSpace(clean)
}

// secrets are texts that no message and no log may show.
type secrets []string

// shortestSecret keeps short parts of a call from being removed all over a message.
const shortestSecret = 4

func (s secrets) scrub(text string) string {
	for _, secret := range s {
		if len(secret) >= shortestSecret {
			text = strings.ReplaceAll(text, secret, "[redacted]")
		}
	}
	return text
}

// scrubError returns the error itself, or its scrubbed text when it shows a secret.
func (s secrets) scrubError(err error) error {
	if text := s.scrub(err.Error()); text != err.Error() {
		return errors.New(text)
	}
	return err
}
