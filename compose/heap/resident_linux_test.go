package heap

import (
	"strings"
	"testing"
)

func TestOnlyWhatAFileHasIsReleased(t *testing.T) {
	for line, want := range map[string]bool{
		"00400000-014a2000 r-xp 00000000 fe:00 1234 /usr/bin/crier":          true,
		"7f10-7f20 r--p 00000000 fe:00 1234 /var/cache/crier/libchdb.so":     true,
		"7f10-7f20 r--p 00000000 fe:00 1234 /var/lib/crier/data.bin":         false, // may be gone by then
		"7f10-7f20 r--p 00000000 fe:00 1234 /var/lib/crier/rows.sorted":      false,
		"7f10-7f20 rw-p 00000000 fe:00 1234 /var/cache/crier/libchdb.so":     false, // written to
		"7f10-7f20 r--s 00000000 fe:00 1234 /var/cache/crier/shared":         false, // others write to it
		"7ffd1000-7ffd3000 r-xp 00000000 00:00 0 [vdso]":                     false,
		"c000000000-c000400000 r--p 00000000 00:00 0":                        false, // of no file
		"ffffffffff600000-ffffffffff601000 --xp 00000000 00:00 0 [vsyscall]": false,
	} {
		if got := mappingOf(strings.Fields(line), "/usr/bin/crier").isCode; got != want {
			t.Errorf("%s: released %t, want %t", line, got, want)
		}
	}
}
