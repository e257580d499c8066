package backup_test

import (
	"bytes"
	"io"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"crier/compose/embedded/embeddedtest"
	"crier/schema/postgres"
	"crier/schema/postgres/backup"
	"crier/schema/postgres/postgrestest"
)

func TestBackupIsOneMomentAndRestoresAsItWas(t *testing.T) {
	f := newFixture(t)
	f.RunChore(f.Delay.MakePartitions)
	near, far := f.Post(3, time.Hour), f.Post(2, 30*24*time.Hour)
	far.Content.Entries[0].Text = "tab\t, newline\n, backslash \\N and ünïcode"
	f.EndedPost()
	f.AgeEnded("20 minutes")
	f.Archive()
	f.Create(near)
	f.Create(far)
	before := f.everything(f.URL)

	memory := postgrestest.Dump{}
	dump, err := backup.Backup(t.Context(), f.URL, func(name string) (io.Writer, error) {
		if name == "posts" { // a post that comes while the backup runs is not of its moment
			f.Create(f.Post(1, time.Hour))
		}
		return memory.Create(name)
	})
	if err != nil {
		t.Fatal(err)
	}

	if dump.Migration == 0 || len(dump.Partitions) < 90 {
		t.Errorf("the dump has version %d and partitions %v", dump.Migration, dump.Partitions)
	}
	dump.Partitions = slices.DeleteFunc(dump.Partitions, func(p backup.DumpedPartition) bool {
		day := p.Table == "jobs_far" && !p.From.After(far.ScheduledFor) && p.To.After(far.ScheduledFor)
		if day { // as older backups have it
			dump.FarDays = append(dump.FarDays, p.From.UTC().Format(time.DateOnly))
		}
		return day
	})

	dump.Migration = 95 // the next ones change no columns
	url := embeddedtest.Postgres(t)
	if err := backup.Restore(t.Context(), url, dump, memory.Open); err != nil {
		t.Fatal(err)
	}
	if after := f.everything(url); after != before {
		t.Errorf("after the restore:\n%s\nbefore:\n%s", after, before)
	}
}

func TestRestoreRefuses(t *testing.T) {
	f := newFixture(t)
	f.Create(f.Post(1, time.Hour))
	memory := postgrestest.Dump{}
	dump, err := backup.Backup(t.Context(), f.URL, memory.Create)
	if err != nil {
		t.Fatal(err)
	}
	fresh := func() string { return embeddedtest.Postgres(t) }
	newer, older, truncated := dump, dump, postgrestest.Dump{}
	newer.Migration += 1000
	older.Migration--
	for name, text := range memory {
		lines := strings.SplitAfter(text.String(), "\n")
		truncated[name] = bytes.NewBufferString(strings.Join(lines[:max(0, len(lines)-2)], ""))
	}
	migrated := fresh()
	if err := postgres.Migrate(t.Context(), migrated); err != nil {
		t.Fatal(err)
	}
	for name, tt := range map[string]struct {
		url  string
		dump backup.Dump
		from postgrestest.Dump
		want string
	}{
		"a database in use":              {f.URL, dump, memory, "in use"},
		"a backup of a newer version":    {fresh(), newer, memory, "newer version of crier"},
		"tables newer than the backup's": {migrated, older, memory, "was not migrated"},
		"a table with fewer rows":        {fresh(), dump, truncated, "the backup says"},
	} {
		t.Run(name, func(t *testing.T) {
			err := backup.Restore(t.Context(), tt.url, tt.dump, tt.from.Open)
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("Restore = %v, want an error with %q", err, tt.want)
			}
		})
	}
}

// everything is all rows of all tables of a database, as text.
func (f *fixture) everything(url string) string {
	f.Helper()
	conn, err := pgx.Connect(f.Context(), url)
	if err != nil {
		f.Fatal(err)
	}
	defer conn.Close(f.Context())
	var text string
	err = conn.QueryRow(f.Context(), `
		select string_agg(table_name || ': ' || query_to_xml('select * from ' || table_name || ' t order by t::text', true, false, '')::text, E'\n' order by table_name)
		from information_schema.tables
		where table_schema = 'public' and table_name !~ '^(goose|jobs_far_|restored_backup)'`).Scan(&text)
	if err != nil {
		f.Fatal(err)
	}
	return text
}
