package main

import (
	"fmt"
	"slices"
)

// counted is a number of things: 1 post, 2 posts.
func counted[N int | int64](n N, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return fmt.Sprintf("%d %ss", n, thing)
}

// readIDs reads the ids of what a command is for, each once. Without any it is for all,
// which has to be said.
func readIDs[T comparable](texts []string, all bool, what string, parse func(string) (T, error)) ([]T, error) {
	var ids []T
	for _, text := range texts {
		id, err := parse(text)
		if err != nil {
			return nil, fmt.Errorf("reading %q: %w", text, err)
		}
		if !slices.Contains(ids, id) {
			ids = append(ids, id)
		}
	}
	if len(ids) == 0 && !all {
		return nil, fmt.Errorf("name %s, or --all", what)
	}
	return ids, nil
}
