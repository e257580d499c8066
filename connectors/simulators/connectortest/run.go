package connectortest

import (
	"testing"

	"crier/connectors/media/decoder"
	"crier/schema"
)

// clause is one sentence of the contract.
type clause struct {
	name string
	// about reports whether it is about a platform like this; nil: it is about all.
	about func(Fixture) bool
	run   func(*testing.T, *stage)
}

// Run holds a connector to the whole contract.
func Run(t *testing.T, f Fixture) {
	decoder.Main() // what decodes pictures is this test, started again
	t.Run("an answer means what the table's first row of it says", func(t *testing.T) { Meanings(t, f.Calls.Answers) })
	for _, clauses := range [][]clause{
		publishing(), finding(), answering(), refusing(), failing(), misanswering(), ending(), endingAccounts(), attaching(), keepingSecrets(),
		consenting(), reading(), searching(), inTheField(), leaving(),
	} {
		run(t, f, clauses)
	}
}

// RunGenuine runs the clauses in which every answer that arrives is in the simulator's
// own words, for whoever watches what the two say to each other.
func RunGenuine(t *testing.T, f Fixture) {
	for _, clauses := range [][]clause{publishing(), finding(), answering(), refusing(), reading(), searching()} {
		run(t, f, clauses)
	}
}

// RunConsent runs the clause in which a person consents and everything goes well, for
// whoever watches it.
func RunConsent(t *testing.T, f Fixture) { run(t, f, []clause{consent()}) }

func run(t *testing.T, f Fixture, clauses []clause) {
	for _, c := range clauses {
		if c.about != nil && !c.about(f) {
			continue
		}
		t.Run(c.name, func(t *testing.T) { c.run(t, newStage(t, f)) })
	}
}

// What clauses are about.

func looks(f Fixture) bool          { return f.Looks }
func comparesPosts(f Fixture) bool  { return !f.Named }
func cannotLook(f Fixture) bool     { return !f.Looks }
func dedupes(f Fixture) bool        { return f.Dedupes }
func threads(f Fixture) bool        { return f.Constraints.Thread.Supported }
func refusesRepeats(f Fixture) bool { return f.Repeats > 0 }
func comments(f Fixture) bool       { return f.Constraints.FirstComment.Supported }
func uploads(f Fixture) bool        { return f.Operations.Upload != "" }
func processes(f Fixture) bool      { return f.Processing != nil }
func takesImage(f Fixture) bool     { return f.takes(schema.Image) }
func takesPNG(f Fixture) bool       { return takesImage(f) && f.takesType(png) }
func takesVideo(f Fixture) bool     { return f.takes(schema.Video) }

func takesSeveral(f Fixture) bool { return takesImage(f) && f.Constraints.Media.Max > 1 }
func boundsImages(f Fixture) bool { return takesImage(f) && f.Constraints.Media.MaxImageBytes > 0 }

func answersComments(f Fixture) bool { return f.Answers.Comments }
func answersMentions(f Fixture) bool { return f.Answers.Mentions }
func nests(f Fixture) bool           { return f.Answers.Comments && f.Answers.Nested }
func strict(f Fixture) bool          { return f.Answers.Comments && !f.Answers.Forgiving }

func both(a, b func(Fixture) bool) func(Fixture) bool {
	return func(f Fixture) bool { return a(f) && b(f) }
}
