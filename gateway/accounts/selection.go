package accounts

import (
	"context"
	"fmt"
	"net/http"
	"slices"

	"github.com/gin-gonic/gin"

	"crier/connectors"
	"crier/gateway/admission"
	"crier/gateway/answer"
	"crier/gateway/body"
	"crier/schema"
	"crier/schema/lists"
)

// maxSelected is how many entities one selection connects.
const maxSelected = 25

// offer has the person choose what of theirs is connected: on the site that they are sent back
// to, or on a page of ours. An account that is connected again needs no choice.
func (s *authorizations) offer(c *gin.Context, consent schema.Consent, old [32]byte, held granted) error {
	found, err := s.listed(c.Request.Context(), consent, held)
	if err != nil {
		return s.failed(c, consent, old, err)
	}
	if !consent.Account.IsZero() {
		return s.again(c, consent, old, found)
	}
	token, err := s.move(c.Request.Context(), consent, old, schema.ConsentSelecting, held)
	switch {
	case err != nil:
		return s.gone(c, err)
	case consent.Redirect != "":
		s.finish(c, consent, ending{Selection: token})
	default:
		s.showChoice(c, consent, token, "", found)
	}
	return nil
}

// again connects the one entity that a consent is for.
func (s *authorizations) again(c *gin.Context, consent schema.Consent, token [32]byte, found []connectors.Entity) error {
	wanted, err := s.Store.Account(c.Request.Context(), consent.Workspace, consent.Account)
	if err != nil {
		return s.failed(c, consent, token, err)
	}
	at := slices.IndexFunc(found, func(e connectors.Entity) bool { return e.ID == wanted.NativeID })
	if at < 0 {
		return s.failed(c, consent, token, refuse("You may not post to "+wanted.Name+", which is to be connected again."))
	}
	return s.attachAll(c, consent, token, credentialsOf(found[at:at+1]))
}

func refuse(message string) error { return &schema.Error{Kind: schema.Refused, Message: message} }

// choose takes what a person chose on our page.
func (s *authorizations) choose(c *gin.Context) error {
	consent, form, err := s.answered(c, schema.ConsentSelecting)
	if err != nil {
		return s.gone(c, err)
	}
	token := form.Get("token")
	if form.Get("decision") == "decline" {
		return s.declined(c, consent, schema.HashConsentToken(token), granted{})
	}
	found, err := s.selectable(c.Request.Context(), consent)
	if err != nil {
		return s.failed(c, consent, schema.HashConsentToken(token), err)
	}
	chosen, err := chosenOf(found, form["entity"])
	if err != nil {
		s.showChoice(c, consent, token, publicError(err).Message, found)
		return nil
	}
	return s.attachAll(c, consent, schema.HashConsentToken(token), credentialsOf(chosen))
}

func credentialsOf(chosen []connectors.Entity) []schema.Credentials {
	all := make([]schema.Credentials, len(chosen))
	for i := range chosen {
		all[i] = chosen[i].Credentials
	}
	return all
}

// selectable returns what a person may choose from, of a consent that waits for it. It is asked
// for each time, so that nobody can name what is not the person's.
func (s *authorizations) selectable(ctx context.Context, consent schema.Consent) ([]connectors.Entity, error) {
	var held granted
	if err := s.unstage(consent, &held); err != nil {
		return nil, err
	}
	return s.listed(ctx, consent, held)
}

func (s *authorizations) listed(ctx context.Context, consent schema.Consent, held granted) ([]connectors.Entity, error) {
	ctx, cancel := context.WithTimeout(ctx, connectTimeout)
	defer cancel()
	source, err := connectors.As[connectors.EntitySource](s.Platforms, accountOf(consent))
	if err != nil {
		return nil, err
	}
	found, err := source.Entities(ctx, accountOf(consent), held.Credentials)
	if err == nil && len(found) == 0 {
		return nil, refuse("There is nothing on " + consent.Platform.String() + " that you may post to.")
	}
	return found, err
}

