package e2e

import (
	"strings"
	"sync"
	"testing"

	"github.com/playwright-community/playwright-go"

	"onlyonce/internal/assert"
)

// Clicks while a file is on its way: the form lock keeps them back. Without it, or after Stop, the file is sent again, and attached once.
func TestClicksDuringAnUpload(t *testing.T) {
	t.Parallel()
	for name, javaScript := range withAndWithoutJavaScript {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := withDraft(t, javaScript, throughWire)
			wire := s.wire
			invoice := s.page.URL()[strings.LastIndex(s.page.URL(), "/invoices/"):]
			s.open(invoice + "/attachments/new")
			file := playwright.InputFile{Name: "order.txt", MimeType: "text/plain"}
			file.Buffer = []byte(strings.Repeat("two posters\n", 100_000))
			s.tellf(byPerson, "chooses %s", file.Name)
			s.check(s.page.GetByLabel("File").SetInputFiles(file), "choose the file")
			scripted := name == "with JavaScript"
			if scripted {
				s.listenToForm()
			}
			release := wire.holdHalf()
			t.Cleanup(release) // the wire would wait for it
			s.pointAt(buttonAttachFile)
			s.tap(3)
			s.until("the upload has begun", func() bool { return wire.holding() >= 1 })
			if scripted {
				s.formSaid("sent", "button: Uploading… (disabled)", "kept back")
				n := wire.holding()
				assert.Thatf(t, n == 1, "%d uploads", n)
			}
			s.stop()
			if scripted {
				s.pointAt(buttonTryAgain)
			}
			s.tap(1)
			s.until("it is sent again", func() bool { return wire.holding() >= 2 })
			release()
			s.seesHeading(headingInvoice(s.number(1)))
			s.sees("File attached.")
			rows := s.page.GetByRole("link", playwright.PageGetByRoleOptions{Name: file.Name, Exact: new(true)})
			s.check(expect.Locator(rows).ToHaveCount(1), "see one attachment")
			s.sees("1.1 MiB")
		})
	}
}

// holdHalf passes on the first half of each posted form, as on a slow network, until release is called.
func (w *wire) holdHalf() (release func()) {
	gate := make(gateReader)
	w.locked(func() { w.gate = gate })
	return sync.OnceFunc(func() { close(gate) })
}
