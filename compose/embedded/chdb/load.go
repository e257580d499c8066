//go:build !static

package chdb

import (
	"fmt"

	"github.com/ebitengine/purego"
)

// Loads says whether this build can load libchdb.
const Loads = true

// Load loads the library at path.
func Load(path string) (*Library, error) {
	handle, err := purego.Dlopen(path, purego.RTLD_NOW|purego.RTLD_LOCAL)
	if err != nil {
		return nil, fmt.Errorf("loading %s: %w", path, err)
	}
	l := &Library{}
	for name, function := range map[string]any{
		"chdb_connect":                     &l.connect,
		"chdb_close_conn":                  &l.closeConn,
		"chdb_query_with_params_n":         &l.query,
		"chdb_stream_query_with_params_n":  &l.stream,
		"chdb_stream_fetch_result":         &l.fetch,
		"chdb_stream_cancel_query":         &l.cancel,
		"chdb_destroy_query_result":        &l.destroy,
		"chdb_result_buffer":               &l.buffer,
		"chdb_result_length":               &l.length,
		"chdb_result_error":                &l.errorText,
		"chdb_set_signal_handlers_enabled": &l.enableSignals,
	} {
		symbol, err := purego.Dlsym(handle, name)
		if err != nil {
			return nil, fmt.Errorf("finding %s in libchdb: %w", name, err)
		}
		purego.RegisterFunc(function, symbol)
	}
	// By default the first connection installs handlers for SIGSEGV and others. Go's runtime needs these
	// signals to turn faults into panics.
	l.enableSignals(0)
	return l, nil
}
