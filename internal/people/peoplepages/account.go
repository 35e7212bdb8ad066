package peoplepages

import (
	"errors"
	"net/http"
	"time"

	"github.com/google/uuid"

	"onlyonce/internal/invalid"
	"onlyonce/internal/people/account"
	"onlyonce/internal/web"
	"onlyonce/templates"
	"onlyonce/templates/peopleviews"
)

func (s *pages) showAccount(w http.ResponseWriter, r *http.Request) error {
	return s.accountPage(w, r, http.StatusOK, nil)
}

// changesAMinute is the maximum number of attempts of a user to change the password in a minute.
const changesAMinute = 10

// principal returns the user who is logged in.
func (s *pages) principal(r *http.Request) account.Principal {
	c := web.Principal(r)
	return account.Principal{
		Tenant: c.Tenant, TenantName: c.TenantName, Demo: c.Demo, User: c.User, Name: c.Name, Role: account.Role(c.Role),
		Generation: s.sessions.GetInt(r.Context(), sessionGeneration),
	}
}

// changePassword replaces the password of a user who knows the old one. Other sessions end, and this one stays.
func (s *pages) changePassword(w http.ResponseWriter, r *http.Request) error {
	if s.changes.Exceeded(w, r, web.Principal(r).User.String()) {
		return web.ErrTooMany
	}
	if err := web.ParseTenantForm(r); err != nil {
		return err
	}
	var generation int
	err := s.withPassword(r.Context(), func() (err error) {
		generation, err = account.ChangePassword(
			r.Context(), s.site.Pool, s.principal(r), r.PostForm.Get("password"), r.PostForm.Get("new_password"))
		return err
	})
	wrong, refused := errors.AsType[*invalid.Error](err)
	switch {
	case errors.Is(err, account.ErrUnknown):
		wrong = &invalid.Error{Fields: []invalid.Field{{Pointer: "/password", Message: "This isn't your current password."}}}
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
	s.site.SetFlash(w, "/account", passwordChanged, "")
	return s.site.SeeOther(w, r, "/account")
}

// endSessions ends one session of a user, or all but this one. Those of a demo login belong to different people.
func (s *pages) endSessions(w http.ResponseWriter, r *http.Request) error {
	if err := web.ParseTenantForm(r); err != nil {
		return err
	}
	if web.Principal(r).Demo {
		s.site.SetFlash(w, "/account", sessionsShared, "")
		return s.site.SeeOther(w, r, "/account")
	}
	if but := r.PostForm.Get(peopleviews.ButField); but != "" {
		if but != s.session(r).String() {
			return s.site.SeeOther(w, r, "/account") // a form of before another login, in another tab
		}
		if err := account.EndOtherSessions(r.Context(), s.site.Pool, s.principal(r), s.session(r)); err != nil {
			return err
		}
		s.site.SetFlash(w, "/account", sessionsEnded, "")
		return s.site.SeeOther(w, r, "/account")
	}
	id, err := uuid.Parse(r.PostForm.Get(peopleviews.SessionField))
	if err != nil {
		return web.ErrNotFound
	}
	if err := account.EndSession(r.Context(), s.site.Pool, s.principal(r), id); err != nil {
		return err
	}
	s.site.SetFlash(w, "/account", sessionEnded, "")
	return s.site.SeeOther(w, r, "/account")
}

// session is the id of the session of a request, by which its user sees it.
func (s *pages) session(r *http.Request) uuid.UUID {
	id, _ := uuid.Parse(s.sessions.GetString(r.Context(), sessionID)) // there is one if there is a user
	return id
}

// The messages that the page shows once, by their names in the flash cookie.
const (
	passwordChanged = "password-changed"
	sessionEnded    = "session-ended"
	sessionsEnded   = "sessions-ended"
	sessionsShared  = "sessions-shared"
)

var accountFlashes = map[string]string{
	passwordChanged: "Your password was changed. You are logged out everywhere else.",
	sessionEnded:    "That browser is logged out.",
	sessionsEnded:   "You are logged out everywhere else.",
	sessionsShared:  "The demo's visitors share this login, so you can't log out other browsers. They stay logged in.",
}

func (s *pages) accountPage(w http.ResponseWriter, r *http.Request, status int, wrong *invalid.Error) error {
	who := s.principal(r)
	p := s.site.Page(w, r)
	if says := accountFlashes[p.Flash]; says != "" {
		p.Flash = says
	}
	sessions, more, err := account.ListSessions(r.Context(), s.site.Pool, who, s.session(r), time.Now().Add(-sessionIdle))
	if err != nil {
		return err
	}
	v := peopleviews.Account{
		Owner: web.Tenant(r), MinPassword: account.MinPassword,
		Facts: []templates.Fact{
			{Label: "Email", Value: who.Name}, {Label: "Business", Value: who.TenantName},
			{Label: "Role", Value: web.Capital(string(who.Role))},
		},
		Session: s.session(r).String(),
	}
	for _, session := range sessions {
		v.Sessions = append(v.Sessions, peopleviews.Session{
			ID: session.ID.String(), Device: session.Device, Began: web.Moment(r, session.Began), Seen: web.Moment(r, session.Seen),
		})
	}
	if more {
		v.ListedSessions = len(sessions)
	}
	if wrong != nil {
		v.Errors = fieldErrors(wrong)
	}
	return s.site.Render(w, r, status, peopleviews.AccountPage(p, v))
}
