package e2e

import (
	"crypto/hmac"
	"crypto/sha1"
	"encoding/base32"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/playwright-community/playwright-go"

	"onlyonce/e2e/servers"
	"onlyonce/internal/assert"
	"onlyonce/internal/must"
)

// given is an existing login, in place of a login form: a cookie of single sign-on, or the state of a browser.
type given struct {
	Cookies map[string]string `json:"cookies,omitempty"` // by name; each value is $NAME
	Headers map[string]string `json:"headers,omitempty"` // of all requests to the app; each value is $NAME
	State   string            `json:"state,omitempty"`   // a file with Playwright's storage state, beside the description
}

// noSecret refuses a value that is not a variable of the environment.
func noSecret(of, value string) error {
	if !variable.MatchString(value) {
		return fmt.Errorf("the %s is a secret, which has no place in a file: write $NAME and set the variable", of)
	}
	return nil
}

// storage returns the state of a browser with this login. The description is in a directory.
func (g *given) storage(address, directory string) (*playwright.OptionalStorageState, error) {
	state := &playwright.OptionalStorageState{}
	if g.State != "" {
		text, err := os.ReadFile(filepath.Join(directory, g.State))
		if err != nil {
			return nil, fmt.Errorf("read session.state: %w", err)
		}
		if err := json.Unmarshal(text, state); err != nil {
			return nil, fmt.Errorf("read session.state: %w", err)
		}
	}
	for name, value := range g.Headers {
		if err := noSecret("header "+name, value); err != nil {
			return nil, err
		}
	}
	for name, value := range g.Cookies {
		if err := noSecret("cookie "+name, value); err != nil {
			return nil, err
		}
		state.Cookies = append(state.Cookies, playwright.OptionalCookie{Name: name, Value: expand(value), URL: &address})
	}
	return state, nil
}

// logIn logs in, unless a window has done so before, and keeps the state of the browser for the next ones.
func (v *visitor) logIn() {
	v.t.Helper()
	login := v.app.Login
	if login == nil || v.app.state != nil {
		return
	}
	if v.app.own != nil && deployed() != nil {
		v.login()
	} else {
		v.open(login.Path)
		v.closeBanner()
		v.fillInLogin()
		v.afterLogin = fmt.Sprintf("; after the login, %s has the text %q", v.short(v.page.URL()), v.words())
	}
	state, err := v.browser.StorageState()
	v.check(err, "keep the login")
	v.app.state = state.ToOptionalStorageState()
}

func (v *visitor) fillInLogin() {
	v.t.Helper()
	for _, page := range append(v.app.Login.First, formPage{v.app.Login.Fields, v.app.Login.Button}) {
		v.fillIn(page.Fields)
		v.clickAway(page.Button)
	}
}

// expiredLogin sends the form without a login, logs in, and sends it again unless the app has done so and shows the record.
func expiredLogin(v *visitor) {
	v.tellf(byServer, "ends the login")
	v.check(v.browser.ClearCookies(), "end the login")
	v.create()
	var all []control
	v.until("a page is there", func() (there bool) {
		var err error
		all, err = v.controls(fields) // on an error, a script has just opened another page
		return err == nil
	})
	first := append(v.app.Login.First, formPage{Fields: v.app.Login.Fields})[0].Fields[0]
	asked, _ := named(all, first.Label)
	if asked < 0 && v.told {
		v.leftOut = "since the app takes the form without its cookies"
		return
	}
	if asked < 0 {
		v.open(v.app.Login.Path)
	}
	v.told = false
	v.fillInLogin()
	if v.told && (!v.app.Count.Difference || len(v.app.SuccessText) > 0) {
		return
	}
	if !v.formIsThere() {
		v.open(v.app.Form.Path)
		v.findForm()
	}
	v.fillIn(v.app.Form.Fields)
	v.pressAgain()
	v.settle()
}

