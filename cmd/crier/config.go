package main

import (
	"cmp"
	"errors"
	"fmt"
	"os"

	"github.com/alecthomas/kong"

	"crier/cmd/crier/settings"
	"crier/compose"
	"crier/connectors/catalog"
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
func (c *configShowCommand) Run(s *settings.Settings, k *kong.Context) error {
	if err := c.choose(); err != nil {
		return err
	}
	return s.Show(k, os.Stdout)
}

// choose puts what serve chooses by itself in the place of the zeros that leave it the choice.
func (c *configShowCommand) choose() error {
	roles, err := compose.ParseRoles(c.Roles)
	if err != nil {
		return err
	}
	c.PostgresConnections = compose.Config{Roles: roles, PostgresConnections: c.PostgresConnections}.MaxConnections()
	c.MaxMedia = cmp.Or(c.MaxMedia, catalog.LargestMedia()>>20)
	c.Partitions = c.on(c.Kafka)
	return nil
}
