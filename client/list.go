package client

import "iter"

// Page is a part of a list.
type Page[T any] struct {
	Items []T
	Next  string // cursor of the next page; empty: this is the last
}

// pages iterates over a list, a page at a time. After an error it ends.
func pages[T any](read func(cursor string) (Page[T], error)) iter.Seq2[*T, error] {
	return func(yield func(*T, error) bool) {
		for cursor := ""; ; {
			p, err := read(cursor)
			if err != nil {
				yield(nil, err)
				return
			}
			for i := range p.Items {
				if !yield(&p.Items[i], nil) {
					return
				}
			}
			if p.Next == "" {
				return
			}
			cursor = p.Next
		}
	}
}
