package pdf

import (
	"bytes"
	"fmt"
	"image"
	"image/color"
	"image/jpeg"
	"image/png"
)

// drawing is an image in a file, with its size on a page.
type drawing struct {
	ref           ref
	width, height int // thousandths of a point; 0 for none
}

// The largest size of a logo on a page. A pixel has at most three quarters of a point.
const (
	logoWidth  = 170 * point
	logoHeight = 56 * point
	pixel      = point * 3 / 4
)

// draw writes an image. A JPEG file is written as it is, because readers decode it.
func (f *file) draw(shown Image) (drawing, error) {
	if len(shown.Content) == 0 {
		return drawing{}, nil
	}
	if shown.Type == "image/jpeg" {
		config, err := jpeg.DecodeConfig(bytes.NewReader(shown.Content))
		if err != nil {
			return drawing{}, fmt.Errorf("read JPEG: %w", err)
		}
		space := "/DeviceRGB"
		if config.ColorModel == color.GrayModel {
			space = "/DeviceGray"
		}
		return drawn(f.raw(imageEntries(config.Width, config.Height, space)+" /Filter /DCTDecode", shown.Content),
			config.Width, config.Height), nil
	}
	decoded, err := png.Decode(bytes.NewReader(shown.Content))
	if err != nil {
		return drawing{}, fmt.Errorf("read PNG: %w", err)
	}
	width, height := decoded.Bounds().Dx(), decoded.Bounds().Dy()
	colors, alphas := pixels(decoded)
	mask := ""
	if alphas != nil {
		mask = " /SMask " + f.stream(imageEntries(width, height, "/DeviceGray")+predicted(width, 1), differences(alphas, width)).String()
	}
	entries := imageEntries(width, height, "/DeviceRGB") + predicted(width, 3) + mask
	return drawn(f.stream(entries, differences(colors, 3*width)), width, height), nil
}

// pixels returns the colors of an image, three bytes each, and their opacities; nil for an opaque image.
func pixels(of image.Image) (colors, alphas []byte) {
	bounds, opaque := of.Bounds(), true
	colors, alphas = make([]byte, 0, 3*bounds.Dx()*bounds.Dy()), make([]byte, 0, bounds.Dx()*bounds.Dy())
	for y := bounds.Min.Y; y < bounds.Max.Y; y++ {
		for x := bounds.Min.X; x < bounds.Max.X; x++ {
			c := color.NRGBAModel.Convert(of.At(x, y)).(color.NRGBA) //nolint:forcetypeassert // the model converts to it
			colors, alphas = append(colors, c.R, c.G, c.B), append(alphas, c.A)
			opaque = opaque && c.A == 0xff
		}
	}
	if opaque {
		alphas = nil
	}
	return colors, alphas
}

// predicted returns the entry of a stream that has the differences of rows.
func predicted(width, colors int) string {
	return fmt.Sprintf(" /DecodeParms << /Predictor 12 /Colors %d /Columns %d >>", colors, width)
}

// differences returns the rows of an image, each as its differences from the row above, which compress better: the filter Up of PNG.
func differences(samples []byte, row int) []byte {
	all := make([]byte, 0, len(samples)+len(samples)/row)
	for i, sample := range samples {
		if i%row == 0 {
			all = append(all, 2) // the filter
		}
		if i >= row {
			sample -= samples[i-row]
		}
		all = append(all, sample)
	}
	return all
}

func imageEntries(width, height int, space string) string {
	return fmt.Sprintf("/Type /XObject /Subtype /Image /Width %d /Height %d /ColorSpace %s /BitsPerComponent 8", width, height, space)
}

// drawn returns the drawing of an image with a size in pixels, as large as fits.
func drawn(of ref, width, height int) drawing {
	d := drawing{of, width * pixel, height * pixel}
	if d.width > logoWidth {
		d.width, d.height = logoWidth, max(1, d.height*logoWidth/d.width)
	}
	if d.height > logoHeight {
		d.width, d.height = max(1, d.width*logoHeight/d.height), logoHeight
	}
	return d
}

// draw draws an image, with its lower left corner at a place.
func (p *page) draw(d drawing, x, y int) {
	fmt.Fprintf(p, "q %s 0 0 %s %s %s cm /Logo Do Q\n", number(d.width), number(d.height), number(x), number(y))
}
