package web

import (
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"onlyonce/internal/file"
)

// TestFilesOfStrangers: a form without a login is read up to the first file that was chosen.
func TestFilesOfStrangers(t *testing.T) {
	t.Parallel()
	part := func(name, filename string) string {
		return "--x\r\nContent-Disposition: form-data; name=" + name + `; filename="` + filename + "\"\r\n\r\n" + filename + "\r\n"
	}
	for files, want := range map[string]string{
		part("a", "one.txt") + part("b", "two.txt"): "a=one.txt title=",
		part("a", "") + part("b", "two.txt"):        "a= b=two.txt title=",
		part("a", "") + part("b", ""):               "a= b= title=",
	} {
		body := "--x\r\nContent-Disposition: form-data; name=title\r\n\r\n\r\n" + files + "--x--\r\n"
		r := httptest.NewRequest(http.MethodPost, "/", strings.NewReader(body))
		r.Header.Set("Content-Type", "multipart/form-data; boundary=x")
		u := &upload{map[string]file.Rule{"a": {MaxBytes: 9}, "b": {MaxBytes: 9}}, map[string]file.Input{}}
		form, err := u.parse(r, true)
		var got []string
		for _, name := range slices.Sorted(maps.Keys(form)) {
			got = append(got, name+"="+form.Get(name))
		}
		if err != nil || strings.Join(got, " ") != want || len(u.files) > 0 {
			t.Errorf("%q: %v, %v, %v, want %s", files, got, u.files, err, want)
		}
	}
}
