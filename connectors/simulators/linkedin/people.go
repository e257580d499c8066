package linkedin

import (
	"strings"

	"crier/connectors/simulators/simulation"
)

const commentURN = "urn:li:comment:"

// urnOfRemark returns the URN of what a person wrote under a post.
func urnOfRemark(s simulation.Remark) string {
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
	for _, remark := range s.world.RemarksUnder(p) {
		if urnOfRemark(remark) == urn && remark.Answers == "" {
			return p, urn, nil
		}
	}
	return p, "", notFound(urn + " is not found")
}

// remarksUnder are the comments of people on a post, or their answers to one of these.
func remarksUnder(all []simulation.Remark, under string) (comments []comment) {
	for _, remark := range all {
		parent := ""
		if remark.Answers != "" {
			parent = commentURN + "(" + shareURN + remark.Under + "," + remark.Answers + ")"
		}
		if parent != under {
			continue
		}
		by := personURN + "p" + remark.By.ID
		c := comment{ID: remark.ID, URN: urnOfRemark(remark), Actor: by, Object: shareURN + remark.Under, Parent: parent, Created: &stamp{by, remark.At.UnixMilli()}}
		c.Message.Text = remark.Text
		comments = append(comments, c)
	}
	return comments
}
