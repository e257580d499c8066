package importer

import (
	"fmt"
	"hash/maphash"
	"slices"
)

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
