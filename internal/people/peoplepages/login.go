package peoplepages

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/google/uuid"

	"onlyonce/internal/people/account"
	"onlyonce/internal/web"
	"onlyonce/templates"
	"onlyonce/templates/peopleviews"
)

// mountLogins mounts the pages to log in, and those of the account of who is logged in.
func (s *pages) mountLogins() {
	s.site.Authenticate(web.Logins{
		Cookie: s.sessions.Cookie.Name, Demo: len(s.config.Demo) > 0, Session: s.identify, Token: s.tokenCaller,
		OtherTenant: web.Explanation{
			Title: "Form of another business",
			Meaning: "The form was opened for one business and sent for another. Nothing was saved. This happens with forms only; " +
				"the API goes by the token.",
			ToDo: "Log in as the first business again and send the form once more, or confirm that you want it for the other one.",
		},
		OwnersOnly: web.Explanation{
			Title: "Only owners can open this page",
			Meaning: "People, API tokens, attempts and the file with all data are for owners only, and there's no API for them. " +
				"Nothing was saved.",
			ToDo: "Ask an owner to do it for you.",
		},
		Strangers:  account.Strangers,
		Promotion:  "Ask an owner of the business to make you a member, or a member to do it.",
		TokensFrom: "Owners of a business make and revoke tokens on its pages, under Settings; no token can.",
	})
	public := s.site.Public()
	public.Read("/login", s.showLogin)
	public.With(s.site.LimitAddress("login")).Natural("/login", "being logged in is a state; the old session is replaced", s.logIn)
	public.Read("/logged-out.css", s.clearCaches)
	public.Natural("/logout", "being logged out is a state", s.logOut)

	join := public.With(keepNothing, s.site.LimitAddress("join"))
	join.Read("/join", s.showJoin)
	join.Natural("/join", "having the password that was chosen is a state; a link is used once", s.join)

	forgot := public.With(s.site.LimitAddress("forgot"))
	forgot.Read("/forgot", s.showForgot)
	forgot.Natural("/forgot", "a link is mailed once in ten minutes, and one that is open is mailed again", s.askLink)

	own := s.site.Everybody().With(keepNothing)
	own.Read("/account", s.showAccount)
	own.Natural("/account", "having a password is a state", s.changePassword)
	own.Natural("/account/sessions", "a session that is over stays over", s.endSessions)
}

func (s *pages) showLogin(w http.ResponseWriter, r *http.Request) error {
	next := localPath(r.URL.Query().Get(templates.NextField))
	if web.Principal(r).Tenant != uuid.Nil && !r.URL.Query().Has("switch") {
		return s.site.SeeOther(w, r, next)
	}
	return s.site.Render(w, r, http.StatusOK, peopleviews.LoginPage(s.site.Page(w, r), peopleviews.Login{
		Next: next, Demo: s.config.Demo, WayIn: s.wayIn(r.Context()), LoggedOut: r.URL.Query().Has("logged-out"),
		Kept: r.URL.Query().Has(peopleviews.KeptField), PlainHTTP: s.plainHTTP(r), SignUp: s.config.SignUp,
		Ready: r.URL.Query().Has(peopleviews.ReadyField),
	}))
}

// plainHTTP returns an explanation if the browser would not keep the session cookie, and nil if it would. The cookie is Secure, and a
// browser that accepts such a cookie here sends Sec-Fetch-Site too: over HTTPS, and on localhost over HTTP. Old browsers never send
// it. The Origin of their forms names the scheme; before a form is sent, HTTPS is assumed if there is a proxy.
func (s *pages) plainHTTP(r *http.Request) *peopleviews.PlainHTTP {
	here := r.Header.Get("Origin")
	if here == "" && r.Method == http.MethodGet && r.Header.Get("X-Forwarded-For") == "" {
		here = "http://" + r.Host
	}
	if !s.site.Secure || r.Header.Get("Sec-Fetch-Site") != "" || !strings.HasPrefix(here, "http://") {
		return nil
	}
	return &peopleviews.PlainHTTP{Outside: s.site.Origin + s.site.Path, Here: here}
}

// wayIn returns the commands that create the first user, or nil if there is one or strangers may sign up. The page is also shown without a
// database.
func (s *pages) wayIn(ctx context.Context) []string {
	if len(s.config.Demo) > 0 || s.config.SignUp {
		return nil
	}
	found, err := account.AnyUser(ctx, s.site.Pool)
	if err != nil {
		s.site.Log.WarnContext(ctx, "the login page does not know whether there are users", "error", err)
	}
	if found || err != nil {
		return nil
	}
	return peopleviews.WayIn(s.config.Command)
}

