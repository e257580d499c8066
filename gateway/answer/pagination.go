package answer

// Pagination is where a page stands in its list. The total of a very long list is a lower
// bound; whether there is more is always exact.
type Pagination struct {
	Total   int  `json:"total"`
	Page    int  `json:"page"`
	Limit   int  `json:"limit"`
	Pages   int  `json:"pages"`
	HasMore bool `json:"hasMore"`
	// AtLeast says that total and pages are of what was read so far: a search is not read to its end.
	AtLeast bool `json:"atLeast,omitempty"`
	// NextCursor is where the next page begins, in lists that have cursors and more.
	NextCursor string `json:"nextCursor,omitempty"`
}

// Paginate is where a page of a number and a limit stands.
func Paginate(number, limit, total int, more bool) Pagination {
	pages := (total + limit - 1) / limit
	return Pagination{Total: total, Page: number, Limit: limit, Pages: pages, HasMore: more}
}
