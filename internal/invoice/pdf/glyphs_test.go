package pdf

import (
	"bytes"
	"strings"
	"testing"

	"github.com/go-text/typesetting/font"
	"github.com/go-text/typesetting/font/opentype"

	"onlyonce/internal/assert"
	"onlyonce/internal/must"
)

func newTestShaper(t *testing.T) *shaper {
	t.Helper()
	typefaces, err := loadTypefaces()
	must.OK(t, err)
	return newShaper(typefaces)
}

// TestVisible checks that a missing character gets a replacement, but a missing invisible one does not.
func TestVisible(t *testing.T) {
	t.Parallel()
	face := newTestShaper(t).faces[regular]
	for written, want := range map[string]string{
		"Design \u017b \u0915": "Design \u017b \u0915", "a\u6f22b": "a\ufffdb", "\u05d0": "\ufffd",
		"a\u200d\ufe0f": "a\u200d\ufe0f", "\x00": "\ufffd",
	} {
		assert.Equal(t, string(visible([]rune(written), face)), want, written, "shown as")
	}
}

// TestWordsOfClustersSayWhatTheyAre checks that words with clusters are marked with their text, because readers of the text layer see
// gaps between the glyphs of a cluster.
func TestWordsOfClustersSayWhatTheyAre(t *testing.T) {
	t.Parallel()
	s, p := newTestShaper(t), &page{}
	p.text(0, 0, body, regular, black, s.one("Design \u0915\u093f x", regular))
	if got := p.String(); strings.Count(got, "ActualText") != 1 || !strings.Contains(got, "/ActualText <FEFF0915093F>") {
		t.Errorf("the word is not marked, or another one is: %s", got)
	}
}

// TestSubset checks that a subset has the used glyphs and their components, and no others.
func TestSubset(t *testing.T) {
	t.Parallel()
	s := newTestShaper(t)
	s.one("A\u00e9", regular)
	whole := s.fonts[regular]
	used := whole.glyphs()
	small := whole.subset(used)
	loader, err := opentype.NewLoader(bytes.NewReader(small))
	must.OK(t, err)
	part := &typeface{}
	for _, tag := range loader.Tables() {
		content, err := loader.RawTable(tag)
		must.OK(t, err)
		part.tables = append(part.tables, opentype.Table{Tag: tag, Content: content})
	}
	kept := whole.composed(used)
	assert.Thatf(t, len(kept) > len(used), "%d glyphs are composed of no others: choose another letter", len(used))
	for id := range font.GID(len(whole.table("loca"))/4 - 1) {
		got, want := part.outline(id), whole.outline(id)
		if !kept[id] {
			want = nil
		}
		if !bytes.HasPrefix(got, want) || len(got)-len(want) > 3 { // padded
			t.Errorf("glyph %d has an outline of %d bytes, want %d", id, len(got), len(want))
		}
	}
}

// TestExtremeAmounts checks that the longest numbers of an invoice leave room for the description, and that columns don't overlap.
func TestExtremeAmounts(t *testing.T) {
	t.Parallel()
	d := &document{shaper: newTestShaper(t)}
	longest := Line{Cells: []string{"999999999.999999", "900,719,925,474,099.1", "99.999%", "9,007,199,254,740,991"}}
	head := Line{Text: "Description", Cells: []string{"Quantity", "Unit price", "Tax", "Amount"}}
	c := d.columns(head, []Line{{Cells: []string{"1", "", "", ""}}, longest})
	before := left + c.first
	for i, text := range longest.Cells {
		begin := c.ends[i] - d.shaper.one(text, regular).width*body
		if begin < before+cellGap {
			t.Errorf("column %d begins at %s, and the one before it ends at %s", i+1, number(begin), number(before))
		}
		before = c.ends[i]
	}
	if c.first < 100*point || before != right {
		t.Errorf("the description has %s points, and the last column ends at %s", number(c.first), number(before))
	}
}
