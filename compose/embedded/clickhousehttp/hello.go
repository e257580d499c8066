package clickhousehttp

import (
	"fmt"
	"time"

	chproto "github.com/ClickHouse/ch-go/proto"
	"github.com/ClickHouse/clickhouse-go/v2/lib/column"
	"github.com/ClickHouse/clickhouse-go/v2/lib/proto"
)

// helloQuery is what clickhouse-go asks of each new connection (queryHello in its
// conn_http.go). Its revision decides how the client reads every later answer.
const helloQuery = "SELECT displayName(), version(), revision(), timezone()"

// hello answers helloQuery in the revision that the client asked in. The engine writes
// Native blocks of revision 0 whatever a client speaks, so 0 is what it says it is.
func hello(version string, revision int) ([]byte, error) {
	block := proto.Block{ServerContext: &column.ServerContext{Timezone: time.UTC}}
	for _, c := range []struct{ name, kind string }{
		{"displayName()", "String"}, {"version()", "String"}, {"revision()", "UInt32"}, {"timezone()", "String"},
	} {
		if err := block.AddColumn(c.name, column.Type(c.kind)); err != nil {
			return nil, fmt.Errorf("building hello: %w", err)
		}
	}
	if err := block.Append("crier", version, uint32(0), "UTC"); err != nil {
		return nil, fmt.Errorf("building hello: %w", err)
	}
	var out chproto.Buffer
	if err := block.Encode(&out, uint64(revision)); err != nil {
		return nil, fmt.Errorf("encoding hello: %w", err)
	}
	return out.Buf, nil
}
