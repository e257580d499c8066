// Package textsearch finds words in texts, without case and accents: cafe finds CAFÉ. A word of a
// script with blanks is found where a word begins with it; one of a script without blanks, such as
// Chinese or Japanese, anywhere.
//
// Unlike the fold of package listening, by which somebody's keywords are matched exactly as they are
// spelled, this one is forgiving: people search for what they remember.
package textsearch

import (
	"bytes"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// MaxWords bounds the words of a query.
const MaxWords = 10

// Query is words that a text must have, all of them. It is of one goroutine at a time.
type Query struct {
	folds *folds
	words []word
	space []byte // of what is folded
}

type word struct {
	folded []byte
	begins bool // it is to begin a word
	plain  bool // JSON has it as it is
}

// New returns the query of some words, with blanks between them; ok is false where there is none
// with a letter, a digit or a symbol, or too many.
func New(text string) (q *Query, ok bool) {
	q = &Query{folds: basic()}
	for _, field := range strings.Fields(string(q.folds.append(nil, text))) {
		first, _ := utf8.DecodeRuneInString(field)
		q.words = append(q.words, word{
			folded: []byte(field),
			begins: isWord(first) && !unicode.In(first, unspaced...),
			plain:  !strings.ContainsFunc(field, escapes),
		})
	}
	named := strings.ContainsFunc(text, func(r rune) bool { return isWord(r) || unicode.IsSymbol(r) })
	return q, named && len(q.words) > 0 && len(q.words) <= MaxWords
}

// escapes reports whether JSON may write a character as an escape.
func escapes(r rune) bool {
	return r < ' ' || strings.ContainsRune(`"\<>&'`, r) || r == '\u2028' || r == '\u2029'
}

// MayMatch reports whether a JSON document can hold all words in its texts: cheaper than to decode it
// and to ask Matches.
func (q *Query) MayMatch(document string) bool {
	q.space = q.folds.append(q.space[:0], document)
	return !slices.ContainsFunc(q.words, func(w word) bool { return w.plain && !bytes.Contains(q.space, w.folded) })
}

// Matches reports whether all words are in the texts, each in any of them.
func (q *Query) Matches(texts []string) bool {
	q.space = q.space[:0]
	for _, text := range texts {
		q.space = append(q.folds.append(q.space, text), '\n')
	}
	return !slices.ContainsFunc(q.words, func(w word) bool { return !w.in(q.space) })
}

// in reports whether the word is in folded text.
func (w word) in(text []byte) bool {
	for at := 0; ; {
		next := bytes.Index(text[at:], w.folded)
		if next < 0 {
			return false
		}
		at += next
		before, _ := utf8.DecodeLastRune(text[:at])
		if !w.begins || at == 0 || !isWord(before) || unicode.In(before, unspaced...) {
			return true
		}
		at += len(w.folded)
	}
}

// unspaced are the scripts that write no blanks between words, or whose words are joined.
var unspaced = []*unicode.RangeTable{
	unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul, unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar,
}

func isWord(r rune) bool { return r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r) }
