package posts_test

import (
	"fmt"
	"testing"
	"time"

	"crier/schema"
	"crier/schema/postgres"
	"crier/schema/postgres/postgrestest"
	"crier/schema/secure/securetest"
)

func TestAListOfARareKindReadsLittleElse(t *testing.T) {
	f := newFixture(t)
	small := schema.NewID[schema.WorkspaceID](f.Store.Now())
	f.Exec(fmt.Sprintf(`
		insert into posts (id, workspace_id, status, scheduled_for, timezone, from_api, platforms, content, left_n, created_at, updated_at)
		select id, '%s', 2, now() + interval '1 day', 'UTC', true, 1, '{}', 1, uuid_extract_timestamp(id), uuid_extract_timestamp(id) from (select uuidv7() id) made`,
		postgrestest.UUIDText(schema.PostID(small))))
	f.AddUnrelatedRows(20_000)
	rare := f.Post(1, 0)
	rare.Targets[0].Platform = schema.YouTube
	f.Create(rare)
	f.Exec(`analyze posts`)
	r := f.NewReader()
	gateway := postgres.NewGateway(r.Store, securetest.PlainText{}, postgrestest.Constraints)
	for name, filter := range map[string]schema.PostFilter{
		"platform":               {Platform: schema.YouTube},
		"platform and status":    {Platform: schema.YouTube, Status: schema.Scheduled},
		"platform from a time":   {Platform: schema.YouTube, After: rare.ScheduledFor.Add(-time.Minute)},
		"platform with metadata": {Platform: schema.YouTube, Metadata: map[string]string{"of": "1"}},
		"a state":                {Status: schema.Processing},
		"changes":                {UpdatedAfter: rare.CreatedAt},
		"scheduled, changes":     {UpdatedAfter: rare.CreatedAt, Status: schema.Scheduled},
		"failed, changes":        {UpdatedAfter: rare.CreatedAt.Add(-time.Hour), Status: schema.Failed},
	} {
		t.Run(name, func(t *testing.T) {
			filter.Limit = 20
			r.WantReads(40, func() {
				_, err := gateway.Posts(t.Context(), f.Workspace, filter)
				f.Must(err)
			})
		})
	}
	for name, filter := range map[string]schema.PostFilter{
		"the last made of a small workspace":  {Order: schema.LastCreated},
		"the first made of a small workspace": {Order: schema.FirstCreated},
		"the changes of a small workspace":    {UpdatedAfter: rare.CreatedAt.Add(-time.Hour)},
	} {
		t.Run(name, func(t *testing.T) {
			filter.Limit = 20
			r.WantReads(40, func() {
				page, err := gateway.Posts(t.Context(), small, filter)
				if f.Must(err); page.Total != 1 || len(page.Posts) != 1 {
					t.Errorf("%d posts of %d", len(page.Posts), page.Total)
				}
			})
		})
	}
}

// The pages before it are counted off in indexes, which the vacuum has told that nobody is at the rows.
func TestADeepPageReadsLittleElse(t *testing.T) {
	f := newFixture(t)
	brand := schema.NewID[schema.BrandID](f.Store.Now())
	f.AddUnrelatedRows(5_000)
	f.Exec(fmt.Sprintf(`update posts set platforms = %d, brand_id = '%s'`, 1<<schema.YouTube, postgrestest.UUIDText(schema.PostID(brand))))
	f.Exec(`vacuum analyze posts`)
	r := f.NewReader()
	gateway := postgres.NewGateway(r.Store, securetest.PlainText{}, postgrestest.Constraints)
	for name, filter := range map[string]schema.PostFilter{
		"all":                     {},
		"last made":               {Order: schema.LastCreated},
		"a platform":              {Platform: schema.YouTube},
		"a brand":                 {Brand: brand},
		"a platform and a brand":  {Platform: schema.YouTube, Brand: brand},
		"the first of a platform": {Platform: schema.YouTube, Order: schema.FirstScheduled},
	} {
		t.Run(name, func(t *testing.T) {
			filter.Limit, filter.Offset = 10, 4_000
			r.WantReads(40, func() {
				page, err := gateway.Posts(t.Context(), f.Workspace, filter)
				if f.Must(err); len(page.Posts) != filter.Limit || page.Total != 5_000 {
					t.Errorf("%d posts of %d", len(page.Posts), page.Total)
				}
			})
		})
	}
}
