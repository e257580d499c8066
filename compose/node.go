package compose

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"crier/schema"
	"crier/schema/postgres"
)

// takeNode takes the identity of this data folder, which claims carry, for this process.
// Where another process has it, one of the two folders is a copy of the other: this one
// gets an identity of its own, so that neither takes the other's claims for those of its
// own earlier life.
func (p *parts) takeNode(ctx context.Context, store *postgres.Store) (node [16]byte, err error) {
	if node, err = p.node(); err != nil {
		return node, err
	}
	taken, err := store.TakeNode(ctx, node)
	if err != nil || taken {
		return node, err
	}
	if node, err = p.newNode(); err != nil {
		return node, err
	}
	p.log.WarnContext(ctx, "another process has the identity of this data folder, which may be a copy; it has a new one now",
		"data", p.data.Path(""), "node", hex.EncodeToString(node[:]))
	if taken, err = store.TakeNode(ctx, node); err == nil && !taken {
		err = errors.New("another process has this node's new identity")
	}
	return node, err
}

// node returns the identity of this data folder.
func (p *parts) node() (id [16]byte, err error) {
	path := p.data.Path("node")
	text, err := os.ReadFile(path)
	if errors.Is(err, os.ErrNotExist) {
		return p.newNode()
	}
	if err != nil {
		return id, fmt.Errorf("reading this node's identity: %w", err)
	}
	raw, err := hex.DecodeString(strings.TrimSpace(string(text)))
	if err != nil || len(raw) != len(id) {
		return id, fmt.Errorf("reading this node's identity: %s holds none", path)
	}
	copy(id[:], raw)
	return id, nil
}

// newNode gives the data folder a new identity. The rename makes it appear whole.
func (p *parts) newNode() ([16]byte, error) {
	path, id := p.data.Path("node"), schema.NewID[schema.KeyID](time.Now())
	err := os.WriteFile(path+".new", []byte(hex.EncodeToString(id[:])), 0o600)
	if err == nil {
		err = os.Rename(path+".new", path)
	}
	if err != nil {
		return id, fmt.Errorf("keeping this node's identity: %w", err)
	}
	return id, nil
}
