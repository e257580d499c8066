package importer_test

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/xuri/excelize/v2"

	"crier/client"
	"crier/cmd/crier/exporter"
	"crier/cmd/crier/importer"
)

// export writes all posts of the server to a file.
func (s *server) export(name string) string {
	s.Helper()
	file := filepath.Join(s.TempDir(), name)
	c := exporter.Config{API: client.New(s.key, client.WithServer(s.url)), Filter: client.PostFilter{Sort: client.FirstScheduled}, File: file}
	if _, err := exporter.Run(s.Context(), c); err != nil {
		s.Fatal(err)
	}
	return file
}

// all are the posts by their ids.
func (s *server) all() map[string]*client.Post {
	s.Helper()
	posts := map[string]*client.Post{}
	for post, err := range client.New(s.key, client.WithServer(s.url)).Posts.List(s.Context(), client.PostFilter{}) {
		if err != nil {
			s.Fatal(err)
		}
		posts[post.ID] = post
	}
	return posts
}

// changed are the posts that were edited since.
func (s *server) changed(before map[string]*client.Post) (ids []string) {
	s.Helper()
	after := s.all()
	if len(after) != len(before) {
		s.Errorf("there are %d posts, there were %d", len(after), len(before))
	}
	for id, post := range after {
		if before[id] == nil || !post.UpdatedAt.Equal(before[id].UpdatedAt) {
			ids = append(ids, id)
		}
	}
	return ids
}

// testPosts makes posts with all that a table has columns for.
func (s *server) testPosts(n int) {
	s.Helper()
	day := time.Now().UTC().AddDate(0, 0, 3).Format("2006-01-02")
	file := write(s.T, "posts.jsonl", "")
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, `{"content": "Number %d, with \"quotes\", a\nline and = + @ \n", "platforms": [{"platform": "mastodon", "accountId": %q}], `, i, s.accounts[i/30%len(s.accounts)])
		switch i % 4 {
		case 0:
			fmt.Fprintf(&b, `"status": "draft", "metadata": {"campaign": " spring, 2027\r\n", "blank": " ", "n": "%d"}}`, i)
		case 1:
			fmt.Fprintf(&b, `"scheduledFor": "%sT09:00:00", "timezone": "Europe/Berlin", "firstComments": [{"text": "one"}, {"text": "two | three"}]}`, day)
		case 2:
			fmt.Fprintf(&b, `"scheduledFor": "%sT10:00:00Z", "externalId": "own-%d", "mediaItems": [{"type": "image", "url": "https://example.com/a,https://b.jpg", "altText": "a | b"}, {"type": "image", "url": "https://example.com/2.jpg", "fit": "cover", "keepMetadata": true}]}`, day, i)
		default:
			fmt.Fprintf(&b, `"scheduledFor": "%sT11:00:00Z", "platformSettings": {"mastodon": {"poll": {"options": ["a", "b"], "expiresIn": 3600}, "visibility": "unlisted", "spoilerText": "true"}}}`, day)
		}
		b.WriteByte('\n')
	}
	if err := os.WriteFile(file, []byte(b.String()), 0o600); err != nil {
		s.Fatal(err)
	}
	if summary, err := s.run(file, func(*importer.Config) {}); err != nil || summary.Created != n {
		s.Fatalf("Run = %+v, %v: %v", summary, err, readResults(s.T, summary.Results))
	}
}

// edit changes the texts of some rows of a table, and returns their ids.
func edit(t *testing.T, file string, rows ...int) (ids []string) {
	t.Helper()
	change := func(header, record []string, row int) (column int, text string) {
		if !slices.Contains(rows, row) {
			return -1, ""
		}
		ids = append(ids, record[slices.Index(header, "id")])
		column = slices.Index(header, "content")
		return column, "Edited: " + record[column]
	}
	if filepath.Ext(file) == ".xlsx" {
		book, err := excelize.OpenFile(file)
		if err != nil {
			t.Fatal(err)
		}
		defer book.Close()
		records, err := book.GetRows("Posts")
		if err != nil {
			t.Fatal(err)
		}
		for i, record := range records[1:] {
			if column, text := change(records[0], record, i+1); column >= 0 {
				cell, err := excelize.CoordinatesToCellName(column+1, i+2)
				if err == nil {
					err = book.SetCellValue("Posts", cell, text)
				}
				if err != nil {
					t.Fatal(err)
				}
			}
		}
		if err := book.Save(); err != nil {
			t.Fatal(err)
		}
		return ids
	}
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if filepath.Ext(file) == ".jsonl" {
		lines := strings.Split(string(text), "\n")
		for i := range lines {
			var object map[string]any
			if !slices.Contains(rows, i+1) || json.Unmarshal([]byte(lines[i]), &object) != nil {
				continue
			}
			ids = append(ids, object["id"].(string))
			object["content"] = "Edited"
			changed, err := json.Marshal(object)
			if err != nil {
				t.Fatal(err)
			}
			lines[i] = string(changed)
		}
		if err := os.WriteFile(file, []byte(strings.Join(lines, "\n")), 0o600); err != nil {
			t.Fatal(err)
		}
		return ids
	}
	records := readTable(t, file)
	for i, record := range records[1:] {
		if column, text := change(records[0], record, i+1); column >= 0 {
			record[column] = text
		}
	}
	writeTable(t, file, records)
	return ids
}

