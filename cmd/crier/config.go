package main

import (
	"errors"
	"fmt"
	"os"

	"github.com/alecthomas/kong"

	"crier/cmd/crier/settings"
)

type configCommand struct {
	Check configCheckCommand `cmd:"" help:"Say all that is wrong with the settings of serve, wherever they come from; connects to nothing."`
	Show  configShowCommand  `cmd:"" help:"Show the settings of serve that are in effect, each with where it comes from, and without secrets."`
}

// configCheckCommand takes what serve takes. What is wrong is found where any command line is
// read.
type configCheckCommand struct{ serveCommand }

// Run is reached where nothing is wrong with what crier reads.
func (c *configCheckCommand) Run(s *settings.Settings) error {
	if path, ok := s.Readable(); ok {
		fmt.Fprintf(os.Stderr, "%s holds secrets, and other users of this machine can read it\n", path)
	}
	if c.KafkaSASL == "plain" && !c.securesKafka() {
		fmt.Fprintln(os.Stderr, "--kafka-sasl plain without --kafka-tls sends the password to the brokers for all to read")
	}
	if err := errors.Join(s.Unread(os.Environ())...); err != nil {
		return err
	}
	_, err := fmt.Println("Nothing is wrong with the settings of crier serve.")
	return err
}

type configShowCommand struct{ serveCommand }

// Run shows the settings.
func (*configShowCommand) Run(s *settings.Settings, k *kong.Context) error {
	return s.Show(k, os.Stdout)
}
