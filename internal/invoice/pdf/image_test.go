package pdf_test

import (
	"bytes"
	"compress/zlib"
	"crypto/rand"
	"image"
	"image/color"
	"image/jpeg"
	"image/png"
	"io"
	"regexp"
	"strings"
	"testing"

	"onlyonce/internal/assert"
	"onlyonce/internal/invoice/pdf"
	"onlyonce/internal/invoice/pdf/pdftest"
	"onlyonce/internal/must"
)

func withLogo(t testing.TB, of pdf.Image) []byte {
	t.Helper()
	shown := example()
	shown.Logo = of
	return render(t, shown)
}

func pngOf(t testing.TB, picture image.Image) pdf.Image {
	t.Helper()
	var content bytes.Buffer
	must.OK(t, png.Encode(&content, picture))
	return pdf.Image{Type: "image/png", Content: content.Bytes()}
}

// samples returns the samples of the compressed image in a file whose dictionary matches.
func samples(t *testing.T, file []byte, row int, dictionary string) (all []byte) {
	t.Helper()
	at := regexp.MustCompile(dictionary + `[^\n]*>>\nstream\n`).FindIndex(file)
	must.Thatf(t, at != nil, "no image with %s", dictionary)
	compressed, err := zlib.NewReader(bytes.NewReader(file[at[1]:]))
	must.OK(t, err)
	filtered, err := io.ReadAll(compressed)
	must.OK(t, err)
	for i, sample := range filtered {
		switch {
		case i%(row+1) == 0 && sample != 2:
			t.Fatalf("row %d has the filter %d", i/(row+1), sample)
		case i%(row+1) == 0:
			continue
		case len(all) >= row:
			sample += all[len(all)-row]
		}
		all = append(all, sample)
	}
	return all
}

// TestLogo: a PNG file keeps its colors and opacities, also in 16 bits or with a palette, and a JPEG file its bytes. The texts stay.
func TestLogo(t *testing.T) {
	t.Parallel()
	rectangle := image.Rect(0, 0, 3, 2)
	faint, deep := image.NewNRGBA(rectangle), image.NewRGBA64(rectangle)
	palette := image.NewPaletted(rectangle, color.Palette{color.White, color.Black})
	for i := range 6 {
		faint.Set(i%3, i/3, color.NRGBA{uint8(i), 100, 200, uint8(40 * i)})
		deep.Set(i%3, i/3, color.Gray16{0x4000})
		palette.SetColorIndex(i%3, i/3, uint8(i%2))
	}
	const rgb, gray = `/Width 3 /Height 2 /ColorSpace /DeviceRGB`, `/Width 3 /Height 2 /ColorSpace /DeviceGray`
	file := withLogo(t, pngOf(t, faint))
	if got := samples(t, file, 9, rgb); !bytes.Equal(got[3:6], []byte{1, 100, 200}) || !bytes.Equal(got[15:], []byte{5, 100, 200}) {
		t.Errorf("colors %v", got)
	}
	if got := samples(t, file, 3, gray); !bytes.Equal(got, []byte{0, 40, 80, 120, 160, 200}) {
		t.Errorf("opacities %v", got)
	}
	assert.Equal(t, strings.Join(pdftest.Pages(t, file), "\f"), must.Read(t, "testdata/example.txt"), "the text layer")
	for name, of := range map[string]struct {
		image.Image

		want []byte
	}{"16 bits": {deep, bytes.Repeat([]byte{0x40}, 9)}, "a palette": {palette, []byte{255, 255, 255, 0, 0, 0, 255, 255, 255}}} {
		file := withLogo(t, pngOf(t, of.Image))
		got := samples(t, file, 9, rgb)
		assert.Thatf(t, bytes.Equal(got[:9], of.want) && !bytes.Contains(file, []byte("/SMask")), "%s: %v", name, got)
	}
	var photo bytes.Buffer
	must.OK(t, jpeg.Encode(&photo, faint, nil))
	file = withLogo(t, pdf.Image{Type: "image/jpeg", Content: photo.Bytes()})
	assert.Thatf(t, bytes.Contains(file, photo.Bytes()) && bytes.Contains(file, []byte(rgb+" /BitsPerComponent 8 /Filter /DCTDecode")),
		"the JPEG file isn't in the PDF file")
}

// TestLogoFits: an image of any shape is at most 170 × 56 points large, and below the top of the page.
func TestLogoFits(t *testing.T) {
	t.Parallel()
	for size, want := range map[image.Point]string{
		{1, 1}: "0.750 0 0 0.750 ", {400, 100}: "170.000 0 0 42.500 ", {100, 100}: "56.000 0 0 56.000 ",
		{2000, 1}: "170.000 0 0 0.085 ", {1, 2000}: "0.028 0 0 56.000 ",
	} {
		file := withLogo(t, pngOf(t, image.NewGray(image.Rectangle{Max: size})))
		found := false
		for _, at := range regexp.MustCompile(`/FlateDecode  >>\nstream\n`).FindAllIndex(file, -1) {
			compressed, err := zlib.NewReader(bytes.NewReader(file[at[1]:]))
			must.OK(t, err)
			content, err := io.ReadAll(compressed)
			must.OK(t, err)
			found = found || bytes.Contains(content, []byte("q "+want)) && bytes.Contains(content, []byte(" cm /Logo Do Q\n"))
		}
		assert.Thatf(t, found, "%v isn't drawn with %s", size, want)
	}
}

// TestLargestLogo: the file of an invoice with a large logo is small enough for an email.
func TestLargestLogo(t *testing.T) {
	t.Parallel()
	picture := image.NewRGBA(image.Rect(0, 0, 2000, 2000))
	for i := range 4_000_000 {
		x, y := i%2000, i/2000
		picture.Set(x, y, color.RGBA{uint8(x / 8), uint8(y / 8), uint8((x + y) / 16), 255})
	}
	of := pngOf(t, picture)
	if file := withLogo(t, of); len(file) > 3<<20 {
		t.Errorf("%d bytes of a logo of %d", len(file), len(of.Content))
	}
	noise := image.NewRGBA(image.Rect(0, 0, 590, 590)) // a megabyte of PNG
	_, err := rand.Read(noise.Pix)
	must.OK(t, err)
	for i := 3; i < len(noise.Pix); i += 4 {
		noise.Pix[i] = 255
	}
	if file := withLogo(t, pngOf(t, noise)); len(file) > 3<<20 {
		t.Errorf("%d bytes of a logo of noise", len(file))
	}
}
