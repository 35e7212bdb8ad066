package pdf

import (
	"encoding/binary"
	"errors"
	"slices"

	"github.com/go-text/typesetting/font"
	"github.com/go-text/typesetting/font/opentype"
)

// Places in the tables of a TrueType font.
const (
	longOffsets = 51 // in head: 1 if loca has four bytes for each offset
	// In the outline of a composed glyph.
	components   = 10 // where they begin
	argsAreWords = 1 << 0
	hasScale     = 1 << 3
	moreFollow   = 1 << 5
	hasTwoScales = 1 << 6
	hasMatrix    = 1 << 7
)

// check returns an error if the outlines cannot be found by the rules that this file knows.
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

// subset returns a TrueType font with the outlines of some glyphs, and of those that they are composed of. The others
// are there without an outline, so that the numbers of glyphs stay the same.
func (t *typeface) subset(glyphs []font.GID) []byte {
	kept := t.composed(glyphs)
	var glyf, loca []byte
	for id := range font.GID(len(t.table("loca"))/4 - 1) { //nolint:gosec // a font has at most 65,535
		loca = binary.BigEndian.AppendUint32(loca, uint32(len(glyf))) //nolint:gosec // less than that of the whole font
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

// padded fills up to a multiple of four bytes.
func padded(table []byte) []byte { return append(table, make([]byte, -len(table)&3)...) }

// outline returns what is drawn for a glyph.
func (t *typeface) outline(id font.GID) []byte {
	loca := t.table("loca")[4*id:]
	return t.table("glyf")[binary.BigEndian.Uint32(loca):binary.BigEndian.Uint32(loca[4:])]
}

// composed returns glyphs with all that they are composed of.
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

// parts lists the glyphs that an outline is composed of; none if it has contours of its own.
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
