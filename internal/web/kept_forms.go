package web

import (
	"crypto/sha256"
	"encoding/base64"
	"net/http"
)

// keptFor names who is logged in to the script that keeps unsaved forms in their browser, static/kept-forms.js. It is
// neither an email nor an id, because it stays in the browser. It is "" where nothing may be kept: pages about secrets,
// and forms of another tenant than the one logged in.
func (m *Mounted[R]) keptFor(r *http.Request) string {
	who := Principal(r)
	if m.secret || formOwner(r) != owner(r) {
		return ""
	}
	sum := sha256.Sum256([]byte("kept forms\x00" + who.Tenant.String() + "\x00" + who.User.String()))
	return base64.RawURLEncoding.EncodeToString(sum[:16])
}