func TestWhatIsExportedIsImportedAsChanges(t *testing.T) {
	s := newServer(t, 10)
	s.testPosts(200)
	for _, name := range []string{"posts.csv", "posts.xlsx", "posts.jsonl"} {
		t.Run(name, func(t *testing.T) {
			before := s.all()
			file := s.export(name)
			summary, err := s.run(file, func(*importer.Config) {})
			if err != nil || summary.Unchanged != 200 || len(s.changed(before)) != 0 {
				t.Fatalf("as it was exported: Run = %+v, %v; changed: %d; %v", summary, err, len(s.changed(before)), readResults(t, summary.Results))
			}
			if err := os.Remove(summary.Results); err != nil {
				t.Fatal(err)
			}
			want := edit(t, file, 1, 2, 53, 54, 100, 101, 102, 103, 199, 200)
			summary, err = s.run(file, func(*importer.Config) {})
			got := s.changed(before)
			slices.Sort(got)
			slices.Sort(want)
			if err != nil || summary.Updated != 10 || summary.Unchanged != 190 || !slices.Equal(got, want) {
				t.Errorf("Run = %+v, %v; %d posts changed: %v", summary, err, len(got), readResults(t, summary.Results))
			}
			after := s.all()
			for _, id := range got {
				now, was := after[id], before[id]
				if !strings.HasPrefix(now.Content, "Edited") || !now.ScheduledFor.Equal(was.ScheduledFor) || len(now.MediaItems) != len(was.MediaItems) || len(now.FirstComments) != len(was.FirstComments) {
					t.Errorf("%s is %+v, and was %+v", id, now, was)
				}
			}
		})
	}
}