// mustBeLoggedIn fails the test if the form's address has led to the login.
func (v *visitor) mustBeLoggedIn() {
	v.t.Helper()
	login, form := v.app.Login, v.app.Form.Path
	if login != nil && place(v.page.URL()) == place(login.Path) && place(login.Path) != place(form) {
		v.t.Fatalf("the login did not work: %s leads to %s%s", form, login.Path, v.afterLogin)
	}
}

// oneTime matches a one-time password by the secret of an authenticator app, in Base32.
var oneTime = regexp.MustCompile(`\{totp:([A-Za-z2-7 ]+)=*\}`)

// totp returns the one-time password of six digits at a time. See RFC 6238.
func totp(secret string, at time.Time) (string, error) {
	key, err := base32.StdEncoding.WithPadding(base32.NoPadding).DecodeString(strings.ToUpper(strings.ReplaceAll(secret, " ", "")))
	if err != nil {
		return "", fmt.Errorf("read the secret of one-time passwords: %w", err)
	}
	hash := hmac.New(sha1.New, key)
	hash.Write(binary.BigEndian.AppendUint64(nil, uint64(at.Unix()/30)))
	sum := hash.Sum(nil)
	code := binary.BigEndian.Uint32(sum[sum[len(sum)-1]&0xf:]) & 0x7fffffff
	return fmt.Sprintf("%06d", code%1_000_000), nil
}

// TestOneTimePasswords checks the vectors of RFC 6238, appendix B.
func TestOneTimePasswords(t *testing.T) {
	secret := base32.StdEncoding.EncodeToString([]byte("12345678901234567890"))
	for at, want := range map[int64]string{59: "287082", 1111111109: "081804", 20000000000: "353130"} {
		got, err := totp(secret, time.Unix(at, 0))
		assert.Thatf(t, err == nil && got == want, "at %d: %s, %v, want %s", at, got, err, want)
	}
}

// TestSessionThatExists checks that a cookie, a header and the state of a browser are used in place of a login form.
func TestSessionThatExists(t *testing.T) {
	onlyHere(t, "it is about the suite itself")
	t.Parallel()
	another := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		name := r.Header.Get("X-User")
		assert.Thatf(t, name == "", "another host gets the header with %s", name)
	}))
	t.Cleanup(another.Close)
	for name, session := range map[string]given{
		"cookie": {Cookies: map[string]string{"name": "$E2E_TOKEN"}}, "header": {Headers: map[string]string{"X-User": "$E2E_TOKEN"}},
		"state": {State: "state.json"}, "": {},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			app := little(t, servers.Button, servers.Guarded)
			directory := t.TempDir()
			state := `{"cookies": [{"name": "name", "value": "ada", "url": "` + app.Address + `"}]}`
			err := os.WriteFile(filepath.Join(directory, "state.json"), []byte(state), 0o600)
			if err == nil {
				app.Login, app.Session = nil, &session
				app.state, err = session.storage(app.Address, directory)
			}
			must.OK(t, err)
			v := window(t, app, incident{})
			v.open(app.Form.Path)
			if loggedIn := place(v.page.URL()) == "/expenses#"; loggedIn != (name != "") {
				t.Errorf("the browser is at %s", v.page.URL())
			}
			_, err = v.page.Goto(another.URL)
			v.check(err, "open a page of another host")
		})
	}
}

// TestCommands checks that a command may have variables, and leave a server behind that keeps its output open, and that an error has its
// own message.
func TestCommands(t *testing.T) {
	t.Parallel()
	begun := time.Now()
	must.OK(t, running([]string{"sh", "-c", `[ '$E2E_EMAIL' = "$E2E_EMAIL" ] || exit 1; sleep 10 &`})())
	took := time.Since(begun)
	assert.Thatf(t, took <= 8*time.Second, "the command took %v", took)
	if out, err := run(t.Context(), []string{"sh", "-c", "sleep 30 & echo 3"}); err != nil || string(out) != "3\n" {
		t.Errorf("%q, %v", out, err)
	}
	_, err := run(t.Context(), []string{"sh", "-c", "echo no such table >&2; exit 1"})
	assert.Thatf(t, err != nil && strings.Contains(err.Error(), "no such table"), "%v", err)
}
