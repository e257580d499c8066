package posts

import "crier/schema"

// order is how a list is sorted: by what each source names as the time, then by the id.
type order struct {
	down    bool // the greatest first
	byID    bool // the time is none: by the id alone
	timed   bool // every post has a time
	sources func(schema.PostFilter) []source
}

var orders = map[schema.PostOrder]order{
	schema.LastScheduled:  {down: true, sources: scheduledSources},
	schema.FirstScheduled: {sources: scheduledSources},
	schema.LastCreated:    {down: true, byID: true, sources: createdSources},
	schema.FirstCreated:   {byID: true, sources: createdSources},
	schema.FirstChanged:   {timed: true},
}

// by is the order of rows by the columns of the time and of the id.
func (o order) by(at, id string) string {
	direction := ``
	if o.down {
		direction = ` desc`
	}
	return ` order by ` + at + direction + `, ` + id + direction + ` `
}

// behind returns the sources as they are behind the position where the page begins. An index
// has no range that holds both times and none: where both follow, they are two sources.
func (l listing) behind() []source {
	if l.from == nil {
		return l.sources
	}
	var rest []source
	for _, s := range l.sources {
		if s.byID {
			s.edge = s.behind
		}
		if l.order.byID {
			rest = append(rest, s)
			continue
		}
		for _, where := range l.order.behind(s.at, s.id, l.from) {
			part := s
			part.where += ` and ` + where
			rest = append(rest, part)
		}
	}
	return rest
}

// behind returns the conditions on rows that stand behind a position, by the columns of the
// time and of the id: one of them holds for each.
func (o order) behind(at, id string, from *schema.PostPosition) []string {
	than := ` > `
	if o.down {
		than = ` < `
	}
	timed, timeless := at+` is not null`, at+` is null`
	switch {
	case o.byID:
		return []string{id + than + `@from`}
	case from.At.IsZero() && o.down:
		return []string{timeless + ` and ` + id + than + `@from`, timed}
	case from.At.IsZero():
		return []string{timeless + ` and ` + id + than + `@from`}
	case o.down || o.timed:
		return []string{`(` + at + `, ` + id + `)` + than + `(@from_at, @from)`}
	default:
		return []string{`(` + at + `, ` + id + `)` + than + `(@from_at, @from)`, timeless}
	}
}
