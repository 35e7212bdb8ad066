package web

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"net/http"
	"net/url"
	"path"
	"strconv"
	"strings"

	"github.com/google/uuid"

	"onlyonce/internal/idempotency"
	"onlyonce/templates"
)

// newForm is the form of an operation before anything is known of its fields.
func (m *resource) newForm(r *http.Request, kind idempotency.Kind, words Wording, key idempotency.Key) templates.Form {
	f := templates.Form{
		Title: words.Title, Submit: words.Submit, One: m.one, Key: key.String(), Owner: formOwner(r), KeptFor: m.keptFor(r),
		Action: m.createURL(r), HasFiles: len(m.form.Files) > 0,
	}
	f.Href, f.Cancel = f.Action+"/new", f.Action
	if m.parentExists != nil {
		f.Cancel = path.Dir(f.Action)
	}
	if kind.Changes() {
		f.Cancel = path.Dir(r.URL.Path)
		f.Action, f.Href = f.Cancel+"/edit", f.Cancel+"/edit"
	}
	if m.redisplays {
		f.LinesHref = strings.TrimSuffix(f.Action, "/edit") + "/form"
	}
	if kind == idempotency.Transition {
		f.Action, f.Href, f.LinesHref = r.URL.Path, r.URL.Path, ""
	}
	return f
}

// used reports whether an intent was carried out, and on which record.
type used func(ctx context.Context, s *idempotency.Store, tenant uuid.UUID, key idempotency.Key) (uuid.UUID, bool, error)

// openNew shows a new form.
func (m *resource) openNew(words Wording, used used, fresh func(*http.Request) (url.Values, error)) Handler {
	return m.open(idempotency.Create, used, func(r *http.Request, key idempotency.Key) (f templates.Form, err error) {
		f = m.newForm(r, idempotency.Create, words, key)
		f.Typed, err = fresh(r)
		return f, err
	}, func(r *http.Request, existing templates.Record) templates.FormUsed {
		return templates.FormUsed{
			Text: "This form already " + words.Did, Existing: existing,
			More:  "A form " + words.Does + " one " + m.one + ", however often it is opened or sent.",
			Again: templates.Link{Text: words.Title, Href: m.createURL(r) + "/new"},
		}
	})
}

// openEdit shows the form with a record in it.
func (m *resource) openEdit(words Wording, used used) Handler {
	return m.open(idempotency.Change, used, func(r *http.Request, key idempotency.Key) (templates.Form, error) {
		found, err := m.find(r)
		if err == nil && m.form.Final != nil {
			err = m.form.Final(found)
		}
		if err != nil {
			return templates.Form{}, err
		}
		f := m.newForm(r, idempotency.Change, words, key)
		_, f.Version = found.Identity()
		f.Typed = m.fill(found)
		f.SavedFiles = map[string]bool{}
		for name := range m.form.Files { // none is chosen yet
			f.SavedFiles[name] = f.Typed.Get(name) != ""
			f.Typed.Del(name)
		}
		return f, nil
	}, func(_ *http.Request, existing templates.Record) templates.FormUsed {
		return templates.FormUsed{
			Text: "This form already saved changes to", Existing: existing,
			More:  "A form is saved once, however often you open or send it.",
			Again: templates.Link{Text: "Edit again", Href: existing.Href + "/edit"},
		}
	})
}

// fill returns the form fields of a record.
func (m *resource) fill(found Entity) url.Values {
	if m.form.Fill != nil {
		return m.form.Fill(found)
	}
	shown := map[string]json.RawMessage{}
	if text, err := json.Marshal(m.view(found)); err == nil {
		_ = json.Unmarshal(text, &shown) // it is an object, and was just encoded
	}
	typed := url.Values{}
	for _, f := range m.form.Fields {
		typed.Set(f.Name, m.plain(f.Name, shown[f.Name]))
	}
	fillLines(typed, m.form.Lines, shown[m.form.Lines.Name])
	return typed
}

