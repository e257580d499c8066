package calendar

import (
	"testing"
	_ "time/tzdata"
)

func TestZonesKnowIANANamesOnly(t *testing.T) {
	for _, name := range []string{"", "Local", "Europe/Atlantis", "../etc/passwd", "+02:00", "right/Europe/Berlin", "posix/Europe/Berlin", "posixrules", "localtime"} {
		if zone, err := new(Zones).Load(name); err == nil {
			t.Errorf("load(%q) = %v, want an error", name, zone)
		}
	}
}
