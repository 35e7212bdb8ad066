package web

import (
	"errors"
	"net/http"

	"onlyonce/internal/invalid"
	"onlyonce/internal/people/account"
	"onlyonce/templates"
)

// account is where everybody who is logged in changes their own password.
func (s *Server) account(pages router) {
	pages.mux, pages.needs = pages.mux.With(keepNothing), account.ReadOnly
	pages.read("/account", s.showAccount)
	byUser := func(r *http.Request) (string, error) { return Principal(r).User.String(), nil }
	pages.mux = pages.mux.With(s.limitBy("passwords of", 10, byUser, s.FailHTML))
	pages.natural("/account", "having a password is a state", s.changePassword)
}

func (s *Server) showAccount(w http.ResponseWriter, r *http.Request) error {
	return s.accountPage(w, r, http.StatusOK, nil)
}

// changePassword replaces the password of a user who knows the old one. Other sessions end, and this one stays.
func (s *Server) changePassword(w http.ResponseWriter, r *http.Request) error {
	if err := ParseForm(r); err != nil {
		return err
	}
	if formOwner(r) != owner(r) {
		return errOtherTenant
	}
	var generation int
	err := s.withPassword(r.Context(), func() (err error) {
		generation, err = account.ChangePassword(
			r.Context(), s.Pool, Principal(r), r.PostForm.Get("password"), r.PostForm.Get("new_password"))
		return err
	})
	wrong, refused := errors.AsType[*invalid.Error](err)
	switch {
	case errors.Is(err, account.ErrUnknown):
		wrong = &invalid.Error{Fields: []invalid.Field{{Pointer: "/password", Message: "This is not your current password."}}}
		return s.accountPage(w, r, http.StatusUnprocessableEntity, wrong)
	case refused:
		return s.accountPage(w, r, http.StatusUnprocessableEntity, wrong)
	case err != nil:
		return err
	}
	s.sessions.Put(r.Context(), sessionGeneration, generation)
	if err := s.saveSession(w, r); err != nil {
		return err
	}
	s.setFlash(w, "/account", passwordChanged, "")
	return SeeOther(w, r, "/account")
}

const passwordChanged = "password-changed"

func (s *Server) accountPage(w http.ResponseWriter, r *http.Request, status int, wrong *invalid.Error) error {
	who := Principal(r)
	p := s.Page(w, r)
	if p.Flash == passwordChanged {
		p.Flash = "Your password was changed. You are logged out everywhere else."
	}
	v := templates.Account{
		Owner: owner(r), MinPassword: account.MinPassword,
		Facts: []templates.Fact{
			{Label: "Email", Value: who.Name}, {Label: "Business", Value: who.TenantName},
			{Label: "Role", Value: Capital(string(who.Role))},
		},
	}
	if wrong != nil {
		v.Errors = fieldErrors(wrong)
	}
	return s.Render(w, r, status, templates.AccountPage(p, v))
}
