package demo

import (
	"encoding/json"
	"fmt"
	"os"
)

// Keys are those that the demo prints, of a workspace of its own.
type Keys struct {
	Live string `json:"live"`
	Test string `json:"test"`
}

// KeysIn returns the keys of an earlier start, or makes them. They are kept in a file
// readable by its owner alone.
func KeysIn(file string, create func(test bool) (string, error)) (keys Keys, err error) {
	content, err := os.ReadFile(file)
	if err == nil {
		if err = json.Unmarshal(content, &keys); err != nil {
			return keys, fmt.Errorf("reading the demo's keys in %s: %w", file, err)
		}
		return keys, nil
	}
	if keys.Live, err = create(false); err == nil {
		keys.Test, err = create(true)
	}
	if err == nil {
		content, err = json.Marshal(keys)
	}
	if err == nil {
		err = os.WriteFile(file, content, 0o600)
	}
	if err != nil {
		return keys, fmt.Errorf("making the demo's keys: %w", err)
	}
	return keys, nil
}