func (s *pages) logIn(w http.ResponseWriter, r *http.Request) error {
	if err := web.ParseForm(r); err != nil {
		return err
	}
	email, next := r.PostForm.Get(templates.EmailField), localPath(r.PostForm.Get(templates.NextField))
	if plain := s.plainHTTP(r); plain != nil {
		return s.site.Render(w, r, http.StatusForbidden, peopleviews.LoginPage(s.site.Page(w, r), peopleviews.Login{
			Email: email, Next: next, Demo: s.config.Demo, Kept: r.PostForm.Has(peopleviews.KeptField), PlainHTTP: plain,
			SignUp: s.config.SignUp,
		}))
	}
	if err := s.countGuess(w, r, email); err != nil {
		return err
	}
	var p account.Principal
	err := s.withPassword(r.Context(), func() (err error) {
		p, err = account.LogIn(r.Context(), s.site.Pool, email, r.PostForm.Get(templates.PasswordField))
		return err
	})
	if errors.Is(err, account.ErrUnknown) || err == nil && !s.admits(p) {
		return s.site.Render(w, r, http.StatusUnprocessableEntity, peopleviews.LoginPage(s.site.Page(w, r), peopleviews.Login{
			Email: email, Next: next, Demo: s.config.Demo, Error: "Email or password is incorrect.",
			Kept: r.PostForm.Has(peopleviews.KeptField), SignUp: s.config.SignUp,
		}))
	}
	if err != nil {
		return err
	}
	if err := s.begin(w, r, p); err != nil {
		return err
	}
	return s.site.SeeOther(w, r, next)
}

func (s *pages) begin(w http.ResponseWriter, r *http.Request, p account.Principal) error {
	// A new token at login defeats session fixation.
	if err := s.sessions.RenewToken(r.Context()); err != nil {
		return fmt.Errorf("renew session: %w", err)
	}
	id, err := uuid.NewV7()
	if err != nil {
		return fmt.Errorf("name session: %w", err)
	}
	s.sessions.Put(r.Context(), sessionID, id.String())
	s.sessions.Put(r.Context(), sessionDevice, deviceOf(r.UserAgent()))
	s.sessions.Put(r.Context(), sessionTenant, p.Tenant.String())
	s.sessions.Put(r.Context(), sessionTenantName, p.TenantName)
	s.sessions.Put(r.Context(), sessionUser, p.User.String())
	s.sessions.Put(r.Context(), sessionDemo, p.Demo)
	s.sessions.Put(r.Context(), sessionGeneration, p.Generation)
	return s.saveSession(w, r.WithContext(begun(r.Context())))
}

func (s *pages) logOut(w http.ResponseWriter, r *http.Request) error {
	if err := s.sessions.Destroy(r.Context()); err != nil {
		return fmt.Errorf("end session: %w", err)
	}
	s.sessions.WriteSessionCookie(r.Context(), w, "", time.Time{})
	// Drafts in the browser, also of other users: the next user of this browser could read them.
	if s.site.Path == "" {
		w.Header().Set("Clear-Site-Data", `"storage"`)
	} else { // the header would also clear the storage of other apps on the host
		s.site.SetFlash(w, "/login", "", "*")
	}
	return s.site.SeeOther(w, r, "/login?logged-out")
}

// clearCaches is a stylesheet without rules, which makes the browser drop every page of this site that it
// keeps: else its Back button would show them to the next person.
//
// The page that follows a logout asks for it. Sent with the answer to the logout itself, the header would
// come too early: a browser keeps the page that it leaves only once it has the next one. And a stylesheet
// holds up the page, so that people who see that they are logged out can rely on it. No script is needed.
func (s *pages) clearCaches(w http.ResponseWriter, r *http.Request) error {
	// Other sites can request it too, and would delete a user's drafts.
	if site := r.Header.Get("Sec-Fetch-Site"); site == "" || site == "same-origin" {
		w.Header().Set("Clear-Site-Data", `"cache"`)
	}
	w.Header().Set("Content-Type", "text/css")
	w.Header().Set("Cache-Control", "no-store")
	return nil
}

// guessesAMinute is the maximum number of passwords tried for one email in a minute, on the login page and with links.
const guessesAMinute = 10

// countGuess counts a password that is about to be tried for an email. It returns web.ErrTooMany if there were too many.
func (s *pages) countGuess(w http.ResponseWriter, r *http.Request, email string) error {
	if s.guesses.Exceeded(w, r, strings.ToLower(strings.TrimSpace(email))) {
		return web.ErrTooMany
	}
	return nil
}

// passwordsAtOnce is the maximum number of passwords checked at a time: each takes 19 MiB and a processor, on purpose.
const passwordsAtOnce = 4

// withPassword does work that checks passwords or makes their hashes, for few at once. It returns an error to those that
// wait too long.
func (s *pages) withPassword(ctx context.Context, work func() error) error {
	if err := web.TakePlace(ctx, s.passwords); err != nil {
		return err
	}
	defer s.passwords.Release(1)
	return work()
}

// localPath returns a path of this site, and the start page for anything that could lead elsewhere.
func localPath(next string) string {
	u, err := url.Parse(next)
	if err != nil || u.IsAbs() || u.Host != "" || !strings.HasPrefix(next, "/") || strings.HasPrefix(next, "//") ||
		strings.ContainsAny(next, "\\\r\n\t") {
		return "/"
	}
	return next
}