// open shows a form under a new key, which the address keeps through refresh, Back, duplicated tabs and restored sessions. An address
// without a key gets a new one.
func (m *resource) open(kind idempotency.Kind, used used, form func(*http.Request, idempotency.Key) (templates.Form, error),
	wasUsed func(*http.Request, templates.Record) templates.FormUsed) Handler {
	return func(w http.ResponseWriter, r *http.Request) error {
		if err := m.namedExists(r, kind); err != nil { // also at a bare address, which would lead to nowhere
			return err
		}
		query := r.URL.Query()
		key, err := idempotency.ParseKey(query.Get("key"))
		if err != nil {
			query.Set("key", idempotency.NewKey().String())
			return m.s.SeeOther(w, r, (&url.URL{Path: r.URL.Path, RawQuery: query.Encode()}).String())
		}
		id, done, err := used(r.Context(), m.s.Store, Principal(r).Tenant, key)
		if err != nil {
			return err
		}
		if done {
			existing, err := m.existing(r, id)
			if err != nil {
				return err
			}
			page := m.s.Page(w, r)
			page.Done = key.String()
			return m.s.Render(w, r, http.StatusOK, templates.FormUsedPage(page, wasUsed(r, existing)))
		}
		f, err := form(r, key)
		if err != nil {
			return err
		}
		page, err := m.formPage(w, r, f)
		if err != nil {
			return err
		}
		return m.s.Render(w, r, http.StatusOK, page)
	}
}

// keptFor returns an opaque name of the user for the script that keeps unsaved forms in the browser, static/kept-forms.js. It is neither an
// email nor an id, because it stays in the browser. It is "" where nothing may be kept: on pages with secrets, for people
// without a login, and for forms of another tenant than the one logged in.
func (m *resource) keptFor(r *http.Request) string {
	who := Principal(r)
	if m.secret || m.strangers || formOwner(r) != Tenant(r) {
		return ""
	}
	sum := sha256.Sum256([]byte("kept forms\x00" + who.Tenant.String() + "\x00" + who.User.String()))
	return base64.RawURLEncoding.EncodeToString(sum[:16])
}

// Redisplay registers POSTs that show a form again with edit applied to its fields, for browsers without JavaScript: /form below the
// addresses of the create and the edit form. edit is nil for a form that only searches for references. Nothing is stored. The script
// restores kept lines through them, without an edit.
func Redisplay[R Entity](m *Mounted[R], edit func(*templates.Form) error) {
	const why = "shows the form again as it was changed; nothing is stored"
	of := m.untyped
	of.redisplays = true
	of.pages.natural(of.createPath()+"/form", why, of.redisplay(idempotency.Create, of.creating(), edit))
	of.pages.natural(of.recordPath()+"/form", why, of.redisplay(idempotency.Change, editingWords(of.one), edit))
}

func (m *resource) redisplay(kind idempotency.Kind, words Wording, edit func(*templates.Form) error) Handler {
	refuseForm := m.refuseForm(kind, words)
	return func(w http.ResponseWriter, r *http.Request) error {
		key, err := formKey(r)
		if err == nil {
			err = m.namedExists(r, kind)
		}
		if err == nil {
			err = eachOnce(r.PostForm, m.form.RepeatedFields)
		}
		if err != nil {
			return refuseForm(w, r, err)
		}
		f := m.newForm(r, kind, words, key)
		f.Typed = r.PostForm
		f.Version, _ = strconv.Atoi(r.PostForm.Get(templates.VersionField))
		if field, is := strings.CutPrefix(f.Typed.Get(templates.RedisplayField), templates.FindRecord); is {
			f.Focus = field
		}
		if edit != nil {
			if err := edit(&f); err != nil {
				return refuseForm(w, r, err)
			}
		}
		page, err := m.formPage(w, r, f)
		if err != nil {
			return err
		}
		return m.s.Render(w, r, http.StatusOK, page)
	}
}

// Action is the button for a transition of a record, or the way to the page that asks before it.
func Action[R Entity](m *Mounted[R], r *http.Request, id uuid.UUID, verb string) templates.Action {
	return m.untyped.action(r, id, verb)
}

func (m *resource) action(r *http.Request, id uuid.UUID, verb string) templates.Action {
	if m.questions[verb] != nil {
		return m.asked(r, id, verb, nil)
	}
	busy := "Saving…"
	for _, t := range m.transitions {
		if stem, regular := strings.CutSuffix(t[1], "ed"); t[0] == verb && regular {
			busy = Capital(stem) + "ing…"
		}
	}
	return Button(r, Capital(verb), busy, m.url(id)+"/"+verb)
}

// mayChange reports whether who makes a request may change what belongs to the tenant: others see no buttons for it.
func mayChange(r *http.Request) bool { return Principal(r).Role.May(Member) }

// FormHref is the address of a form, or "" for those who may not open it.
func FormHref(r *http.Request, href string) string {
	if !mayChange(r) {
		return ""
	}
	return href
}

// Button returns a form without fields under a new key. It is zero, and not shown, for read-only users.
func Button(r *http.Request, text, busy, href string) templates.Action {
	if !mayChange(r) {
		return templates.Action{}
	}
	return templates.Action{Text: text, Busy: busy, Href: href, Key: idempotency.NewKey().String(), Owner: Tenant(r)}
}
