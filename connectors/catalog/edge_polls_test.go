package catalog_test

import (
	"fmt"
	"strings"

	"crier/schema"
)

// pollBounds are what a platform takes of a poll.
type pollBounds struct {
	letters  int    // characters of an option
	question int    // characters; 0: the text is the question
	lasts    string // the setting that says for how long it is open; empty: it is among names
	min      int
	longest  int
}

// The bounds of polls, of which all have 2 to 4 options.
var polls = map[schema.Platform]pollBounds{
	schema.Twitter:  {letters: 25, lasts: "durationMinutes", min: 5, longest: 10_080}, // OpenAPI, CreatePostsPoll
	schema.Mastodon: {letters: 50, lasts: "expiresIn", min: 300, longest: 2_629_746},  // docs.joinmastodon.org/methods/instance, v2
	schema.Threads:  {letters: 25},                                                    // developers.facebook.com/docs/threads/create-posts/polls
	schema.LinkedIn: {letters: 30, question: 140},                                     // learn.microsoft.com/linkedin, poll-post-api
}

const minOptions, maxOptions = 2, 4

func edgesOfPolls(c schema.Constraints, edges map[string]edge) {
	b, takes := polls[c.Platform]
	if !takes {
		return
	}
	asking := func(name string, change func(poll map[string]any)) piece {
		poll := map[string]any{"options": optionsOf(minOptions, 1)}
		if b.question > 0 {
			poll["question"] = "Which?"
		}
		if b.lasts != "" {
			poll[b.lasts] = b.min
		}
		change(poll)
		p := minimum(c, "poll: "+name)
		p.settings = map[string]any{"poll": poll}
		return p
	}
	with := func(name string, at, beyond any) {
		edges["poll, "+name] = between(
			asking(name, func(poll map[string]any) { poll[fieldOf(name, b)] = at }),
			asking(name+" beyond", func(poll map[string]any) { poll[fieldOf(name, b)] = beyond }),
		)
	}
	with("most options", optionsOf(maxOptions, 1), optionsOf(maxOptions+1, 1))
	with("least options", optionsOf(minOptions, 1), optionsOf(minOptions-1, 1))
	with("letters of options", optionsOf(minOptions, b.letters), optionsOf(minOptions, b.letters+1))
	if b.question > 0 {
		with("question", strings.Repeat("x", b.question), strings.Repeat("x", b.question+1))
	}
	if b.lasts != "" {
		with("shortest", b.min, b.min-1)
		with("longest", b.longest, b.longest+1)
	}
}

// fieldOf is the field of a poll that an edge is about.
func fieldOf(edge string, b pollBounds) string {
	switch edge {
	case "question":
		return "question"
	case "shortest", "longest":
		return b.lasts
	default:
		return "options"
	}
}

// optionsOf are n options of as many characters.
func optionsOf(n, letters int) []string {
	var options []string
	for i := range n {
		options = append(options, strings.Repeat("x", letters-1)+fmt.Sprint(i))
	}
	return options
}
