package file_test

import (
	"strings"
	"testing"

	"onlyonce/internal/assert"
	"onlyonce/internal/file"
	"onlyonce/internal/idempotency"
	"onlyonce/internal/invalid"
)

func TestName(t *testing.T) {
	t.Parallel()
	for typed, want := range map[string]string{
		"order.pdf": "order.pdf", "../../etc/passwd": "passwd", `C:\fakepath\a b.png`: "a b.png", "..": "file", "": "file", "a/": "file",
		" .hidden ": "hidden", "a\x00\r\n\u202eb.txt": "ab.txt", "a \t b\xff.txt": "a b.txt", "Łódź ä.txt": "Łódź ä.txt",
		strings.Repeat("é", 300) + ".txt":      strings.Repeat("é", 96) + ".txt",
		"a." + strings.Repeat("extension", 50): "a." + strings.Repeat("extension", 50)[:88] + ".extension",
	} {
		assert.Equal(t, file.Name(typed), want, typed)
	}
}

// TestCheck: the content decides on the type, and a name gets its extension.
func TestCheck(t *testing.T) {
	t.Parallel()
	rule := file.Rule{MaxBytes: 20, Types: []string{"application/pdf", "text/plain"}}
	got := rule.String() + ", " + rule.Accept()
	assert.Thatf(t, got ==
		"PDF or text, at most 0 KiB, application/pdf,.pdf,text/plain,.txt,.csv,.md,.log", "%v", got)
	for _, of := range []struct {
		in           file.Input
		name, refuse string
	}{
		{file.Input{Name: "a.bat", Content: []byte("del *")}, "a.bat.txt", ""},
		{file.Input{Name: "A.PDF", Content: []byte("%PDF-1.7")}, "A.PDF", ""},
		{file.Input{Content: []byte("a,b")}, "file.txt", ""},
		{
			file.Input{Name: "a.pdf", Content: []byte("\x89PNG\r\n\x1a\n")}, "a.pdf",
			"a.pdf is of another type. Choose a file of the type PDF or text.",
		},
		{
			file.Input{Name: "a.txt", Content: []byte("more than 20 characters")}, "a.txt",
			"a.txt is larger than 0 KiB. Choose a smaller file.",
		},
		{file.Input{Name: "a.txt", TooLarge: true}, "a.txt", "a.txt is larger than 0 KiB. Choose a smaller file."},
		{file.Input{Name: "a.txt", Missing: true}, "a.txt", "Choose a.txt again."},
		{file.Input{Name: "a.txt"}, "a.txt", "a.txt is empty. Choose another file."},
		{file.Input{}, "file.txt", "Choose a file."},
	} {
		var problems invalid.Error
		f := rule.Check(of.in, "/file", &problems)
		refused := ""
		if len(problems.Fields) > 0 {
			refused = problems.Fields[0].Message
		}
		assert.Thatf(t, refused == of.refuse && (refused != "" || f.Name == of.name) && len(problems.Fields) <= 1,
			"%+v: %q, %q", of.in, f.Name, problems.Fields)
	}
}

// TestFingerprint: the digest takes the place of the content.
func TestFingerprint(t *testing.T) {
	t.Parallel()
	rule, seen := file.Rule{MaxBytes: 20, Types: []string{"text/plain"}}, map[idempotency.Fingerprint]bool{}
	for _, in := range []file.Input{
		{Name: "a.txt", Content: []byte("a")}, {Name: "a.txt", Content: []byte("b")}, {Name: "b.txt", Content: []byte("a")},
	} {
		f := rule.Check(in, "", &invalid.Error{})
		fingerprint, err := idempotency.FingerprintOf(f)
		assert.Thatf(t, err == nil && !seen[fingerprint], "%+v is like another file: %v", in, err)
		seen[fingerprint] = true
		f.Content = nil
		if again, err := idempotency.FingerprintOf(f); err != nil || again != fingerprint {
			t.Errorf("%+v: the content is part of the fingerfingerprint", in)
		}
	}
}
