package peoplepages

import (
	"net/http"
	"time"

	"onlyonce/internal/value/email"
	"onlyonce/internal/web"
	"onlyonce/templates"
	"onlyonce/templates/peopleviews"
)

// canMail reports whether links to choose a password can be mailed.
func (s *pages) canMail() bool { return s.config.Forgot != nil }

// linksAMinute is the maximum number of links requested for one email in a minute.
const linksAMinute = 5

// forgotTakes is the duration of every answer, so that it doesn't reveal which emails exist. The work for an existing one takes some
// milliseconds.
const forgotTakes = 500 * time.Millisecond

// showForgot shows the form of who has forgotten the password.
func (s *pages) showForgot(w http.ResponseWriter, r *http.Request) error {
	return s.forgotPage(w, r, http.StatusOK, peopleviews.Forgot{Asked: r.URL.Query().Has("asked")})
}

// askLink mails a link to the user with an email, and answers the same for an unknown email.
func (s *pages) askLink(w http.ResponseWriter, r *http.Request) error {
	if err := web.ParseForm(r); err != nil {
		return err
	}
	typed := r.PostForm.Get("email")
	address := email.Typed(typed)
	if problem := address.Problem(); problem != "" {
		return s.forgotPage(w, r, http.StatusUnprocessableEntity, peopleviews.Forgot{
			Email: typed, Errors: templates.FieldErrors{{Control: "email", Message: problem}},
		})
	}
	if !s.canMail() {
		return s.forgotPage(w, r, http.StatusOK, peopleviews.Forgot{})
	}
	if s.forgets.Exceeded(w, r, address.Folded()) {
		return web.ErrTooMany
	}
	answer := time.After(forgotTakes)
	if err := s.config.Forgot(r.Context(), address.Folded()); err != nil {
		return err
	}
	select {
	case <-answer:
	case <-r.Context().Done():
	}
	return s.SeeOther(w, r, "/forgot?asked")
}

func (s *pages) forgotPage(w http.ResponseWriter, r *http.Request, status int, v peopleviews.Forgot) error {
	v.NoMail = !s.canMail()
	return s.Render(w, r, status, peopleviews.ForgotPage(s.Page(w, r), v))
}
