package pdf

import (
	"encoding/binary"
	"errors"
	"slices"

	"github.com/go-text/typesetting/font"
	"github.com/go-text/typesetting/font/opentype"
)

// Offsets in the tables of a TrueType font.
const (
	longOffsets = 51 // in head: 1 if loca has four bytes for each offset
	// In the outline of a composite glyph.
	components   = 10 // start of the components
	argsAreWords = 1 << 0
	hasScale     = 1 << 3
	moreFollow   = 1 << 5
	hasTwoScales = 1 << 6
	hasMatrix    = 1 << 7
)

// check returns an error if subset can't find the outlines in the font.
func (t *typeface) check() error {
	switch loca, head := t.table("loca"), t.table("head"); {
	case len(head) <= longOffsets || t.table("glyf") == nil || t.table("hmtx") == nil:
		return errors.New("no TrueType outlines")
	case head[longOffsets] != 1:
		return errors.New("short offsets")
	case len(loca)%4 != 0 || int(binary.BigEndian.Uint32(loca[len(loca)-4:])) > len(t.table("glyf")):
		return errors.New("broken offsets")
	default:
		return nil
	}
}

// subset returns a TrueType font with the outlines of some glyphs and their components. The other glyphs have no outline, so that glyph
// numbers stay the same.
func (t *typeface) subset(glyphs []font.GID) []byte {
	kept := t.composed(glyphs)
	var glyf, loca []byte
	for id := range font.GID(len(t.table("loca"))/4 - 1) { //nolint:gosec // a font has at most 65,535
		loca = binary.BigEndian.AppendUint32(loca, uint32(len(glyf))) //nolint:gosec // less than the size of the whole font
		if kept[id] {
			glyf = append(glyf, t.outline(id)...)
			glyf = padded(glyf)
		}
	}
	loca = binary.BigEndian.AppendUint32(loca, uint32(len(glyf))) //nolint:gosec // the same
	var tables []opentype.Table
	for _, table := range t.tables {
		switch table.Tag {
		case opentype.MustNewTag("glyf"):
			table.Content = glyf
		case opentype.MustNewTag("loca"):
			table.Content = loca
		}
		table.Content = padded(slices.Clip(table.Content))
		tables = append(tables, table)
	}
	return opentype.WriteTTF(tables)
}

// padded pads a table to a multiple of four bytes.
func padded(table []byte) []byte { return append(table, make([]byte, -len(table)&3)...) }

// outline returns the outline of a glyph.
func (t *typeface) outline(id font.GID) []byte {
	loca := t.table("loca")[4*id:]
	return t.table("glyf")[binary.BigEndian.Uint32(loca):binary.BigEndian.Uint32(loca[4:])]
}

// composed returns glyphs with all their components.
func (t *typeface) composed(glyphs []font.GID) map[font.GID]bool {
	all := map[font.GID]bool{}
	for todo := slices.Clone(glyphs); len(todo) > 0; {
		id := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		if !all[id] {
			all[id] = true
			todo = append(todo, parts(t.outline(id))...)
		}
	}
	return all
}

// parts returns the components of an outline; none if it has contours.
func parts(outline []byte) (all []font.GID) {
	if len(outline) == 0 || outline[0]&0x80 == 0 { // the number of contours is not negative
		return nil
	}
	for flags, at := moreFollow, components; flags&moreFollow != 0; {
		flags = int(binary.BigEndian.Uint16(outline[at:]))
		all = append(all, font.GID(binary.BigEndian.Uint16(outline[at+2:])))
		at += 6
		if flags&argsAreWords != 0 {
			at += 2
		}
		switch {
		case flags&hasScale != 0:
			at += 2
		case flags&hasTwoScales != 0:
			at += 4
		case flags&hasMatrix != 0:
			at += 8
		}
	}
	return all
}
