package web

import (
	"strings"
	"testing"
)

// TestPathWriter: what is a path in an attribute gets the other path in front, wherever the page is cut into pieces, and nothing else does.
func TestPathWriter(t *testing.T) {
	t.Parallel()
	const page = `<a href="/">x</a><a class="a" href="/b?c=/d">/e</a><form action="/f"><input value="/typed"><button formaction="/g">>` +
		`</form><p title="/h" data-copy="/i" data-form-url="/j">&#34; href=&#34;/k&#34;</p><a href="//l"></a><a href="#m"></a>` +
		`<img src="/n"><a href="https://o/"></a> href="/p`
	const want = `<a href="/b/c/">x</a><a class="a" href="/b/c/b?c=/d">/e</a><form action="/b/c/f"><input value="/typed">` +
		`<button formaction="/b/c/g">></form><p title="/h" data-copy="/i" data-form-url="/b/c/j">&#34; href=&#34;/k&#34;</p>` +
		`<a href="//l"></a><a href="#m"></a><img src="/b/c/n"><a href="https://o/"></a> href="/b/c/p`
	for _, size := range []int{1, 2, 3, 7, 50, len(page)} {
		var got strings.Builder
		w := &pathWriter{to: &got, path: "/b/c"}
		for rest := page; rest != ""; {
			n := min(size, len(rest))
			if written, err := w.Write([]byte(rest[:n])); written != n || err != nil {
				t.Fatal(written, err)
			}
			rest = rest[n:]
		}
		if err := w.write(len(w.held)); err != nil || got.String() != want {
			t.Errorf("in pieces of %d: %v\n%s\n%s", size, err, got.String(), want)
		}
	}
}
