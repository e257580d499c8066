package embedded

import (
	"errors"
	"math/rand/v2"
	"net"
	"strconv"
)

const loopback = "127.0.0.1"

// Ports are taken from below the range the kernel gives to outgoing connections (from
// 32768 on Linux, 49152 on macOS). Inside it, a client that keeps dialling a part that
// is down can be given that very port as its own, connect to itself, and keep the part
// from ever listening there again.
const (
	lowestPort  = 15000
	highestPort = 32000
)

// freePort returns a loopback port that nobody listens on, as of a moment ago.
func freePort() (int, error) {
	const tries = 200
	for range tries {
		if port := lowestPort + rand.IntN(highestPort-lowestPort); portFree(port) {
			return port, nil
		}
	}
	return 0, errors.New("finding a free loopback port: none of those tried was free")
}

func portFree(port int) bool {
	l, err := net.Listen("tcp", hostPort(port)) //nolint:noctx // answers at once
	if err != nil {
		return false
	}
	return l.Close() == nil
}

func hostPort(port int) string { return net.JoinHostPort(loopback, strconv.Itoa(port)) }
