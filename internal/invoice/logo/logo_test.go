package logo_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"image"
	"image/jpeg"
	"image/png"
	"slices"
	"strings"
	"testing"

	"onlyonce/internal/assert"
	"onlyonce/internal/file"
	"onlyonce/internal/invalid"
	"onlyonce/internal/invoice/logo"
	"onlyonce/internal/must"
)

func encodePNG(t testing.TB, width, height int) []byte {
	t.Helper()
	var content bytes.Buffer
	must.OK(t, png.Encode(&content, image.NewNRGBA(image.Rect(0, 0, width, height))))
	return content.Bytes()
}

func encodeJPEG(t testing.TB, width, height int) []byte {
	t.Helper()
	var content bytes.Buffer
	must.OK(t, jpeg.Encode(&content, image.NewGray(image.Rect(0, 0, width, height)), nil))
	return content.Bytes()
}

// sized returns a PNG file whose header has another size.
func sized(of []byte, width, height uint32) []byte {
	of = slices.Clone(of)
	binary.BigEndian.PutUint32(of[16:], width)
	binary.BigEndian.PutUint32(of[20:], height)
	binary.BigEndian.PutUint32(of[29:], crc32.ChecksumIEEE(of[12:29]))
	return of
}

// cmyk returns a JPEG file whose header has four components.
func cmyk(of []byte) []byte {
	at := bytes.Index(of, []byte{0xff, 0xc0})
	header := []byte{0xff, 0xc0, 0, 20, 8, 0, 8, 0, 8, 4, 1, 0x11, 0, 2, 0x11, 0, 3, 0x11, 0, 4, 0x11, 0}
	return slices.Concat(of[:at], header, of[at+2+int(of[at+3]):])
}

// TestDraft: the content must be an image that can be read within bounded memory and time.
func TestDraft(t *testing.T) {
	t.Parallel()
	small, photo := encodePNG(t, 3, 2), encodeJPEG(t, 8, 8)
	scan := bytes.Index(photo, []byte{0xff, 0xda})
	const (
		broken = "can't be read as an image. Choose another file."
		other  = "is of another type. Choose a file of the type PNG or JPEG."
	)
	for name, of := range map[string]struct {
		content []byte
		refused string
	}{
		"small.png":       {small, ""},
		"photo.jpg":       {photo, ""},
		"largest.png":     {encodePNG(t, logo.MaxPixels, logo.MaxPixels), ""},
		"wide.png":        {encodePNG(t, logo.MaxPixels+1, 1), "has 2001 × 1 pixels. Choose an image of at most 2000 × 2000."},
		"high.jpg":        {encodeJPEG(t, 1, logo.MaxPixels+1), "has 1 × 2001 pixels. Choose an image of at most 2000 × 2000."},
		"bomb.png":        {sized(small, 50_000, 50_000), "has 50000 × 50000 pixels. Choose an image of at most 2000 × 2000."},
		"negative.png":    {sized(small, 1<<31, 1), broken},
		"empty.png":       {sized(small, 0, 0), broken},
		"missing.png":     {sized(small, 1000, 1000), broken}, // pixels
		"cut.png":         {small[:len(small)-20], broken},
		"header.png":      {small[:20], broken},
		"cut.jpg":         {photo[:len(photo)/2], broken},
		"scans.jpg":       {slices.Concat(photo[:scan], bytes.Repeat(photo[scan:len(photo)-2], 200), photo[len(photo)-2:]), broken},
		"print.jpg":       {cmyk(photo), "has the colours of a print shop (CMYK). Save it as RGB, or as a PNG file."},
		"animated.gif":    {[]byte("GIF89a"), other},
		"vector.svg":      {[]byte(`<svg xmlns="http://www.w3.org/2000/svg"/>`), other},
		"large.png":       {slices.Concat(small, make([]byte, 1<<20)), "is larger than 1 MiB. Choose a smaller file."},
		"nothing.png":     {nil, "is empty. Choose another file."},
		"renamed.jpg.png": {photo, ""},
	} {
		_, err := logo.Input{File: file.Input{Name: name, Content: of.content}}.Draft()
		refused := ""
		if problems, ok := errors.AsType[*invalid.Error](err); ok {
			_, refused, _ = strings.Cut(problems.Fields[0].Message, " ")
		}
		assert.Thatf(t, refused == of.refused, "%s: %q, want %q", name, refused, of.refused)
	}
}

// FuzzDraft checks that no content makes the check fail, or take more than its bounds.
func FuzzDraft(f *testing.F) {
	f.Add(encodePNG(f, 3, 2))
	f.Add(encodeJPEG(f, 8, 8))
	f.Fuzz(func(_ *testing.T, content []byte) {
		_, _ = logo.Input{File: file.Input{Name: "logo", Content: content}}.Draft()
	})
}
