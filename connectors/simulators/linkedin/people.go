package linkedin

import (
	"strings"

	"crier/connectors/simulators/simulation"
)

const commentURN = "urn:li:comment:"

// urnOfSaid returns the URN of what a person wrote under a post.
func urnOfSaid(s simulation.Said) string {
	return commentURN + "(" + shareURN + s.Under + "," + s.ID + ")"
}

// objectOf returns the post that a comment is on.
func objectOf(comment string) string {
	object, _, _ := strings.Cut(strings.TrimPrefix(comment, commentURN+"("), ",")
	return object
}

// commented returns the post that comments are on, and the comment where it is answers to one.
func (s *simulator) commented(v visit, urn string) (p simulation.Post, under string, err error) {
	if !strings.HasPrefix(urn, commentURN) {
		p, err = s.find(v, urn)
		return p, "", err
	}
	if p, err = s.find(v, objectOf(urn)); err != nil {
		return p, "", err
	}
	for _, one := range s.world.SaidUnder(p) {
		if urnOfSaid(one) == urn && one.Answers == "" {
			return p, urn, nil
		}
	}
	return p, "", notFound(urn + " is not found")
}

// said are the comments of people on a post, or their answers to one of these.
func said(all []simulation.Said, under string) (shown []comment) {
	for _, one := range all {
		parent := ""
		if one.Answers != "" {
			parent = commentURN + "(" + shareURN + one.Under + "," + one.Answers + ")"
		}
		if parent != under {
			continue
		}
		by := personURN + "p" + one.By.ID
		c := comment{ID: one.ID, URN: urnOfSaid(one), Actor: by, Object: shareURN + one.Under, Parent: parent, Created: &stamp{by, one.At.UnixMilli()}}
		c.Message.Text = one.Text
		shown = append(shown, c)
	}
	return shown
}
