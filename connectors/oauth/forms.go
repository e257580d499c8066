package oauth

import (
	"encoding/json"

	"crier/connectors"
)

// list is a list, or a text with commas or spaces between its parts.
type list []string

// UnmarshalJSON reads either.
func (l *list) UnmarshalJSON(content []byte) error {
	var text string
	if json.Unmarshal(content, &text) == nil {
		*l = connectors.SplitScopes(text)
		return nil
	}
	return json.Unmarshal(content, (*[]string)(l))
}

// ID is an id that is written as a text or as a number.
type ID string

// UnmarshalJSON reads either, without the rounding of a double.
func (i *ID) UnmarshalJSON(content []byte) error {
	var text string
	if json.Unmarshal(content, &text) == nil {
		*i = ID(text)
		return nil
	}
	var number json.Number
	if err := json.Unmarshal(content, &number); err != nil {
		return err
	}
	*i = ID(number.String())
	return nil
}