func TestAnImportOfChangesThatIsKilledRepeatsNothing(t *testing.T) {
	s := newServer(t, 10)
	s.testPosts(200)
	before := s.all()
	file := s.export("posts.csv")
	want := edit(t, file, 1, 26, 51, 76, 101, 126, 151, 176, 199, 200)
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	// Rows of posts that are not there are among them; those with an id are refused.
	header, _, _ := strings.Cut(string(text), "\n")
	fresh := make([]string, strings.Count(header, ",")+1)
	names := strings.Split(header, ",")
	var b strings.Builder
	b.Write(text)
	for i := range 100 {
		for j := range fresh {
			fresh[j] = ""
		}
		fresh[slices.Index(names, "platforms")] = "mastodon:" + s.accounts[i%len(s.accounts)]
		fresh[slices.Index(names, "content")] = fmt.Sprintf("New %d", i)
		fresh[slices.Index(names, "status")] = "draft"
		switch i % 3 {
		case 0:
			fresh[slices.Index(names, "externalId")] = fmt.Sprintf("new-%d", i)
		case 1:
			fresh[slices.Index(names, "id")] = fmt.Sprintf("post_01m83y6jy2fgwsj3hck3m2j%03d", i)
		}
		b.WriteString(strings.Join(fresh, ",") + "\n")
	}
	if err := os.WriteFile(file, []byte(b.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	runUntilDone(t, s, file, 300, 4)
	posts, _ := s.posts()
	if posts != 267 {
		t.Errorf("there are %d posts, want 200 and 67 new ones", posts)
	}
	after := s.all()
	var got []string
	for id, post := range after {
		if was := before[id]; was != nil && !post.UpdatedAt.Equal(was.UpdatedAt) {
			got = append(got, id)
		}
	}
	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(got, want) {
		t.Errorf("%d posts changed, want %d", len(got), len(want))
	}
	if err := os.Remove(file + ".results.csv"); err != nil {
		t.Fatal(err)
	}
	summary, err := s.run(file, func(*importer.Config) {})
	if again, _ := s.posts(); err != nil || summary.Created != 33 || summary.Failed != 33 || again != 300 {
		t.Errorf("once more: Run = %+v, %v; %d posts", summary, err, again) // the rows without any id are new ones again
	}
}

// runUntilDone imports a file in processes that are killed, until one comes to its end.
func runUntilDone(t *testing.T, s *server, file string, rows, kills int) {
	t.Helper()
	text, err := json.Marshal(child{file, s.url, s.key})
	if err != nil {
		t.Fatal(err)
	}
	for kill := 0; ; kill++ {
		command := exec.Command(os.Args[0])
		command.Env = append(os.Environ(), childVariable+"="+string(text))
		command.Stderr = os.Stderr
		if err := command.Start(); err != nil {
			t.Fatal(err)
		}
		ended := make(chan error, 1)
		go func() { ended <- command.Wait() }()
		for at := rows * (kill + 1) / (kills + 2); kill < kills && lines(file+".results.csv") < at && len(ended) == 0; {
			time.Sleep(time.Millisecond)
		}
		if kill < kills {
			_ = command.Process.Signal(syscall.SIGKILL) // it may have come to its end
		}
		if err := <-ended; err == nil {
			return
		} else if !strings.Contains(err.Error(), "killed") {
			if kill > 0 && lines(file+".results.csv") > rows { // the kill before came after its last row
				return
			}
			t.Fatal(err)
		}
	}
}

func TestRowsOfPostsThatAreThere(t *testing.T) {
	s := newServer(t, 1)
	day := time.Now().UTC().AddDate(0, 0, 3).Format("2006-01-02")
	const header = "externalId,platforms,content,when,firstComment,metadata.a\n"
	first := header + "a,mastodon,one," + day + " 09:00,hi,x\nb,mastodon,two," + day + " 09:00,,\na,mastodon,three," + day + " 09:00,,\n"
	summary, err := s.run(write(t, "posts.csv", first), func(*importer.Config) {})
	if err != nil || summary.Created != 2 || summary.Failed != 1 {
		t.Fatalf("an id twice: Run = %+v, %v", summary, err)
	}
	if line := readResults(t, summary.Results)[3]; line[4] != "duplicate_row" || !strings.Contains(line[5], `row 1 has "a" already`) {
		t.Errorf("the second row of a post is %q", line)
	}
	api := client.New(s.key, client.WithServer(s.url))
	if _, err := api.Posts.Create(t.Context(), client.Post{Content: "now", Platforms: []client.Target{{Platform: client.Mastodon}}, PublishNow: true, ExternalID: "c"}); err != nil {
		t.Fatal(err)
	}
	settled(t, api, "c")
	// b is as it was, a is emptied of its comment and its entry, c is published, d is new.
	second := header + "a,mastodon,uno," + day + " 09:30,,\nb,mastodon,two," + day + " 09:00,,\nc,mastodon,tres," + day + " 09:00,,\nd,mastodon,four," + day + " 09:00,,\n"
	dry, err := s.run(write(t, "posts.csv", second), func(c *importer.Config) { c.DryRun = true })
	if err != nil || dry.Counts(true) != "1 to create, 1 to update, 1 unchanged, 1 skipped, 0 failed" {
		t.Errorf("a dry run: %+v, %v", dry, err)
	}
	summary, err = s.run(write(t, "posts.csv", second), func(*importer.Config) {})
	if err != nil || summary.Updated != 1 || summary.Unchanged != 1 || summary.Skipped != 1 || summary.Created != 1 {
		t.Fatalf("Run = %+v, %v: %v", summary, err, readResults(t, summary.Results))
	}
	if line := readResults(t, summary.Results)[3]; !strings.Contains(line[5], "the post is posted") {
		t.Errorf("the row of what is published is %q", line)
	}
	for post, err := range api.Posts.List(t.Context(), client.PostFilter{ExternalID: "a"}) {
		if err != nil || post.Content != "uno" || post.ScheduledFor.Format("15:04") != "09:30" || len(post.FirstComments) != 0 || len(post.Metadata) != 0 {
			t.Errorf("a is %+v, %v", post, err)
		}
	}
	draft := "externalId,platforms,content,when,draft\ne,mastodon,five," + day + " 09:00,yes\n"
	if summary, err := s.run(write(t, "posts.csv", draft), func(*importer.Config) {}); err != nil || summary.Created != 1 {
		t.Errorf("a draft: %+v, %v", summary, err)
	}
	for post, err := range api.Posts.List(t.Context(), client.PostFilter{ExternalID: "e"}) {
		if err != nil || post.Status != client.PostDraft || post.ScheduledFor.IsZero() {
			t.Errorf("a draft with a time is %+v, %v", post, err)
		}
	}
	atOnce := "externalId,platforms,content,when\ne,mastodon,five,now\n"
	late := losing(t, s.url, func() { settled(t, api, "e") })
	if summary, err := s.run(write(t, "posts.csv", atOnce), func(c *importer.Config) { c.URL = late }); err != nil || summary.Updated != 1 {
		t.Errorf("a draft at once, whose answer is lost: %+v, %v", summary, err)
	}
	t.Run("a check says what an import would do", s.testCheck)
}

// testCheck compares a check of an edited export with its import, and imports it once more.
func (s *server) testCheck(t *testing.T) {
	day := time.Now().UTC().AddDate(0, 0, 4).Format("2006-01-02")
	first := "platforms,content,when,externalId\n"
	for _, row := range []string{"09:00,p", "09:30,q", "10:00,r", "10:30,", "11:00:00.750,t"} {
		first += "mastodon,checked at " + row[:5] + "," + day + " " + row + "\n"
	}
	if summary, err := s.run(write(t, "posts.csv", first), func(*importer.Config) {}); err != nil || summary.Created != 5 {
		t.Fatalf("Run = %+v, %v", summary, err)
	}
	file := s.export("posts.csv")
	records := readTable(t, file)
	column := func(name string) int { return slices.Index(records[0], name) }
	filtered := records[:1]
	for _, record := range records[1:] {
		switch content := record[column("content")]; content {
		case "checked at 09:00":
			record[column("status")] = "cancelled"
		case "checked at 09:30":
			record[column("content")] = ""
		case "checked at 10:00":
			record[column("scheduledFor")] = day + "T14:45:00Z"
		case "checked at 10:30":
			record[column("id")] = "post_doesnotexist"
		case "checked at 11:00":
		default:
			continue
		}
		filtered = append(filtered, record)
	}
	fresh := make([]string, len(records[0]))
	fresh[column("externalId")], fresh[column("platforms")], fresh[column("content")], fresh[column("scheduledFor")] = "n", "mastodon", "new", day+" 12:00"
	writeTable(t, file, append(filtered, fresh))

	dry, err := s.run(file, func(c *importer.Config) { c.DryRun = true })
	if err != nil || dry.Counts(true) != "1 to create, 1 to update, 1 unchanged, 3 failed" {
		t.Errorf("the check: %s, %v", dry.Counts(true), err)
	}
	checked := readResults(t, dry.Results)
	done, err := s.run(file, func(*importer.Config) {})
	if err != nil || done.Counts(false) != "1 created, 1 updated, 1 unchanged, 3 failed, 0 unknown" {
		t.Errorf("the import: %s, %v", done.Counts(false), err)
	}
	for row, line := range readResults(t, done.Results) {
		if want := map[string]string{"created": "to_create", "updated": "to_update"}[line[1]]; want != "" && checked[row][1] != want || want == "" && checked[row][1] != line[1] || checked[row][5] != line[5] {
			t.Errorf("row %d was to be %q, and is %q", row, checked[row], line)
		}
	}
	for row, want := range map[int]string{
		1: "crier posts cancel post_", 2: "content_required", 3: day + "T14:45:00Z", 4: "no_such_post", 5: day + "T11:00:00.75Z", 6: day + "T12:00:00Z",
	} {
		if line := strings.Join(checked[row], " "); !strings.Contains(line, want) {
			t.Errorf("row %d is %q, without %q", row, line, want)
		}
	}

	// Rows that all name their posts can be imported again, and rows that failed never hide others that did.
	again, err := s.run(file, func(*importer.Config) {})
	if err != nil || again.Counts(false) != "0 created, 3 unchanged, 3 failed, 0 unknown" || again.FailedRows != done.FailedRows {
		t.Errorf("once more: %+v, %v", again, err)
	}
	if len(readResults(t, file+".results.1.csv")) != 6 {
		t.Error("the results of the first import are not whole")
	}
	if summary, err := s.run(done.FailedRows, func(*importer.Config) {}); err != nil || summary.Failed != 3 {
		t.Errorf("what failed: %+v, %v", summary, err)
	}
	if again, err = s.run(file, func(*importer.Config) {}); err != nil || filepath.Base(again.FailedRows) != "posts.failed.2.csv" {
		t.Errorf("a third time: %+v, %v", again, err)
	}
	if summary, err := s.run(again.FailedRows, func(*importer.Config) {}); err != nil || summary.Failed != 3 {
		t.Errorf("what failed then: %+v, %v", summary, err)
	}
}

func readTable(t *testing.T, file string) [][]string {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	records, err := csv.NewReader(strings.NewReader(string(text))).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	return records
}

func writeTable(t *testing.T, file string, records [][]string) {
	t.Helper()
	out, err := os.Create(file)
	if err != nil {
		t.Fatal(err)
	}
	defer out.Close()
	if err := csv.NewWriter(out).WriteAll(records); err != nil {
		t.Fatal(err)
	}
}

// TestColumnsThatAddToOthersTakeNothingAway leaves out the columns of texts and media.
func TestColumnsThatAddToOthersTakeNothingAway(t *testing.T) {
	s := newServer(t, 1)
	day := time.Now().UTC().AddDate(0, 0, 3).Format("2006-01-02")
	first := "externalId,platforms,content,when,media,altText\na,mastodon,one," + day + " 09:00,https://example.com/a.jpg,A\n"
	if summary, err := s.run(write(t, "posts.csv", first), func(*importer.Config) {}); err != nil || summary.Created != 1 {
		t.Fatalf("Run = %+v, %v", summary, err)
	}
	for table, warned := range map[string]string{
		"externalId,mediaTypes,fit\na,image,cover\n": "no column of media", "externalId,link\na,https://example.com/\n": "no column of texts",
		"externalId,altText\na,B\n": "no column of media", "externalId,altText\na,\n": "",
	} {
		summary, err := s.run(write(t, "posts.csv", table), func(*importer.Config) {})
		if err != nil || summary.Unchanged != 1 {
			t.Fatalf("%q: Run = %+v, %v", table, summary, err)
		}
		if line := readResults(t, summary.Results)[1]; !strings.Contains(line[5], warned) || (warned == "") != (line[5] == "") {
			t.Errorf("%q: the row is %q", table, line)
		}
	}
	// A check has the server judge what a row would change.
	for text, failed := range map[string]int{"two": 0, strings.Repeat("x", 501): 1} {
		summary, err := s.run(write(t, "posts.csv", "externalId,content\na,"+text+"\n"), func(c *importer.Config) { c.DryRun = true })
		if err != nil || summary.Failed != failed || summary.Updated != 1-failed {
			t.Errorf("a check of a text of %d: Run = %+v, %v", len(text), summary, err)
		}
	}
	for _, post := range s.all() {
		if post.Content != "one" {
			t.Errorf("the text is %q", post.Content)
		}
	}
}

// TestRowsOfProfilesAreOfOnePost has two rows of one post that name an account, and one whose id no post can have.
func TestRowsOfProfilesAreOfOnePost(t *testing.T) {
	s := newServer(t, 1)
	api := client.New(s.key, client.WithServer(s.url))
	accounts, err := api.Accounts.List(t.Context(), client.AccountFilter{Platform: client.Mastodon})
	if err != nil || len(accounts) != 1 {
		t.Fatalf("%d accounts, %v", len(accounts), err)
	}
	name := accounts[0].Name
	table := "externalId,profile,content,status\na," + name + ",one,draft\na," + name + ",two,draft\n" + strings.Repeat("x", 256) + "," + name + ",three,draft\n"
	summary, err := s.run(write(t, "posts.csv", table), func(*importer.Config) {})
	if posts, _ := s.posts(); err != nil || summary.Created != 1 || summary.Failed != 2 || posts != 1 {
		t.Errorf("Run = %+v, %v; %d posts: %v", summary, err, posts, readResults(t, summary.Results))
	}
}

// settled waits until a post has ended.
func settled(t *testing.T, api *client.Client, external string) {
	t.Helper()
	for ended := false; !ended; {
		for post, err := range api.Posts.List(t.Context(), client.PostFilter{ExternalID: external}) {
			if err != nil {
				t.Fatal(err)
			}
			ended = post.Status == client.PostPosted
		}
		time.Sleep(10 * time.Millisecond)
	}
}
