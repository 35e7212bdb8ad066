package static_test

import (
	"compress/gzip"
	"io"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"regexp"
	"testing"

	"onlyonce/internal/assert"
	"onlyonce/internal/must"
	"onlyonce/static"
)

// names returns the names of all assets.
func names(t *testing.T) (all []string) {
	t.Helper()
	for _, kind := range []string{"*.css", "*.js", "*.svg"} {
		files, err := filepath.Glob(kind)
		must.Thatf(t, err == nil && len(files) != 0, "%d files are %s: %v", len(files), kind, err)
		all = append(all, files...)
	}
	return all
}

func newAssets(t *testing.T) *static.Assets {
	t.Helper()
	assets, err := static.New()
	must.OK(t, err)
	return assets
}

func get(h http.Handler, method, path, acceptEncoding string) *http.Response {
	r := httptest.NewRequest(method, path, nil)
	r.Header.Set("Accept-Encoding", acceptEncoding)
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w.Result()
}

func TestEveryAssetIsServedForEverUnderItsHash(t *testing.T) {
	t.Parallel()
	assets := newAssets(t)
	hashed := regexp.MustCompile(`^/static/[a-z-]+\.[0-9a-f]{8}\.(css|js|svg)$`)
	types := map[string]string{
		"app.css": "text/css; charset=utf-8", "icon.svg": "image/svg+xml",
		"submit-guard.js": "text/javascript; charset=utf-8",
	}
	for _, name := range names(t) {
		path := assets.Path(name)
		assert.Thatf(t, hashed.MatchString(path), "Path(%q) = %q, want a hash in it", name, path)
		resp := get(assets.Handler(), http.MethodGet, path, "")
		body, err := io.ReadAll(resp.Body)
		must.OK(t, err)
		assert.Thatf(t, resp.StatusCode == http.StatusOK && len(body) != 0, "GET %s = %d with %d bytes", path, resp.StatusCode, len(body))
		got := resp.Header.Get("Cache-Control")
		assert.Thatf(t, got == "public, max-age=31536000, immutable", "%s: Cache-Control %q", name, got)
		if want, ok := types[name]; ok && resp.Header.Get("Content-Type") != want {
			t.Errorf("%s: Content-Type %q, want %q", name, resp.Header.Get("Content-Type"), want)
		}
	}
}

func TestWrongRequests(t *testing.T) {
	t.Parallel()
	assets := newAssets(t)
	tests := map[string]struct {
		method, path string
		want         int
	}{
		"a hash of another build": {http.MethodGet, "/static/app.00000000.css", http.StatusNotFound},
		"a name without a hash":   {http.MethodGet, "/static/app.css", http.StatusNotFound},
		"the folder":              {http.MethodGet, "/static/", http.StatusNotFound},
		"a source file":           {http.MethodGet, "/static/static.go", http.StatusNotFound},
		"a post":                  {http.MethodPost, assets.Path("app.css"), http.StatusMethodNotAllowed},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			resp := get(assets.Handler(), tt.method, tt.path, "gzip")
			assert.Thatf(t, resp.StatusCode == tt.want, "%s %s = %d, want %d", tt.method, tt.path, resp.StatusCode, tt.want)
			cached := resp.Header.Get("Cache-Control")
			assert.Thatf(t, cached == "", "a refusal may be cached: %q", cached)
		})
	}
}

func TestGzipOnlyForThoseWhoAcceptIt(t *testing.T) {
	t.Parallel()
	assets := newAssets(t)
	tests := map[string]bool{
		"": false, "br": false, "gzip;q=0": false, "br, gzip; q=0.0": false,
		"gzip": true, "br, GZIP": true, "deflate, gzip;q=0.5": true, "gzip, deflate, br, zstd": true,
	}
	plain, err := io.ReadAll(get(assets.Handler(), http.MethodGet, assets.Path("app.css"), "").Body)
	must.OK(t, err)
	for header, want := range tests {
		t.Run(header, func(t *testing.T) {
			t.Parallel()
			resp := get(assets.Handler(), http.MethodGet, assets.Path("app.css"), header)
			got := resp.Header.Get("Content-Encoding") == "gzip"
			must.Thatf(t, got == want, "gzipped = %v, want %v", got, want)
			if !want {
				return
			}
			zr, err := gzip.NewReader(resp.Body)
			must.OK(t, err)
			if unzipped, err := io.ReadAll(zr); err != nil || string(unzipped) != string(plain) {
				t.Errorf("gzip holds something else than the plain answer (%v)", err)
			}
		})
	}
}

func TestHeadHasNoBody(t *testing.T) {
	t.Parallel()
	assets := newAssets(t)
	resp := get(assets.Handler(), http.MethodHead, assets.Path("app.css"), "")
	body, err := io.ReadAll(resp.Body)
	assert.Thatf(t, err == nil && len(body) == 0 && resp.ContentLength > 0,
		"HEAD: %d bytes, Content-Length %d, %v", len(body), resp.ContentLength, err)
}

// The budget keeps the interface fast on a slow connection.
func TestAllAssetsTogetherStaySmall(t *testing.T) {
	t.Parallel()
	const budget = 27 << 10
	assets := newAssets(t)
	var total int64
	for _, name := range names(t) {
		total += get(assets.Handler(), http.MethodGet, assets.Path(name), "gzip").ContentLength
	}
	assert.Thatf(t, total <= budget, "all assets are %d bytes compressed, the budget is %d", total, budget)
}

func TestPathOfAnUnknownNamePanics(t *testing.T) {
	t.Parallel()
	defer func() {
		assert.Thatf(t, recover() != nil, "a typo in an asset name went unnoticed")
	}()
	newAssets(t).Path("ap.css")
}
