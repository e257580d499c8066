// Package sql holds what the statements of schema/postgres share, and writes it out in them:
//
//	select id from jobs where kind = {job_post} and {is_due(j)}
//
// A name in braces is that of a number (names.go), which stays a constant in the text that PostgreSQL gets: with
// a parameter in its place, it would not use partial indexes. It can also be that of a fragment (fragments.go),
// which may take the alias of a table. schema/postgres/internal/sql/statements.sql has the text that becomes of each statement.
package sql

import (
	"fmt"
	"regexp"
	"strings"
	"sync"
)

var (
	// braced is a name, with what its fragment takes.
	braced = regexp.MustCompile(`\{([a-z][a-z_]*)(?:\(([^{}]*)\))?\}`)

	// texts are the statements written out, each once in the life of a process.
	texts sync.Map
)

// Text writes a statement out. Given are further names, each with what it stands for: tables and conditions of
// which a statement of its own for each would say the same. It panics where nothing has a name that stands in it.
func Text(statement string, given ...string) string {
	if len(given) > 0 {
		return written(giving(statement, given))
	}
	if text, ok := texts.Load(statement); ok {
		return text.(string)
	}
	text := written(statement)
	texts.Store(statement, text)
	return text
}

func giving(statement string, given []string) string {
	pairs := make([]string, len(given))
	for i := 0; i < len(given); i += 2 {
		pairs[i], pairs[i+1] = "{"+given[i]+"}", given[i+1]
	}
	return strings.NewReplacer(pairs...).Replace(statement)
}

// written writes the innermost names out for as long as there are any: fragments have names in them.
func written(statement string) string {
	for braced.MatchString(statement) {
		statement = braced.ReplaceAllStringFunc(statement, func(found string) string {
			parts := braced.FindStringSubmatch(found)
			return meaning(parts[1], parts[2])
		})
	}
	return statement
}

// meaning is what a name stands for.
func meaning(name, arguments string) string {
	if value, ok := names[name]; ok && arguments == "" {
		return value
	}
	f, ok := fragments[name]
	if !ok {
		panic(fmt.Sprintf("nothing is named {%s} in SQL", name))
	}
	values := strings.Split(arguments, ", ")
	if arguments == "" {
		values = nil
	}
	if len(values) != len(f.parameters) {
		panic(fmt.Sprintf("{%s} takes %d arguments in SQL, got %q", name, len(f.parameters), arguments))
	}
	text := f.text
	for i, parameter := range f.parameters {
		text = strings.ReplaceAll(text, "{"+parameter+"}", values[i])
	}
	return text
}
