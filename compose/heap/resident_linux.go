package heap

import (
	"bufio"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
)

// releaseFiles takes the pages of the program and ClickHouse's library out of the process's memory that are as their
// files have them: code and constants. What is used again is mapped again, mostly from the page cache, at some
// microseconds for 64 KiB.
func releaseFiles() {
	maps, err := os.Open("/proc/self/smaps")
	if err != nil {
		return // then they stay
	}
	defer maps.Close()
	program, err := os.Executable()
	if err != nil {
		return
	}
	var at mapping
	for lines := bufio.NewScanner(maps); lines.Scan(); {
		fields := strings.Fields(lines.Text())
		switch {
		case len(fields) == 0:
		case !strings.HasSuffix(fields[0], ":"):
			at = mappingOf(fields, program)
		case fields[0] == "Anonymous:" && len(fields) > 1 && fields[1] == "0" && at.isCode:
			// Nothing of it was ever written, and nothing can be: it is not writable. It stays mapped as long
			// as the process lives, so that nothing else is at its addresses by now.
			_, _, _ = syscall.Syscall(syscall.SYS_MADVISE, at.start, at.end-at.start, syscall.MADV_DONTNEED) // a hint
		}
	}
}

// library is how the file of ClickHouse's code begins, which is most of what there is to release.
const library = "libchdb"

// mapping is a range of addresses, as /proc/self/smaps shows it (man7.org/linux/man-pages/man5/proc_pid_smaps.5.html).
type mapping struct {
	start, end uintptr
	isCode     bool // of the program or ClickHouse's library, private and not writable
}

func mappingOf(fields []string, program string) mapping {
	from, to, _ := strings.Cut(fields[0], "-")
	start, err := strconv.ParseUint(from, 16, 64)
	end, err2 := strconv.ParseUint(to, 16, 64)
	isCode := err == nil && err2 == nil && len(fields) > 5 && len(fields[1]) == 4 && fields[1][1] == '-' && fields[1][3] == 'p' &&
		(fields[5] == program || strings.HasPrefix(filepath.Base(fields[5]), library))
	return mapping{uintptr(start), uintptr(end), isCode}
}
