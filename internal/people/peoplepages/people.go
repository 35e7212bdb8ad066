package peoplepages

import (
	"errors"
	"net/http"
	"net/url"
	"time"

	"github.com/a-h/templ"

	"onlyonce/internal/conflict"
	"onlyonce/internal/mailer"
	"onlyonce/internal/people/account"
	"onlyonce/internal/people/link"
	"onlyonce/internal/people/secret"
	"onlyonce/internal/people/user"
	"onlyonce/internal/record"
	"onlyonce/internal/web"
	"onlyonce/templates"
	"onlyonce/templates/peopleviews"
)

// sendField is the name of the button that also emails the link.
const sendField = "send"

// mountPeople mounts the resource of package user. Only owners have access, and no API tokens: a leaked token must not create an access
// that outlives it.
func (s *pages) mountPeople(owners *web.Site) {
	m := web.Resource[user.User]{
		One: "person", Path: "/people", Table: user.Table, Name: user.User.Called,
		Rules: user.Rules(), AsksPeople: []*conflict.Kind{&user.EmailUnusable, &user.LastOwner},
	}.Mount(owners)
	s.people = m
	draft := web.NewForm(m, user.Input.Draft, web.Form[user.User]{
		Fields: []templates.Field{{Name: "email", Value: "Email"}, {Name: "name", Value: "Name"}, {Name: "role", Value: "Role"}},
		Page: func(r *http.Request, p templates.Page, f templates.Form) (templ.Component, error) {
			if f.Version == 0 && s.mailsLinks(r) {
				f.Also = templates.Submit{Text: "Add and email a link", Name: sendField, Value: "true"}
			}
			return peopleviews.PersonForm(p, f), nil
		},
		OnConflict: s.countProbe,
		Words: &web.Wording{
			Title: "Add a person", Submit: "Add person", Did: "added", Does: "adds", Again: "Add as a new person",
			Created: "Person %s added.", Replayed: "Person added. We ignored the duplicate submission and kept your first request.",
		},
	})
	check := draft.Form
	draft.Form = func(r *http.Request) (user.Draft, error) {
		if _, met, err := s.probes.Status(web.Principal(r).Tenant.String()); err != nil || met >= probesAnHour {
			return user.Draft{}, web.ErrTooMany
		}
		d, err := check(r)
		d.Invitation = s.invitation(r)
		return d, err
	}
	web.List(m, web.Listing[user.User]{
		Read: func(r *http.Request, page record.Page) (record.List[user.User], error) {
			return record.ListBy(r.Context(), s.site.Pool, user.Table, web.Principal(r).Tenant, page, `true`, nil)
		},
		Columns: []templates.Column{
			{Label: "Name", Class: "name"}, {Label: "Email", Class: "name"}, {Label: "Role", Class: "date"},
			{Label: "Login", Class: "date"},
		},
		Row: func(r *http.Request, u user.User) []string {
			return []string{u.Called(), u.Email, web.Capital(u.Role), loginWord(u)}
		},
	})
	web.Show(m, web.RecordPage[user.User]{
		Facts: personFacts, Page: s.personPage,
		Actions: func(u user.User) (verbs []string) {
			if u.DisabledAt.IsZero() {
				verbs = []string{"disable"}
			}
			return verbs
		},
	})
	web.Create(m, "", user.Create, draft, func(*http.Request) (url.Values, error) {
		return url.Values{"role": {string(account.Member)}}, nil
	})
	web.Change(m, http.MethodPut, "", user.Edit, draft)
	web.Transition(m, "disable", "disabled", "", user.Disable, web.Nothing())
	web.Transition(m, "enable", "enabled", "", user.Enable, web.Nothing())
	web.Transition(m, "invite", "invited", "", user.Invite, web.Command[user.Invitation]{
		Form: func(r *http.Request) (user.Invitation, error) { return s.invitation(r), nil },
	})
	web.Transition(m, "uninvite", "uninvited", "", user.Uninvite, web.Nothing())
}

// invitation returns the link's part of a form. The seed is derived from the program's key if it has one, and otherwise from the session.
func (s *pages) invitation(r *http.Request) user.Invitation {
	if s.config.Key.IsZero() {
		return user.Invitation{Seed: secret.FromSession(string(web.Principal(r).Secret))}
	}
	return user.Invitation{Seed: secret.FromKey(s.config.Key), Send: r.PostFormValue(sendField) == "true" && s.mailsLinks(r)}
}

