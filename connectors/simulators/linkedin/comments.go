package linkedin

import (
	"cmp"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"unicode/utf8"

	"crier/connectors/simulators/simulation"
)

const maxComment = 1250

// comment is the body of a new comment, and with an id what is shown of one.
type comment struct {
	ID      string `json:"id,omitempty"`
	URN     string `json:"commentUrn,omitempty"`
	Actor   string `json:"actor"`
	Object  string `json:"object"`
	Parent  string `json:"parentComment,omitempty"`
	Created *stamp `json:"created,omitempty"`
	Message struct {
		Text string `json:"text"`
	} `json:"message"`
}

type stamp struct {
	Actor string `json:"actor"`
	Time  int64  `json:"time"`
}

func (s *simulator) createComment(v visit) {
	var input comment
	if err := json.NewDecoder(http.MaxBytesReader(v.rw, v.r.Body, maxRequest)).Decode(&input); err != nil {
		v.fail(badInput("INVALID_JSON", "the request body could not be parsed"))
		return
	}
	s.world.Publish(v.rw, v.r, simulation.VisibleCall{Dialect: s.dialect, Account: input.Actor, Text: input.Message.Text}, func(rw http.ResponseWriter) {
		v.rw = rw
		post, err := s.comment(v, input)
		if err != nil {
			v.fail(err)
			return
		}
		view := shownComment(post)
		rw.Header().Set("X-Restli-Id", view.ID)
		answer(rw, http.StatusCreated, view)
	})
}

func (s *simulator) comment(v visit, input comment) (simulation.Post, error) {
	parent, under, err := s.commented(v, v.r.PathValue("urn"))
	switch {
	case err != nil:
		return simulation.Post{}, err
	case under != "" && input.Parent != under:
		return simulation.Post{}, badInput("INVALID_PARENT_COMMENT", "parentComment is not the comment that is answered")
	case !v.mayActAs(input.Actor):
		return simulation.Post{}, denied("socialActions/comments.CREATE as " + input.Actor)
	case input.Message.Text == "":
		return simulation.Post{}, badInput("MISSING_REQUIRED_FIELD", "message/text is required")
	case utf8.RuneCountInString(input.Message.Text) > maxComment:
		return simulation.Post{}, badInput("FIELD_LENGTH_TOO_LONG", "message/text is longer than 1250")
	}
	urn := fmt.Sprintf("urn:li:comment:(%s%s,%d)", shareURN, parent.ID, s.world.NewID())
	post, _, err := s.world.Add(simulation.Post{
		Account: input.Actor, ID: urn, Text: input.Message.Text, ReplyTo: cmp.Or(under, shareURN+parent.ID), Workspace: s.world.WorkspaceOf(v.r), By: s.world.NameOf(v.r),
	})
	return post, err
}

func shownComment(p simulation.Post) comment {
	number := strings.TrimSuffix(p.ID[strings.LastIndexByte(p.ID, ',')+1:], ")")
	view := comment{ID: number, URN: p.ID, Actor: p.Account, Object: p.ReplyTo, Created: &stamp{p.Account, p.CreatedAt.UnixMilli()}}
	if strings.HasPrefix(p.ReplyTo, commentURN) {
		view.Object, view.Parent = objectOf(p.ReplyTo), p.ReplyTo
	}
	view.Message.Text = p.Text
	return view
}

// listComments lists the comments of an organization's post. A post without any is not found.
func (s *simulator) listComments(v visit) {
	parent, under, err := s.commented(v, v.r.PathValue("urn"))
	switch {
	case err != nil:
		v.fail(err)
		return
	case strings.HasPrefix(parent.Account, personURN):
		v.fail(denied("partnerApiSocialActions.GET_ALL"))
		return
	}
	all := remarksUnder(s.world.RemarksUnder(parent), under)
	for p := range s.world.All() {
		if p.ReplyTo == cmp.Or(under, shareURN+parent.ID) {
			all = append(all, shownComment(p))
		}
	}
	if len(all) == 0 {
		v.fail(notFound("no comments are found"))
		return
	}
	v.list(all)
}
