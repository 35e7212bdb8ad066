package web

import (
	"errors"
	"net/http"
	"net/url"
	"time"

	"github.com/a-h/templ"

	"onlyonce/internal/account"
	"onlyonce/internal/conflict"
	"onlyonce/internal/record"
	"onlyonce/internal/secret"
	"onlyonce/internal/user"
	"onlyonce/templates"
)

// users is the resource of package user, which people call people. Only owners come here, and no program does: an API
// token that leaked must not make a way in that stays when it is revoked.
func (s *Server) users(pages router) {
	m := mount(s, pages, router{}, resource[user.User]{
		one: "person", many: "people", section: "settings", secret: true, table: user.Table, name: user.User.Called,
		fields: []templates.Field{{Name: "email", Value: "Email"}, {Name: "name", Value: "Name"}, {Name: "role", Value: "Role"}},
		form: func(_ *http.Request, p templates.Page, f templates.Form) (templ.Component, error) {
			return templates.PersonForm(p, f), nil
		},
		shown: personFacts, rules: user.Rules(), asked: []*conflict.Kind{&user.EmailUnusable, &user.LastOwner},
		refused: s.countProbe,
		words: &wording{
			title: "Add a person", submit: "Add person", did: "added", does: "adds", again: "Add as a new person",
			created: "Person %s added.", replayed: "Person added. We ignored the duplicate submission and kept your first request.",
		},
	})
	draft := read(m, user.Input.Draft)
	check := draft.form
	draft.form = func(r *http.Request) (user.Draft, error) {
		if !s.mayProbe(r) {
			return user.Draft{}, errTooMany
		}
		d, err := check(r)
		d.Seed = s.seed(r)
		return d, err
	}
	lists(m, listing[user.User]{
		read: func(r *http.Request, page record.Page) (record.List[user.User], error) {
			return user.Table.List(r.Context(), s.pool, principal(r).Tenant, page, `true`, nil)
		},
		columns: []templates.Column{
			{Label: "Name", Class: "name"}, {Label: "Email", Class: "name"}, {Label: "Role", Class: "date"},
			{Label: "Login", Class: "date"},
		},
		row: func(u user.User) []string { return []string{u.Called(), u.Email, capital(u.Role), loginWord(u)} },
	})
	shows(m, "", func(r *http.Request, p templates.Page, u user.User) (templ.Component, error) {
		return s.personPage(m, r, p, u)
	})
	creates(m, "", user.Create, draft, func(*http.Request) (url.Values, error) { return url.Values{"role": {user.Member}}, nil })
	changes(m, http.MethodPut, "", user.Edit, draft)
	transitions(m, "disable", "disabled", "", user.Disable, nothing())
	transitions(m, "enable", "enabled", "", user.Enable, nothing())
	transitions(m, "invite", "invited", "", user.Invite, command[user.Invitation]{
		form: func(r *http.Request) (user.Invitation, error) { return user.Invitation{Seed: s.seed(r)}, nil },
	})
	transitions(m, "uninvite", "uninvited", "", user.Uninvite, nothing())
}

// seed is what the secrets are derived from that a request makes, or shows again.
func (s *Server) seed(r *http.Request) secret.Seed {
	return secret.FromSession(s.sessions.Token(r.Context()))
}

// probesAnHour is how often an hour a tenant is told that an email cannot be used. It could find out otherwise who else has
// an account here.
const probesAnHour = 10

func (s *Server) mayProbe(r *http.Request) bool {
	_, met, err := s.probes.Status(principal(r).Tenant.String())
	return err == nil && met < probesAnHour
}

func (s *Server) countProbe(r *http.Request, c *conflict.Error) {
	if c.Kind == &user.EmailUnusable {
		_ = s.probes.OnLimit(discarded{}, r, principal(r).Tenant.String())
	}
}

// discarded takes the headers with which a limit tells how near it is.
type discarded struct{ http.ResponseWriter }

func (discarded) Header() http.Header { return http.Header{} }

func personFacts(u user.User) []templates.Fact {
	return []templates.Fact{
		{Label: "Email", Value: u.Email}, {Label: "Role", Value: capital(u.Role)}, {Label: "Login", Value: loginState(u)},
		{Label: "Added", Value: day(u.CreatedAt)},
	}
}

// loginWord says in a word or two whether somebody can log in.
func loginWord(u user.User) string {
	switch {
	case !u.DisabledAt.IsZero():
		return "Disabled"
	case u.HasPassword:
		return "Active"
	case u.LinkOpen(time.Now()):
		return "Invited"
	default:
		return "No password"
	}
}

// loginState says whether somebody can log in.
func loginState(u user.User) string {
	open := u.LinkOpen(time.Now())
	switch {
	case !u.DisabledAt.IsZero():
		return "Disabled on " + day(u.DisabledAt)
	case u.HasPassword && open:
		return "Can log in, and has a link to choose another password"
	case u.HasPassword:
		return "Can log in"
	case open:
		return "Invited, has not chosen a password yet"
	default:
		return "Has neither a password nor a link to choose one"
	}
}

// personPage shows a person, with the link to choose a password if this session has made it.
func (s *Server) personPage(
	m *mounted[user.User], r *http.Request, p templates.Page, u user.User,
) (templ.Component, error) {
	v := templates.Person{RecordView: m.recordView(r, u)}
	if !u.DisabledAt.IsZero() {
		v.Disabled, v.Enable = day(u.DisabledAt), m.action(r, u.ID, "enable", "Enabling…")
		return templates.PersonPage(p, v), nil
	}
	v.Action = m.action(r, u.ID, "disable", "Disabling…")
	if !u.LinkOpen(time.Now()) {
		v.Invite = button(r, "New link", "Making a link…", m.href(u.ID)+"/invite")
		return templates.PersonPage(p, v), nil
	}
	v.Until = moment(u.LinkUntil)
	v.Uninvite = button(r, "Withdraw link", "Withdrawing…", m.href(u.ID)+"/uninvite")
	link := user.Invitation{Seed: s.seed(r)}.Secret(u)
	invited, err := account.FindLink(r.Context(), s.pool, link)
	switch {
	case err == nil && invited.Email == u.Email:
		v.Link = s.address(r) + "/join?" + url.Values{"link": {link}}.Encode()
	case err != nil && !errors.Is(err, account.ErrUnknown): // which is one that another session has made
		return nil, err
	}
	return templates.PersonPage(p, v), nil
}
