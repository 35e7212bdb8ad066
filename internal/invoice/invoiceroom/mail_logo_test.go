package invoiceroom_test

import (
	"encoding/base64"
	"encoding/json"
	"image/color"
	"io"
	"mime"
	"mime/multipart"
	"mime/quotedprintable"
	"net/http"
	"strings"
	"testing"

	"onlyonce/internal/invoice/invoicecases"
	"onlyonce/internal/mailer/mailertest"
	"onlyonce/internal/must"
)

// TestMailHasTheLogo: the HTML of a mail refers to the logo of the invoice, which is a part beside it. A mail without a logo has no such
// part.
func TestMailHasTheLogo(t *testing.T) {
	s := mailertest.Start(t, nil, nil)
	b := mailing(t, s.URL)
	b.post(b.draft("plain", "Ada")+"/issue", "plain", "", http.StatusOK)
	b.settled(1)
	logo := invoicecases.PNG(30, 10, color.White)
	body, err := json.Marshal(map[string]any{"file": map[string]any{"name": "logo.png", "content": []byte(logo)}})
	must.OK(t, err)
	b.post("/api/v1/logos", "logo", string(body), http.StatusCreated)
	b.post(b.draft("with", "Ada")+"/issue", "with", "", http.StatusOK)
	b.settled(2)
	for i, want := range []string{"", logo} {
		message := s.Messages()[i]
		images := map[string]string{}
		html := parts(t, message.Header.Get("Content-Type"), message.Body, images)
		must.Holdf(t, images["<image>"] == want && strings.Contains(html, `src="cid:image"`) == (want != ""),
			"mail %d: an image of %d bytes, and the HTML %s", i, len(images["<image>"]), html)
	}
}

// parts returns the HTML of a part of a message, and adds the images in it by their Content-ID.
func parts(t *testing.T, contentType string, body io.Reader, images map[string]string) (html string) {
	t.Helper()
	_, parameters, err := mime.ParseMediaType(contentType)
	must.OK(t, err)
	all := multipart.NewReader(body, parameters["boundary"])
	for {
		part, err := all.NextRawPart()
		if err != nil {
			return html
		}
		switch of, _, _ := strings.Cut(part.Header.Get("Content-Type"), ";"); {
		case strings.HasPrefix(of, "multipart/"):
			html += parts(t, part.Header.Get("Content-Type"), part, images)
		case of == "text/html":
			text, err := io.ReadAll(quotedprintable.NewReader(part))
			must.OK(t, err)
			html += string(text)
		case strings.HasPrefix(of, "image/"):
			content, err := io.ReadAll(base64.NewDecoder(base64.StdEncoding, part))
			must.OK(t, err)
			images[part.Header.Get("Content-ID")] = string(content)
		}
	}
}
