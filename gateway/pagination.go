package gateway

// pagination is where a page stands in its list. The total of a very long list is only
// a lower bound; whether there is more is always exact.
type pagination struct {
	Total   int  `json:"total"`
	Page    int  `json:"page"`
	Limit   int  `json:"limit"`
	Pages   int  `json:"pages"`
	HasMore bool `json:"hasMore"`
}

// paginationOf is where a page of a number and a limit stands.
func paginationOf(number, limit, total int, more bool) pagination {
	pages := (total + limit - 1) / limit
	return pagination{Total: total, Page: number, Limit: limit, Pages: pages, HasMore: more}
}
