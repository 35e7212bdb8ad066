package pdf

import (
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/go-text/typesetting/font"
)

// Renderer renders documents. It is safe for concurrent use.
type Renderer struct {
	typefaces func() ([styles]*typeface, error)
}

// New returns a renderer, which reads the fonts when it renders the first document.
func New() *Renderer { return &Renderer{sync.OnceValues(loadTypefaces)} }

// Missing returns the characters of a text that a document shows as replacements, because its typeface lacks them, each once, in order.
// An error means that the program was built with broken fonts.
func (r *Renderer) Missing(text string) (missing []rune, err error) {
	typefaces, err := r.typefaces()
	if err != nil {
		return nil, err
	}
	for _, t := range typefaces {
		face := font.NewFace(t.shapes)
		for _, written := range lineBreaks.Replace(text) {
			if written != '\n' && written != '\t' && !shows(face, written) && !slices.Contains(missing, written) {
				missing = append(missing, written)
			}
		}
	}
	return missing, nil
}

// Render returns the file of a document. It takes time and memory in proportion to the texts, so the caller limits them and the number of
// concurrent renderings. An error means that the program was built with broken fonts, or that the logo isn't an image of its type.
func (r *Renderer) Render(shown Document) ([]byte, error) {
	typefaces, err := r.typefaces()
	if err != nil {
		return nil, err
	}
	f := newFile()
	logo, err := f.draw(shown.Logo)
	if err != nil {
		return nil, err
	}
	d := &document{shaper: newShaper(typefaces), mark: shown.Mark, logo: logo}
	d.compose(shown)
	d.number(shown.Title)
	var fonts strings.Builder
	for i, font := range d.shaper.fonts {
		fmt.Fprintf(&fonts, "/F%d %s ", i, font.write(f))
	}
	images := ""
	if logo.width > 0 {
		images = "/XObject << /Logo " + logo.ref.String() + " >> "
	}
	resources := f.object("<< /Font << " + fonts.String() + ">> " + images + ">>")
	tree := f.reserve()
	var kids strings.Builder
	for _, p := range d.pages {
		content := f.stream("", []byte(p.String()))
		page := f.object(fmt.Sprintf("<< /Type /Page /Parent %s /MediaBox [0 0 %s %s] /Resources %s /Contents %s >>",
			tree, number(pageWidth), number(pageHeight), resources, content))
		fmt.Fprintf(&kids, "%s ", page)
	}
	f.set(tree, fmt.Sprintf("<< /Type /Pages /Count %d /Kids [ %s] >>", len(d.pages), kids.String()))
	catalog := f.object(fmt.Sprintf("<< /Type /Catalog /Pages %s /Lang (en) /ViewerPreferences << /DisplayDocTitle true >> >>", tree))
	at := shown.At.UTC().Format("(D:20060102150405Z)")
	info := f.object(fmt.Sprintf("<< /Title %s /Author %s /Creator %s /CreationDate %s /ModDate %s >>",
		textString(shown.Title), textString(shown.Seller.Name), textString("Onlyonce"), at, at))
	f.finish(catalog, info)
	return f.Bytes(), nil
}
