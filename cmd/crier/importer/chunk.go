package importer

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash/maphash"
	"io"
	"slices"
	"strconv"
	"strings"
)

const (
	chunkRows  = 25 // the API's bound of a bulk
	chunkBytes = 900 << 10
)

// chunk is the rows of one request. Which rows are in a chunk depends on the file alone, so
// that a resumed import sends the same chunks as before.
type chunk struct {
	number int
	rows   []row
	part   string // of one with rows that name their posts and rows that do not: rest for the latter
	alone  bool   // its only row is sent by itself
	looks  *looks // for the posts that its rows are of; nil: nobody looks ahead
	// settled are the results of rows whose posts were there, by their numbers.
	settled map[int]outcome
}

// chunker divides rows into chunks.
type chunker struct {
	rows   rows
	twins  twins
	number int
	held   *row // read, and too large for the chunk before
}

// next returns the next chunk; io.EOF ends them.
func (c *chunker) next() (chunk, error) {
	filled := chunk{number: c.number}
	size := 0
	for len(filled.rows) < chunkRows {
		r, err := c.take()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return chunk{}, fmt.Errorf("reading the file: %w", err)
		}
		if size += len(r.body); size > chunkBytes && len(filled.rows) > 0 {
			c.held = &r
			break
		}
		filled.rows = append(filled.rows, r)
	}
	if len(filled.rows) == 0 {
		return chunk{}, io.EOF
	}
	c.number++
	return filled, nil
}

func (c *chunker) take() (row, error) {
	if c.held != nil {
		r := *c.held
		c.held = nil
		return r, nil
	}
	r, err := c.rows.next()
	if err == nil {
		c.twins.refuse(&r)
	}
	return r, err
}

// Bounds of the chunks whose posts are looked for by one request: each of their rows has two ids at most,
// and a request 1,000. Some wait in memory.
const (
	batchChunks = 1000 / 2 / chunkRows
	batchBytes  = 2 << 20
)

// batch returns the next chunks, behind those that were read already.
func (c *chunker) batch(read ...chunk) ([]chunk, error) {
	size := 0
	for len(read) < batchChunks && size < batchBytes {
		next, err := c.next()
		if errors.Is(err, io.EOF) && len(read) > 0 {
			break
		}
		if err != nil {
			return nil, err
		}
		read = append(read, next)
		for _, r := range next.rows {
			size += len(r.body)
		}
	}
	return read, nil
}

// body is the bulk request of the rows that can be sent; nil where none can.
func (c chunk) body(timezone string, dryRun bool) []byte {
	var b bytes.Buffer
	b.WriteString(`{"posts":[`)
	sent := 0
	for _, r := range c.rows {
		if !c.sends(r) {
			continue
		}
		if sent++; sent > 1 {
			b.WriteByte(',')
		}
		b.Write(r.body)
	}
	if sent == 0 {
		return nil
	}
	b.WriteString(`],"timezone":` + strconv.Quote(timezone))
	if dryRun {
		b.WriteString(`,"dryRun":true`)
	}
	b.WriteByte('}')
	return b.Bytes()
}

// sends reports whether a row makes a post.
func (c chunk) sends(r row) bool {
	_, settled := c.settled[r.number]
	return r.problem == nil && !settled
}

// kinds are those of the chunk's rows: such that name the post they are of, and others.
func (c chunk) kinds() (identified, rest bool) {
	for _, r := range c.rows {
		if r.isIdentified() {
			identified = true
		} else {
			rest = true
		}
	}
	return identified, rest
}

func (r row) isIdentified() bool { return r.id != "" || r.externalID != "" }

// identified is the part of a chunk whose rows name their posts. It has a request of its own: which of
// its rows create posts depends on what exists, while the request of the other rows has to be the same
// each time it is sent.
func (c chunk) identified() chunk {
	part := c
	part.rows = slices.DeleteFunc(slices.Clone(c.rows), func(r row) bool { return !r.isIdentified() })
	return part
}

// key is the chunk's Idempotency-Key: the same for each sending of the same rows by one import.
func (c chunk) key(importID string) string {
	name := importID + "/" + strconv.Itoa(c.number) + c.part
	if c.alone {
		name += "/" + strconv.Itoa(c.rows[0].number)
	} else if identified, _ := c.kinds(); identified && c.part == "" {
		numbers := make([]string, 0, len(c.rows))
		for _, r := range c.rows {
			if c.sends(r) {
				numbers = append(numbers, strconv.Itoa(r.number))
			}
		}
		name += "+" + strings.Join(numbers, "+")
	}
	sum := sha256.Sum256([]byte(name))
	return hex.EncodeToString(sum[:16])
}

// identities are all ids and ids of the caller's own in a file, as 8 bytes each: those of a million
// rows fit into little memory.
type identities struct {
	seed   maphash.Seed
	hashes []uint64
}

// Kinds of ids, which a value is of.
const (
	ofID         = "id"
	ofExternalID = "externalId"
)

func (i *identities) add(r row) {
	if i.hashes == nil {
		i.seed = maphash.MakeSeed()
	}
	for kind, id := range r.identities() {
		i.hashes = append(i.hashes, maphash.String(i.seed, kind+id))
	}
}

func (r row) identities() map[string]string {
	all := map[string]string{}
	if r.id != "" {
		all[ofID] = r.id
	}
	if r.externalID != "" {
		all[ofExternalID] = r.externalID
	}
	return all
}

// twins are ids that stand in a file more than once. Chunks are sent side by side, so that of two
// rows with the same id each could make a post.
type twins struct {
	seed  maphash.Seed
	often map[uint64]bool
	first map[string]int // row, by kind and id
}

func (i *identities) twins() twins {
	t := twins{seed: i.seed, often: map[uint64]bool{}, first: map[string]int{}}
	slices.Sort(i.hashes)
	for n := 1; n < len(i.hashes); n++ {
		if i.hashes[n] == i.hashes[n-1] {
			t.often[i.hashes[n]] = true
		}
	}
	return t
}

// refuse refuses a row whose post an earlier row of the file is of already.
func (t twins) refuse(r *row) {
	if len(t.often) == 0 || r.problem != nil {
		return
	}
	for kind, id := range r.identities() {
		if !t.often[maphash.String(t.seed, kind+id)] {
			continue
		}
		if first, ok := t.first[kind+id]; ok {
			r.problem = &problem{field: kind, code: codeDuplicate, message: fmt.Sprintf("row %d has %q already: one row is one post", first, clipped(id))}
			continue
		}
		t.first[kind+id] = r.number
	}
}
