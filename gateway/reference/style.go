package reference

import (
	"errors"
	"fmt"
	"strings"
)

// How tokens.css says what is of the dark scheme, and where what only the console needs begins.
const (
	darkBegins = `:root[data-mantine-color-scheme="dark"] {`
	theConsole = "/* The library's own names"
)

// styleOf makes the style sheet of the pages: the console's tokens, of which the dark ones hold where the
// reader's system is dark, and what the pages lay out with them.
func styleOf(tokens string) ([]byte, error) {
	light, rest, found := strings.Cut(tokens, darkBegins)
	if !found {
		return nil, errors.New("the tokens have no dark scheme")
	}
	dark, _, found := strings.Cut(rest, theConsole)
	if !found {
		return nil, errors.New("the tokens do not say where the console's own begin")
	}
	own, err := files.ReadFile("templates/style.css")
	if err != nil {
		return nil, fmt.Errorf("reading style sheet: %w", err)
	}
	return []byte(light + "@media screen and (prefers-color-scheme: dark) {\n:root {" + strings.TrimSpace(dark) + "\n}\n" + string(own)), nil
}
