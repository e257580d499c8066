package db

import (
	"errors"
	"net"
	"os"
	"testing"
	"time"
)

func TestASilentServerIsGivenUp(t *testing.T) {
	here, there := net.Pipe()
	defer there.Close()
	conn := &patientConn{Conn: here, patience: 20 * time.Millisecond}
	defer conn.Close()
	if _, err := conn.Read(make([]byte, 1)); !errors.Is(err, os.ErrDeadlineExceeded) || !IsConnectionError(err) {
		t.Errorf("Read = %v, want the end of patience, as an error of the connection", err)
	}
	go there.Write([]byte("x"))
	if _, err := conn.Read(make([]byte, 1)); err != nil {
		t.Errorf("Read of what came = %v", err)
	}
}

func TestAChosenDeadlineStands(t *testing.T) {
	here, there := net.Pipe()
	defer there.Close()
	conn := &patientConn{Conn: here, patience: time.Hour}
	defer conn.Close()
	if err := conn.SetDeadline(time.Now().Add(-time.Second)); err != nil {
		t.Fatal(err)
	}
	if _, err := conn.Read(make([]byte, 1)); !errors.Is(err, os.ErrDeadlineExceeded) {
		t.Errorf("Read = %v, want the deadline that was set", err)
	}
}
