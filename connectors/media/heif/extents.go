package heif

import (
	"cmp"
	"io"
	"slices"

	"crier/connectors/media/bmff"
)

// Metadata returns where the Exif and XMP stand that a meta box of a film names.
func Metadata(content io.ReaderAt, size int64, meta bmff.Box) ([]Extent, error) {
	r := &reader{file: bmff.New(content), size: size, items: make(map[uint32]*item), hasMeta: true} // meta alone is read
	if err := r.file.Children(meta, 4, r.inMeta); err != nil {
		return nil, err
	}
	if _, err := r.file.Film(size, r.top); err != nil {
		return nil, err
	}
	return r.metadata()
}

// isMedia reports whether a part is of media data, as all that is written of items is: what is blanked
// elsewhere could be the file's own tables.
func (r *reader) isMedia(part Extent) bool {
	return slices.ContainsFunc(r.media, func(b bmff.Box) bool { return part.Start >= b.Body && part.End <= b.End })
}

// metadata finds where Exif and XMP stand, and what else is of no picture. Those that are made of other
// items are damaged: no program writes them.
func (r *reader) metadata() ([]Extent, error) {
	found := slices.DeleteFunc(slices.Clone(r.beside), func(e Extent) bool { return e.Start >= e.End })
	for _, it := range r.items {
		if it.kind != "Exif" && !it.isXMP {
			continue
		}
		if it.method > inData {
			return nil, bmff.ErrDamaged
		}
		for _, e := range it.extents {
			placed := r.place(it, e)
			isIn := it.method == inData && placed.End <= r.data.End || r.isMedia(placed)
			if placed.Start > placed.End || !isIn {
				return nil, bmff.ErrDamaged
			}
			found = append(found, placed)
		}
	}
	return found, nil
}

// inData is the method of items whose extents count from the beginning of idat; those of method 0 count
// from the file's.
const inData = 1

// place returns where an extent of an item is in the file.
func (r *reader) place(it *item, e Extent) Extent {
	if it.method != inData {
		return e
	}
	placed := Extent{r.data.Body + e.Start, r.data.Body + e.End}
	if e.End == r.size { // to the end of the data
		placed.End = r.data.End
	}
	return placed
}

// unused returns what no item is of: programs leave there what was removed, and others look for nothing
// there. The samples of a sequence have no items.
func (r *reader) unused() (found []Extent) {
	var used []Extent
	for _, it := range r.items {
		if it.method > inData {
			continue
		}
		for _, e := range it.extents {
			used = append(used, r.place(it, e))
		}
	}
	slices.SortFunc(used, func(a, b Extent) int { return cmp.Compare(a.Start, b.Start) })
	spaces := slices.Clone(r.spaces)
	if !r.hasMovie {
		spaces = append(spaces, r.media...)
	}
	if r.data.Kind != "" {
		spaces = append(spaces, r.data)
	}
	for _, b := range spaces {
		found = append(found, gaps(Extent{b.Body, b.End}, used)...)
	}
	return found
}

// gaps returns the parts of a space that none of the used ones, in order, are in.
func gaps(space Extent, used []Extent) (found []Extent) {
	for _, u := range used {
		if u.End <= space.Start {
			continue
		}
		if u.Start >= space.End {
			break
		}
		if u.Start > space.Start {
			found = append(found, Extent{space.Start, u.Start})
		}
		if space.Start = u.End; space.Start >= space.End {
			return found
		}
	}
	if space.Start < space.End {
		found = append(found, space)
	}
	return found
}
