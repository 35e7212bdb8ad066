package web

import (
	"net/http"
	"strconv"

	"onlyonce/internal/idempotency"
	"onlyonce/templates"
)

// Redisplay registers POSTs that show a form again as edit has changed what was typed, for people without JavaScript: /form below
// the addresses where one is created and where it is changed. Nothing is stored.
func Redisplay[R Entity](m *Mounted[R], edit func(*templates.Form) error) {
	const why = "shows the form again as it was changed; nothing is stored"
	m.pages.natural(m.createPath()+"/form", why, m.redisplay(idempotency.Create, creatingWords(m.One), edit))
	m.pages.natural(m.recordPath()+"/form", why, m.redisplay(idempotency.Change, editingWords(m.One), edit))
}

func (m *Mounted[R]) redisplay(kind idempotency.Kind, words Wording, edit func(*templates.Form) error) Handler {
	refuse := m.refuseForm(kind, words)
	return func(w http.ResponseWriter, r *http.Request) error {
		key, err := formKey(r)
		if err == nil {
			err = m.namedExists(r, kind)
		}
		if err == nil {
			err = eachOnce(r.PostForm, m.form.RepeatedFields)
		}
		if err != nil {
			return refuse(w, r, err)
		}
		f := m.newForm(r, kind, words, key)
		f.Typed = r.PostForm
		f.Version, _ = strconv.Atoi(r.PostForm.Get("version"))
		if err := edit(&f); err != nil {
			return refuse(w, r, err)
		}
		page, err := m.formPage(w, r, f)
		if err != nil {
			return err
		}
		return m.s.Render(w, r, http.StatusOK, page)
	}
}
