package embeddedtest

import (
	"os"
	"syscall"
	"testing"
)

// SmallDisk makes a disk of its own, in memory, at a folder until the test ends. The size
// is such as 48m.
func SmallDisk(t testing.TB, folder, size string) {
	t.Helper()
	if err := os.MkdirAll(folder, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Mount("tmpfs", folder, "tmpfs", 0, "size="+size+",mode=0755"); err != nil {
		t.Fatalf("mounting a small disk, which takes root: %v", err)
	}
	t.Cleanup(func() {
		if err := syscall.Unmount(folder, syscall.MNT_DETACH); err != nil {
			t.Error(err)
		}
	})
}
