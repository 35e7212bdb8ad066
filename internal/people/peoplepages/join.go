package peoplepages

import (
	"errors"
	"net/http"
	"time"

	"onlyonce/internal/invalid"
	"onlyonce/internal/people/account"
	links "onlyonce/internal/people/link"
	"onlyonce/internal/value/email"
	"onlyonce/internal/web"
	"onlyonce/templates"
	"onlyonce/templates/peopleviews"
)

// keepNothing keeps every answer about a secret out of caches.
func keepNothing(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Cache-Control", web.NoStore)
		next.ServeHTTP(w, r)
	})
}

// showJoin shows the form behind a link to choose a password.
func (s *pages) showJoin(w http.ResponseWriter, r *http.Request) error {
	return s.joinPage(w, r, http.StatusOK, r.URL.Query().Get(links.Parameter), nil)
}

// join sets the password of a link's user, and logs the user in.
func (s *pages) join(w http.ResponseWriter, r *http.Request) error {
	if err := web.ParseForm(r); err != nil {
		return err
	}
	link := r.PostForm.Get(peopleviews.LinkField)
	if s.plainHTTP(r) != nil {
		return s.joinPage(w, r, http.StatusForbidden, link, nil)
	}
	var p account.Principal
	invited, err := account.FindLink(r.Context(), s.site.Pool, link)
	if err == nil {
		err = s.countGuess(w, r, invited.Email) // a link that was used checks a password, as a login does
	}
	if err == nil {
		err = s.withPassword(r.Context(), func() (err error) {
			p, err = account.UseLink(r.Context(), s.site.Pool, link, r.PostForm.Get("password"))
			return err
		})
	}
	wrong, refused := errors.AsType[*invalid.Error](err)
	switch {
	case refused:
		return s.joinPage(w, r, http.StatusUnprocessableEntity, link, wrong)
	case errors.Is(err, account.ErrUnknown), err == nil && !s.admits(p):
		return s.site.Render(w, r, http.StatusNotFound, peopleviews.JoinPage(s.site.Page(w, r), peopleviews.Join{}))
	case err != nil:
		return err
	}
	if err := s.begin(w, r, p); err != nil {
		return err
	}
	return s.site.SeeOther(w, r, "/")
}

// joinPage shows the form, or that the link is good for nothing.
func (s *pages) joinPage(w http.ResponseWriter, r *http.Request, status int, link string, wrong *invalid.Error) error {
	invited, err := account.FindLink(r.Context(), s.site.Pool, link)
	v := peopleviews.Join{
		Link: link, Email: invited.Email, Tenant: invited.TenantName, MinPassword: account.MinPassword, PlainHTTP: s.plainHTTP(r),
	}
	switch {
	case errors.Is(err, account.ErrUnknown), err == nil && invited.Used, err == nil && invited.Demo && len(s.config.Demo) == 0:
		status, v = http.StatusNotFound, peopleviews.Join{}
	case err != nil:
		return err
	}
	if wrong != nil {
		v.Errors = fieldErrors(wrong)
	}
	return s.site.Render(w, r, status, peopleviews.JoinPage(s.site.Page(w, r), v))
}

// fieldErrors are errors of a form whose fields have the names of the command's.
func fieldErrors(wrong *invalid.Error) (errs templates.FieldErrors) {
	for _, f := range wrong.Fields {
		errs = append(errs, templates.FieldError{Control: f.Pointer[1:], Message: f.Message})
	}
	return errs
}

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
	return s.site.SeeOther(w, r, "/forgot?asked")
}

func (s *pages) forgotPage(w http.ResponseWriter, r *http.Request, status int, v peopleviews.Forgot) error {
	v.NoMail = !s.canMail()
	return s.site.Render(w, r, status, peopleviews.ForgotPage(s.site.Page(w, r), v))
}
