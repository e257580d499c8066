package clickhouse_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	driver "github.com/ClickHouse/clickhouse-go/v2"
	"crier/schema"
	"crier/schema/clickhouse"
)

func TestScale(t *testing.T) {
	url := migrated(t)
	store := openURL(t, url)
	o, _ := driver.ParseDSN(url)
	o.ReadTimeout = 10*time.Minute
	conn, err := driver.Open(o)
	if err != nil { t.Fatal(err) }
	defer conn.Close()
	start := time.Now()
	// 100 workspaces; 60 days ending noon
	for i := range 10 {
		err := conn.Exec(t.Context(), fmt.Sprintf(`insert into events select
		  toUUID(concat(substring(hex(toUInt64(ms)),5,8),'-',substring(hex(toUInt64(ms)),13,4),'-7',substring(hex(rand()),1,3),'-8',substring(hex(rand(1)),1,3),'-',substring(hex(rand64(2)),1,12))) as id,
		  ['target.posted','target.posted','target.failed','post.published','post.scheduled'][1 + n %% 5] as type,
		  toUUID(concat('00000000-0000-7000-8000-0000000000', leftPad(toString(n %% 100), 2, '0'))) as workspace,
		  id as post, toUUID(concat('00000000-0000-7000-8000-1000000000', leftPad(toString(intDiv(n,100) %% 100), 2, '0'))) as account,
		  ['mastodon','bluesky','telegram'][1 + intDiv(n, 7) %% 3] as platform,
		  fromUnixTimestamp64Milli(ms,'UTC') as at, 0.1, '', if(type like 'post%%', repeat('x', 300), '') 
		from (select number + %d as n, toInt64(%d - rand64(7) %% (60*86400000)) as ms from numbers(2000000))`, i*2000000, noon.UnixMilli()))
		if err != nil { t.Fatal(err) }
	}
	t.Log("filled", time.Since(start))
	var w schema.WorkspaceID
	copy(w[:], []byte{0,0,0,0,0,0,0x70,0,0x80,0,0,0,0,0,0,0x07})
	var n uint64
	conn.QueryRow(t.Context(), "select count() from events where workspace = '00000000-0000-7000-8000-000000000007'").Scan(&n)
	var parts uint64
	conn.QueryRow(t.Context(), "select count() from system.parts where active and table='events' and database=currentDatabase()").Scan(&parts)
	t.Log("rows of workspace", n, "parts", parts)
	measure := func(name string, f func() int) {
		var took []time.Duration
		var got int
		for range 40 { s := time.Now(); got = f(); took = append(took, time.Since(s)) }
		slices.Sort(took)
		t.Log(name, "got", got, "p50", took[20], "p99", took[39])
	}
	run := func() {
		measure("counts 30 days", func() int {
			c, err := store.Analytics().PostCounts(t.Context(), w, schema.PostCountsFilter{From: dayOf(noon).AddDate(0,0,-30), To: dayOf(noon)})
			if err != nil { t.Fatal(err) }
			return len(c)
		})
		measure("feed from zero", func() int {
			c, err := store.Analytics().Events(t.Context(), w, schema.EventID{}, 100)
			if err != nil { t.Fatal(err) }
			return len(c)
		})
		measure("feed from 3 days ago", func() int {
			c, err := store.Analytics().Events(t.Context(), w, schema.NewEventID(noon.AddDate(0,0,-3)), 100)
			if err != nil { t.Fatal(err) }
			return len(c)
		})
	}
	run()
	s := time.Now()
	if err := conn.Exec(t.Context(), "optimize table events final"); err != nil { t.Log(err) }
	t.Log("optimize", time.Since(s))
	run()
	rows, _ := conn.Query(t.Context(), `explain indexes=1 select toDate(at) as day, count() from events final where workspace = '00000000-0000-7000-8000-000000000007' and toDate(at) between '2026-03-01' and '2026-03-02' group by day settings do_not_merge_across_partitions_select_final = 1`)
	for rows.Next() { var x string; rows.Scan(&x); t.Log(x) }
	rows.Close()
	_ = clickhouse.Config{}
}