// mailsLinks reports whether links of the tenant can be mailed. The demo sends no mails.
func (s *pages) mailsLinks(r *http.Request) bool { return s.canMail() && !web.Principal(r).Demo }

// probesAnHour is the maximum number of answers in an hour by which a tenant learns that an email can't be used. More would let it find out
// who has an account elsewhere.
const probesAnHour = 10

func (s *pages) countProbe(r *http.Request, c *conflict.Error) {
	if c.Kind == &user.EmailUnusable {
		_ = s.probes.OnLimit(discarded{}, r, web.Principal(r).Tenant.String())
	}
}

// discarded drops the headers that report the remaining limit.
type discarded struct{ http.ResponseWriter }

func (discarded) Header() http.Header { return http.Header{} }

func personFacts(r *http.Request, u user.User) []templates.Fact {
	return []templates.Fact{
		{Label: "Email", Value: u.Email}, {Label: "Role", Value: web.Capital(u.Role)}, {Label: "Login", Value: loginState(r, u)},
		{Label: "Added", Value: web.Day(r, u.CreatedAt)},
	}
}

// loginWord returns the state of a user's login in a word or two.
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

// loginState returns the state of a user's login in a sentence.
func loginState(r *http.Request, u user.User) string {
	open := u.LinkOpen(time.Now())
	switch {
	case !u.DisabledAt.IsZero():
		return "Disabled on " + web.Day(r, u.DisabledAt)
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

// personPage returns the page of a user, with the link to choose a password if this session has made it.
func (s *pages) personPage(r *http.Request, p templates.Page, u user.User) (templ.Component, error) {
	v := peopleviews.Person{RecordView: web.RecordView(s.people, r, u)}
	if !u.DisabledAt.IsZero() {
		v.Disabled, v.Enable = web.Day(r, u.DisabledAt), web.Action(s.people, r, u.ID, "enable")
		return peopleviews.PersonPage(p, v), nil
	}
	if !u.LinkOpen(time.Now()) {
		v.Invite = web.Button(r, "New link", "Making a link…", s.people.URL(u.ID)+"/invite")
		if s.mailsLinks(r) {
			v.Send = web.Button(r, "Email a new link", "Making a link…", s.people.URL(u.ID)+"/invite")
			v.Send.Fields, v.Send.Primary = []templates.Field{{Name: sendField, Value: "true"}}, true
		}
		return peopleviews.PersonPage(p, v), nil
	}
	v.Until = web.Moment(r, u.LinkUntil)
	v.Uninvite = web.Button(r, "Withdraw link", "Withdrawing…", s.people.URL(u.ID)+"/uninvite")
	token := s.invitation(r).Secret(u)
	invited, err := account.FindLink(r.Context(), s.site.Pool, token)
	switch {
	case err == nil && invited.User == u.ID:
		v.Link = s.site.Address(r) + "/join?" + url.Values{link.Parameter: {token}}.Encode()
	case err != nil && !errors.Is(err, account.ErrUnknown): // ErrUnknown means that another session or key has made it
		return nil, err
	}
	m, mailed, err := link.Last(r.Context(), s.site.Pool, web.Principal(r).Tenant, u.ID, u.LinkID)
	switch {
	case mailed:
		v.Mailed = mailWord(r, m)
	case s.mailsLinks(r):
		v.Mailed = "Not emailed."
	case s.canMail():
		v.Mailed = "Not emailed: the demo sends no email."
	default:
		v.Mailed = "Not emailed: mail isn't set up."
	}
	return peopleviews.PersonPage(p, v), err
}

// mailWord returns a sentence about the state of the mail with a link.
func mailWord(r *http.Request, m link.Mail) (says string) {
	switch {
	case m.State == mailer.StateSent:
		says = "Emailed to " + m.Recipient + " on " + web.Moment(r, m.SentAt) + "."
	case m.State == mailer.StateFailed:
		says = "Not delivered to " + m.Recipient + ". " + m.Reason
	case m.Reason != "":
		says = "Waiting to be emailed to " + m.Recipient + " again. " + m.Reason
	default:
		says = "Waiting to be emailed to " + m.Recipient + "."
	}
	if m.AskedBy == "" {
		says += " Someone asked for it on the login page, using this address."
	}
	return says
}
