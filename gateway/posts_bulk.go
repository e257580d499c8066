package gateway

import (
	"context"
	"fmt"
	"net/http"
	"slices"

	"github.com/gin-gonic/gin"

	"crier/schema"
)

const maxBulk = 25

// bulkAnswer is the answer of a bulk creation; it comes with 201 whatever became of
// its entries.
type bulkAnswer struct {
	Success  bool            `json:"success"`
	Results  []bulkResult    `json:"results"`
	Summary  bulkSummary     `json:"summary"`
	Warnings []schema.Detail `json:"warnings,omitempty"`
}

type bulkResult struct {
	Index    int             `json:"index"`
	Success  bool            `json:"success"`
	Post     *postView       `json:"post,omitempty"`
	Error    *errorView      `json:"error,omitempty"`
	Warnings []schema.Detail `json:"warnings,omitempty"`
}

type bulkSummary struct {
	Total     int `json:"total"`
	Succeeded int `json:"succeeded"`
	Failed    int `json:"failed"`
}

// createBulk makes up to 25 posts. Each entry is valid or not by itself; those that
// are valid are stored together.
func (p *posts) createBulk(c *gin.Context) error {
	f, err := readForm(c)
	if err != nil {
		return err
	}
	print := fingerprint(c, f.object)
	identity, err := identify(c, print)
	if err != nil {
		return err
	}
	b := p.batchOf(c)
	items, dryRun := p.readBulk(f, &b)
	if err := f.report.err(); err != nil {
		return p.answerOr(c, identity, err)
	}
	made, answer, err := p.buildBulk(c.Request.Context(), b, f.report.body, items)
	if err != nil {
		return err
	}
	if dryRun {
		answerDryRun(c, answer, f.report.warnings)
		return nil
	}
	p.warnOfDuplicate(identity, b, print, f.report)
	answer.Warnings = f.report.warnings
	creation := schema.Creation{
		Idempotency: identity, Posts: made, PostsPerMonth: b.key.PostsPerMonth, Response: encode(answer),
		Without: func(refused map[schema.PostID]*schema.Error) []byte { return encode(p.without(answer, refused)) },
	}
	if len(made) == 0 && identity == nil {
		answerCreated(c, creation.Response, false)
		return nil
	}
	return p.commit(c, creation)
}

// answerDryRun says what would become of each entry; there are no posts to show.
func answerDryRun(c *gin.Context, answer bulkAnswer, warnings []schema.Detail) {
	for i := range answer.Results {
		answer.Results[i].Post = nil
	}
	answer.Warnings = warnings
	c.Data(http.StatusOK, jsonType, encode(answer))
}

// without returns an answer in which posts that the store refused have failed.
func (p *posts) without(answer bulkAnswer, refused map[schema.PostID]*schema.Error) bulkAnswer {
	answer.Results = slices.Clone(answer.Results)
	for id, e := range refused {
		i := slices.IndexFunc(answer.Results, func(r bulkResult) bool { return r.Post != nil && r.Post.ID == id.String() })
		view := p.view(e)
		answer.Results[i] = bulkResult{Index: i, Error: &view, Warnings: answer.Results[i].Warnings}
	}
	answer.Summary.Failed += len(refused)
	answer.Summary.Succeeded -= len(refused)
	return answer
}

// readBulk returns the entries, and whether to judge them only.
func (p *posts) readBulk(f *form, b *batch) (entries []value, dryRun bool) {
	items, ok := f.list("posts", maxBulk)
	if !ok {
		f.require("posts")
	} else if len(items) == 0 {
		f.fail("posts", codeRequired, fmt.Sprintf("1 to %d posts are required", maxBulk))
	}
	if name, ok := f.text("timezone", maxShort); ok {
		if _, err := p.zones.load(name); err != nil {
			f.fail("timezone", codeInvalidValue, err.Error())
		}
		b.timezone = name
	}
	dryRun, _ = f.boolean("dryRun")
	f.finish()
	return items, dryRun
}

// buildBulk judges every entry. Its error is a fault: then nothing is known of any.
func (p *posts) buildBulk(ctx context.Context, b batch, body []byte, items []value) ([]schema.Post, bulkAnswer, error) {
	made := make([]schema.Post, 0, len(items))
	answer := bulkAnswer{Success: true, Results: make([]bulkResult, len(items))}
	for i, item := range items {
		r := &report{body: body}
		post := p.build(ctx, b, newForm(item, r), readPostFields)
		if r.fault != nil {
			return nil, answer, r.fault
		}
		answer.Results[i] = bulkResult{Index: i, Warnings: r.warnings}
		if err := r.err(); err != nil {
			view := p.view(actionable(err))
			answer.Results[i].Error = &view
			continue
		}
		view := viewPost(post)
		answer.Results[i].Success, answer.Results[i].Post = true, &view
		made = append(made, post)
	}
	answer.Summary = bulkSummary{Total: len(items), Succeeded: len(made), Failed: len(items) - len(made)}
	return made, answer, nil
}
