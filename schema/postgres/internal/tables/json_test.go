package tables

import (
	"encoding/json"
	"testing"
	"time"

	"crier/schema"
)

func TestDocumentsAreWhatEncodingJSONWrites(t *testing.T) {
	at := time.Date(2026, 3, 1, 9, 0, 0, 123_000_000, time.UTC)
	later := time.Date(2026, 3, 1, 9, 0, 5, 0, time.FixedZone("", 3600))
	post, account, workspace := schema.NewID[schema.PostID](at), schema.NewID[schema.AccountID](at), schema.NewID[schema.WorkspaceID](at)
	event := schema.Event{ID: schema.NewID[schema.EventID](at), Type: schema.PostScheduled, Workspace: workspace, At: at}
	whole := schema.Event{
		ID: schema.NewID[schema.EventID](at), Type: schema.TargetHasFailed, Workspace: workspace, Post: post, Account: account,
		Platform: schema.GoogleBusiness, At: later, Lateness: 0.25, Code: "platform_error", Data: json.RawMessage(`{"post":{}}`),
	}
	summary := schema.PostSummary{
		ID: post, Content: "text", Status: "published", ScheduledFor: &at, ExternalID: "a \"b\" <c>",
		Metadata: map[string]string{"k&": "v", "a": "\n"}, PublishedAt: &later,
		Platforms: []schema.PlatformSummary{
			{Platform: schema.Mastodon, AccountID: account, Status: "pending"},
			{
				Platform: schema.Bluesky, Status: "failed", PostID: "at://x", URL: "https://x.example/?a=1&b=2", PostedAt: &at,
				Error: &schema.TargetError{Code: "c", Message: "<m>", At: at},
			},
		},
	}
	for name, tt := range map[string]struct {
		got  []byte
		want any
	}{
		"a job without targets": {appendPostJob(nil, &schema.PostJob{Accounts: []schema.AccountID{}}), schema.PostJob{Accounts: []schema.AccountID{}}},
		"a job": {
			appendPostJob(nil, &schema.PostJob{Post: post, Version: 7, Due: 1_790_000_000_000_000, Workspace: workspace, Accounts: []schema.AccountID{account, {}}, Platforms: []schema.Platform{schema.Telegram, schema.GoogleBusiness}}),
			schema.PostJob{Post: post, Version: 7, Due: 1_790_000_000_000_000, Workspace: workspace, Accounts: []schema.AccountID{account, {}}, Platforms: []schema.Platform{schema.Telegram, schema.GoogleBusiness}},
		},
		"events": {
			appendEventBatch(nil, &schema.EventBatch{ID: schema.BatchID{1}, Events: []schema.Event{event, whole}}),
			schema.EventBatch{ID: schema.BatchID{1}, Events: []schema.Event{event, whole}},
		},
		"a summary": {appendPostData(nil, &schema.PostData{Post: summary}), schema.PostData{Post: summary}},
		"an empty summary": {
			appendPostData(nil, &schema.PostData{Post: schema.PostSummary{Platforms: []schema.PlatformSummary{}}}),
			schema.PostData{Post: schema.PostSummary{Platforms: []schema.PlatformSummary{}}},
		},
		"plain text":      {appendText(nil, "plain, with /"), "plain, with /"},
		"other scripts":   {appendText(nil, "ünïcödé 👩‍👩‍👧"), "ünïcödé 👩‍👩‍👧"},
		"quotes":          {appendText(nil, `"\`), `"\`},
		"HTML":            {appendText(nil, "é<script>&"), "é<script>&"},
		"control":         {appendText(nil, "é\x01\n"), "é\x01\n"},
		"line separators": {appendText(nil, "a\u2028\u2029"), "a\u2028\u2029"},
		"not UTF-8":       {appendText(nil, "a\xff"), "a\xff"},
		"no text":         {appendText(nil, ""), ""},
	} {
		t.Run(name, func(t *testing.T) {
			want, err := json.Marshal(tt.want)
			if err != nil {
				t.Fatal(err)
			}
			if string(tt.got) != string(want) {
				t.Errorf("got\n%s, want\n%s", tt.got, want)
			}
		})
	}
}
