package compose_test

import (
	"strings"
	"testing"

	"crier/compose"
)

func TestTheEmbeddedClickHouseHasNoUsers(t *testing.T) {
	t.Parallel()
	_, err := compose.GrantDashboards(t.Context(), compose.Config{Data: t.TempDir()}, "acme", "")
	if err == nil || !strings.Contains(err.Error(), "/views") {
		t.Errorf("err = %v, want one that says where its views are", err)
	}
}
