package peoplepages

import (
	"net/http"
	"net/url"

	"github.com/a-h/templ"

	"onlyonce/internal/people/account"
	"onlyonce/internal/people/secret"
	"onlyonce/internal/people/signup"
	"onlyonce/internal/web"
	"onlyonce/templates"
	"onlyonce/templates/peopleviews"
)

// mountSignUps mounts the resource of package signup, for people without a login.
func (s *pages) mountSignUps() {
	strangers := s.site.Strangers("sign-up")
	m := web.Resource[signup.SignUp]{
		One: "sign-up", Path: "/sign-ups", Table: signup.Table, Rules: signup.Rules(),
		Name: func(signup.SignUp) string { return "your sign-up" },
		ShownAt: func(u signup.SignUp) string {
			if u.StartedAt.IsZero() {
				return "/sign-ups/" + u.ID.String()
			}
			return "/login?" + peopleviews.ReadyField
		},
	}.Mount(strangers)
	draft := web.NewForm(m, signup.Input.Draft, web.Form[signup.SignUp]{
		Fields: []templates.Field{{Name: "email", Value: "Email"}},
		Page: func(_ *http.Request, p templates.Page, f templates.Form) (templ.Component, error) {
			f.Cancel = "/login"
			return peopleviews.SignUpForm(p, f), nil
		},
		Words: &web.Wording{Title: "Sign up", Submit: "Email a link", Did: "began", Does: "begins", Again: "Email another link"},
	})
	check := draft.Form
	draft.Form = func(r *http.Request) (signup.Draft, error) {
		d, err := check(r)
		d.Seed = secret.FromKey(s.config.Key)
		return d, err
	}
	web.Create(m, "", signup.Ask, draft, nil)
	strangers.Read("/sign-ups/{id}", func(w http.ResponseWriter, r *http.Request) error {
		found, err := m.Find(r)
		if err != nil {
			return err
		}
		v := peopleviews.SignUpSent{Email: found.Email}
		if s.config.ShowsLinks {
			if v.Link, err = signup.LastLink(r.Context(), s.site.Pool, secret.FromKey(s.config.Key), found.ID); err != nil {
				return err
			}
		}
		return s.site.Render(w, r, http.StatusOK, peopleviews.SignUpSentPage(s.site.Page(w, r), v))
	})
	web.Transition(m, "start", "started", "", signup.Start, web.Command[signup.Business]{
		Form: func(r *http.Request) (signup.Business, error) { return s.business(m, r) },
	}, &signup.LinkOver, &signup.AccountExists)
	web.Ask(m, "start", signup.Start, web.Question[signup.SignUp]{
		Submit: "Create business",
		Fields: []templates.Field{{Name: "business", Value: "Name of your business"}, {Name: "name", Value: "Your name"}},
		Fresh: func(r *http.Request, u signup.SignUp) (url.Values, error) {
			return url.Values{}, s.hasLink(r, u, r.URL.Query().Get(signup.Parameter))
		},
		Page: func(r *http.Request, p templates.Page, f templates.Form, u signup.SignUp) (templ.Component, error) {
			link := r.URL.Query().Get(signup.Parameter)
			if link == "" {
				link = r.PostForm.Get(signup.Parameter)
			}
			f.Title, f.Cancel = "Create your business", ""
			return peopleviews.SignUpBusinessPage(p, peopleviews.SignUpBusiness{
				Form: f, Email: u.Email, Link: link, Started: !u.StartedAt.IsZero(), MinPassword: account.MinPassword,
			}), nil
		},
	})
}

// business returns the command of a form that begins a business. The password is hashed only for a sign-up that is open, by a person who
// has its link.
func (s *pages) business(m *web.Mounted[signup.SignUp], r *http.Request) (signup.Business, error) {
	typed := signup.Typed{
		Link: r.PostForm.Get(signup.Parameter), Business: r.PostForm.Get("business"), Name: r.PostForm.Get("name"),
		Password: r.PostForm.Get(templates.PasswordField), TimeZone: r.PostForm.Get(peopleviews.TimeZoneField),
	}
	found, err := m.Find(r)
	if err == nil {
		err = s.hasLink(r, found, typed.Link)
	}
	if err != nil || !found.StartedAt.IsZero() {
		return signup.Business{}, err
	}
	b, err := typed.Check()
	if err != nil {
		return b, err
	}
	b.Demo = len(s.config.Demo) > 0
	err = s.withPassword(r.Context(), func() (err error) {
		b.PasswordHash, err = account.HashPassword(typed.Password)
		return err
	})
	return b, err
}

// hasLink returns an error unless the person has the link of a sign-up.
func (s *pages) hasLink(r *http.Request, u signup.SignUp, link string) error {
	has, err := signup.HasLink(r.Context(), s.site.Pool, u.ID, link)
	if err == nil && !has {
		err = signup.LinkIsOver()
	}
	return err
}