// chosenOf returns the entities of these ids.
func chosenOf(found []connectors.Entity, ids []string) ([]connectors.Entity, error) {
	if len(ids) == 0 || len(ids) > maxSelected {
		return nil, refuse(fmt.Sprintf("Choose at least one and at most %d.", maxSelected))
	}
	var chosen []connectors.Entity
	for i, id := range ids {
		if slices.Contains(ids[:i], id) {
			continue
		}
		at := slices.IndexFunc(found, func(e connectors.Entity) bool { return e.ID == id })
		if at < 0 {
			return nil, refuse(body.Clip(id) + " is none of those you may choose.")
		}
		chosen = append(chosen, found[at])
	}
	return chosen, nil
}

type entityView struct {
	ID   string `json:"id"`
	Name string `json:"name"`
	Kind string `json:"kind"`
}

// entities answers with what can be chosen under a selection token.
func (s *authorizations) entities(c *gin.Context) error {
	q := body.NewQuery(c)
	token, _ := q.Word("selectionToken")
	if token == "" && !q.Report.About("selectionToken") {
		q.Report.Fail("selectionToken", body.CodeRequired, "is required: the redirect after consent carries it")
	}
	if err := q.Finish(); err != nil {
		return err
	}
	consent, err := s.selecting(c, token)
	if err != nil {
		return err
	}
	found, err := s.selectable(c.Request.Context(), consent)
	if err != nil {
		return refusedFor(consent, "selectionToken", err)
	}
	views := lists.Map(found, func(e connectors.Entity) entityView { return entityView{e.ID, e.Name, e.Kind} })
	return answer.Several(c, http.StatusOK, map[string]any{"platform": consent.Platform, "entities": views}, q.Report.Warnings)
}

// selecting returns the consent of a selection token, which has to be the caller's workspace's.
func (s *authorizations) selecting(c *gin.Context, token string) (schema.Consent, error) {
	gone := &schema.Error{Kind: schema.NotFound, Message: "there is no such selection: it was made, has expired, or is another workspace's"}
	platform, err := pathPlatform(c)
	if err != nil {
		return schema.Consent{}, err
	}
	consent, err := s.Store.Consent(c.Request.Context(), platform, schema.HashConsentToken(token), schema.ConsentSelecting)
	if schema.KindOf(err) == schema.NotFound || err == nil && consent.Workspace != admission.RequestOf(c).Key.Workspace {
		return schema.Consent{}, gone
	}
	return consent, err
}

// selectEntities connects what a caller has chosen for the person.
func (s *authorizations) selectEntities(c *gin.Context, f *body.Form) error {
	token, _ := f.Text("selectionToken", body.MaxName)
	ids := readEntityIDs(f)
	brand := f.Brand()
	f.Require("selectionToken")
	if err := f.Finish(); err != nil {
		return err
	}
	consent, err := s.selecting(c, token)
	if err != nil {
		return err
	}
	if !brand.IsZero() {
		consent.Brand = brand
	}
	attached, err := s.attachChosen(c.Request.Context(), consent, ids)
	if err != nil {
		return refusedFor(consent, "entityIds", err)
	}
	if err := s.Store.EndConsent(c.Request.Context(), schema.HashConsentToken(token)); err != nil {
		return err
	}
	return answer.Named(c, http.StatusOK, "accounts", attached, f.Report.Warnings)
}

func (s *authorizations) attachChosen(ctx context.Context, consent schema.Consent, ids []string) ([]accountView, error) {
	found, err := s.selectable(ctx, consent)
	if err != nil {
		return nil, err
	}
	chosen, err := chosenOf(found, ids)
	if err != nil {
		return nil, err
	}
	return s.attach(ctx, consent, credentialsOf(chosen))
}

// readEntityIDs reads the ids of the chosen; platforms write them as numbers or texts.
func readEntityIDs(f *body.Form) []string {
	values, _ := f.List("entityIds", maxSelected)
	if len(values) == 0 && !f.Report.About("entityIds") {
		f.Fail("entityIds", body.CodeRequired, "must name at least one of the entities")
	}
	var ids []string
	for i, v := range values {
		if (v.Kind != body.Text && v.Kind != body.Number) || v.Text == "" || len(v.Text) > body.MaxName {
			f.Fail(body.Indexed("entityIds", i), body.CodeInvalidType, "must be the id of an entity")
			continue
		}
		ids = append(ids, v.Text)
	}
	return ids
}
