package db

import (
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5"
)

// genericPlans has the statements that follow in a transaction planned once by a connection
// and not at each call: planning is more than half of what short statements cost. Such a plan may
// be made while the tables are empty, and stays until they are analyzed. So it is for statements
// that look up each row by a key: without joins that read a whole table once their plan is the same at any size.
var genericPlans = local{{"plan_cache_mode", "force_generic_plan"}, {"enable_hashjoin", "off"}, {"enable_material", "off"}}

// async is genericPlans for a transaction that does not wait for the disk either: what a
// crash of the server loses of it is done once more, and may be.
var async = append(local{{"synchronous_commit", "off"}}, genericPlans...)

// QueueGenericPlans sets generic plans for the statements that follow in a transaction.
func QueueGenericPlans(b *pgx.Batch) { b.Queue(queuedGenericPlans) }

// QueueAsync is QueueGenericPlans for a transaction that does not wait for the disk either.
func QueueAsync(b *pgx.Batch) { b.Queue(queuedAsync) }

var (
	queuedGenericPlans = genericPlans.statement()
	queuedAsync        = async.statement()
	beginAsync         = async.begin()
)

// local are settings of one transaction, by name.
type local [][2]string

// statement sets them within a transaction. It can be prepared, as SET cannot.
func (l local) statement() string {
	calls := make([]string, len(l))
	for i, s := range l {
		calls[i] = fmt.Sprintf("set_config('%s', '%s', true)", s[0], s[1])
	}
	return "select " + strings.Join(calls, ", ")
}

// begin begins a transaction with them, in one trip.
func (l local) begin() string {
	var b strings.Builder
	b.WriteString("begin")
	for _, s := range l {
		fmt.Fprintf(&b, "; set local %s = %s", s[0], s[1])
	}
	return b.String()
}
