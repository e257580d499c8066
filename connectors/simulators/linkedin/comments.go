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
	var asked comment
	if err := json.NewDecoder(http.MaxBytesReader(v.rw, v.r.Body, maxRequest)).Decode(&asked); err != nil {
		v.fail(badInput("INVALID_JSON", "the request body could not be parsed"))
		return
	}
	s.world.Publish(v.rw, v.r, simulation.VisibleCall{Dialect: s.dialect, Account: asked.Actor, Text: asked.Message.Text}, func(rw http.ResponseWriter) {
		v.rw = rw
		made, err := s.comment(v, asked)
		if err != nil {
			v.fail(err)
			return
		}
		shown := shownComment(made)
		rw.Header().Set("X-Restli-Id", shown.ID)
		answer(rw, http.StatusCreated, shown)
	})
}

func (s *simulator) comment(v visit, asked comment) (simulation.Post, error) {
	parent, under, err := s.commented(v, v.r.PathValue("urn"))
	switch {
	case err != nil:
		return simulation.Post{}, err
	case under != "" && asked.Parent != under:
		return simulation.Post{}, badInput("INVALID_PARENT_COMMENT", "parentComment is not the comment that is answered")
	case !v.mayActAs(asked.Actor):
		return simulation.Post{}, denied("socialActions/comments.CREATE as " + asked.Actor)
	case asked.Message.Text == "":
		return simulation.Post{}, badInput("MISSING_REQUIRED_FIELD", "message/text is required")
	case utf8.RuneCountInString(asked.Message.Text) > maxComment:
		return simulation.Post{}, badInput("FIELD_LENGTH_TOO_LONG", "message/text is longer than 1250")
	}
	urn := fmt.Sprintf("urn:li:comment:(%s%s,%d)", shareURN, parent.ID, s.world.NewID())
	made, _, err := s.world.Add(simulation.Post{
		Account: asked.Actor, ID: urn, Text: asked.Message.Text, ReplyTo: cmp.Or(under, shareURN+parent.ID), Workspace: s.world.WorkspaceOf(v.r), By: s.world.NameOf(v.r),
	})
	return made, err
}

func shownComment(p simulation.Post) comment {
	number := strings.TrimSuffix(p.ID[strings.LastIndexByte(p.ID, ',')+1:], ")")
	shown := comment{ID: number, URN: p.ID, Actor: p.Account, Object: p.ReplyTo, Created: &stamp{p.Account, p.CreatedAt.UnixMilli()}}
	if strings.HasPrefix(p.ReplyTo, commentURN) {
		shown.Object, shown.Parent = objectOf(p.ReplyTo), p.ReplyTo
	}
	shown.Message.Text = p.Text
	return shown
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
	all := said(s.world.SaidUnder(parent), under)
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
