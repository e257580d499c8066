package clickhouse

import (
	"github.com/ClickHouse/clickhouse-go/v2"
	"github.com/google/uuid"

	"crier/schema"
	"crier/schema/lists"
)

// selected is the part of a condition that schema.AnalyticsFilter makes, but for the days:
// each table has its own. ofAccounts is selected without the post.
const (
	ofAccounts = `({platform:String} = '' or platform = {platform:String})
			and (empty({accounts:Array(UUID)}) or account in {accounts:Array(UUID)})`
	selected = ofAccounts + `
			and ({post:UUID} = toUUID('00000000-0000-0000-0000-000000000000') or post = {post:UUID})`
)

// selection are the parameters workspace, from, to, and those of selected.
func selection(workspace schema.WorkspaceID, f schema.AnalyticsFilter) []any {
	accounts := lists.Map(f.Accounts, func(a schema.AccountID) string { return uuid.UUID(a).String() })
	if f.Accounts != nil && len(accounts) == 0 {
		accounts = []string{uuid.Nil.String()} // nobody's
	}
	return []any{
		id("workspace", workspace), day("from", f.From), day("to", f.To),
		clickhouse.Named("platform", platformName(f.Platform)), clickhouse.Named("accounts", accounts), id("post", f.Post),
	}
}
