package client

import "iter"

// page is a part of a list, and where the next one begins; empty: nowhere.
type page[T any] struct {
	items []T
	next  string
}

// pages iterates over a list, a page at a time. After an error it ends.
func pages[T any](read func(cursor string) (page[T], error)) iter.Seq2[*T, error] {
	return func(yield func(*T, error) bool) {
		for cursor := ""; ; {
			p, err := read(cursor)
			if err != nil {
				yield(nil, err)
				return
			}
			for i := range p.items {
				if !yield(&p.items[i], nil) {
					return
				}
			}
			if p.next == "" {
				return
			}
			cursor = p.next
		}
	}
}
