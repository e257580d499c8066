package embedded_test

import (
	"errors"
	"fmt"
	"net"
	"os"
	"strings"
	"testing"

	"crier/compose/embedded"
	"crier/compose/embedded/embeddedtest"
)

func TestDataFolderInUseIsNamed(t *testing.T) {
	dir := embeddedtest.Dir(t)
	first := openData(t, dir)
	_, err := embedded.OpenData(dir)
	if err == nil || !strings.Contains(err.Error(), dir) {
		t.Fatalf("second OpenData = %v, want an error that names %s", err, dir)
	}
	if err := first.Close(); err != nil {
		t.Fatal(err)
	}
	again, err := embedded.OpenData(dir)
	if err != nil {
		t.Fatalf("OpenData after Close: %v", err)
	}
	if err := again.Close(); err != nil {
		t.Error(err)
	}
}

func TestDataFolderIsFreeAfterKill(t *testing.T) {
	dir := embeddedtest.Dir(t)
	v := startVictim(t, "log", dir)
	if _, err := embedded.OpenData(dir); err == nil {
		t.Fatal("OpenData took a folder that another process holds")
	}
	v.kill()
	openData(t, dir)
}

func TestDataFolderIsClosedToOthers(t *testing.T) {
	dir := embeddedtest.Dir(t) + "/new"
	openData(t, dir)
	info, err := os.Stat(dir)
	if err != nil {
		t.Fatal(err)
	}
	if readable := info.Mode() & 0o066; readable != 0 {
		t.Errorf("mode = %v, others can list or write it", info.Mode())
	}
}

func TestNeighbourFindsRunningParts(t *testing.T) {
	dir := embeddedtest.Dir(t)
	if _, err := embedded.Neighbour(dir + "/nowhere"); !errors.Is(err, embedded.ErrNotRunning) {
		t.Errorf("Neighbour of no folder = %v, want ErrNotRunning", err)
	}
	v := startVictim(t, "log", dir)
	addresses, err := embedded.Neighbour(dir)
	if err != nil || addresses != (embedded.Addresses{Log: v.Address}) {
		t.Errorf("Neighbour = %+v, %v, want the log at %s alone", addresses, err, v.Address)
	}
	v.kill()
	if _, err := embedded.Neighbour(dir); !errors.Is(err, embedded.ErrNotRunning) {
		t.Errorf("Neighbour of a dead process = %v, want ErrNotRunning", err)
	}
}

// TestAPortThatIsTakenMeanwhileIsLeft takes a part's port between the look at it and the start.
func TestAPortThatIsTakenMeanwhileIsLeft(t *testing.T) {
	d := openData(t, embeddedtest.Dir(t))
	var ports []int
	err := d.OnPort("part", func(port int) error {
		ports = append(ports, port)
		l, err := net.Listen("tcp", fmt.Sprintf("127.0.0.1:%d", port))
		if err != nil {
			return err
		}
		t.Cleanup(func() { l.Close() })
		if len(ports) < 3 {
			return errors.New("address already in use")
		}
		return nil
	})
	if err != nil || len(ports) != 3 || ports[0] == ports[1] {
		t.Errorf("%v on %v, want three ports", err, ports)
	}
	tries, broken := 0, errors.New("broken for another reason")
	if err := d.OnPort("other", func(int) error { tries++; return broken }); !errors.Is(err, broken) || tries != 1 {
		t.Errorf("%v after %d tries, want one", err, tries)
	}
}
