package instagram

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"crier/connectors/simulators/simulation"
	"crier/connectors/simulators/simulation/graph"
)

// spoken is a comment of anybody.
type spoken struct {
	at     time.Time
	fields map[string]any
}

func commentOf(id, text string, at time.Time, by simulation.Person) spoken {
	return spoken{at, map[string]any{
		"id": id, "text": text, "timestamp": at.UTC().Format(graph.TimeFormat), "username": by.Handle,
		"from": map[string]string{"id": by.ID, "username": by.Handle}, "hidden": false, "like_count": 0,
	}}
}

// answers are the comments on a media, or the replies to a comment, the newest first.
func (s *simulator) answers(v visit, to string) []spoken {
	var all []spoken
	self := simulation.Person{ID: v.Account.ID, Handle: v.Account.Handle}
	for p := range s.world.Newest(v.Account.ID) {
		if p.ReplyTo == to {
			all = append(all, commentOf(p.ID, p.Text, p.CreatedAt, self))
		}
	}
	media, isMedia := s.world.Post(v.Account.ID, to)
	if remark, ok := s.world.Remark(v.Account.ID, to); !isMedia && ok {
		media, isMedia = s.world.Post(v.Account.ID, remark.Under)
	}
	if isMedia {
		for _, remark := range s.world.RemarksUnder(media) {
			if cmp.Or(remark.Answers, remark.Under) == to {
				all = append(all, commentOf(remark.ID, remark.Text, remark.At, remark.By))
			}
		}
	}
	slices.SortStableFunc(all, func(a, b spoken) int { return b.at.Compare(a.at) })
	return all
}

func (s *simulator) listAnswers(v visit, all []spoken) {
	nests := strings.Contains(v.Param("fields"), "replies{")
	v.ListAll(func(yield func(string, func() map[string]any) bool) {
		for _, comment := range all {
			id := comment.fields["id"].(string)
			show := func() map[string]any {
				var below []map[string]any
				for _, reply := range s.answers(v, id) {
					below = append(below, reply.fields)
				}
				if nests && below != nil {
					comment.fields["replies"] = map[string]any{"data": below}
				}
				return comment.fields
			}
			if !yield(id, show) {
				return
			}
		}
	}, maxComments)
}

// listReplies lists the answers to a comment.
func (s *simulator) listReplies(v visit) {
	id := v.R.PathValue("id")
	if _, ok := s.world.Remark(v.Account.ID, id); !ok {
		v.Fail(graph.NotFound(id))
		return
	}
	s.listAnswers(v, s.answers(v, id))
}

// reply answers a comment of a person on a media of the caller's own.
func (s *simulator) reply(v visit) {
	id, message := v.R.PathValue("id"), v.Param("message")
	remark, ok := s.world.Remark(v.Account.ID, id)
	switch {
	case !ok || remark.Under == "" || remark.Answers != "":
		v.Fail(graph.NotFound(id))
		return
	case strings.TrimSpace(message) == "" || len(message) > maxComment:
		v.Fail(graph.Invalid("message"))
		return
	}
	s.say(v, message, id)
}
