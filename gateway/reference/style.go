package reference

import (
	"fmt"

	"crier/schema/face"
)

// style makes the style sheet of the pages: the tokens that all pages of crier have, and what these lay out
// with them.
func style() ([]byte, error) {
	own, err := files.ReadFile("templates/style.css")
	if err != nil {
		return nil, fmt.Errorf("reading style sheet: %w", err)
	}
	return append([]byte(face.Tokens), own...), nil
}
