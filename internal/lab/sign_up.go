package lab

import (
	"context"
	"net/http"
	"net/url"
)

func signUp() script {
	const counts = "SELECT email, to_char(created_at, 'HH24:MI:SS.MS') AS created_at\nFROM sign_ups ORDER BY id"
	ask := func(who string, intent, replica int) lane {
		return lane{
			who: who, intent: intent, replica: replica, method: http.MethodPost, path: "/sign-ups",
			form: url.Values{"email": {"ada@example.com"}},
		}
	}
	return script{
		Experiment: Experiment{
			Slug: "sign-up", Title: "Sign up three times",
			Story: "You have no account yet. You enter your email, press “Email a link” twice, and then do it once more in a second tab. " +
				"Two servers answer. They don't know you: they have the key of the form and the email.",
			Question: "How many sign-ups will there be, each with an email to you?", Guesses: []int{0, 1, 2, 3},
			Layers: []Layer{{
				intent, "the intent", "The database does not recognise a key that it has seen before, and the servers remember none.",
			}, {openSignUp, "the open sign-up", "The database does not look for an open sign-up with the same " +
				"email, and allows several."}},
		},
		replicas: 2, noun: "sign-up", counts: counts, marks: `SELECT id::text FROM sign_ups ORDER BY id`,
		env: []string{ // no mail server has this port
			"SIGN_UP=1", "SMTP_URL=smtp://127.0.0.1:1", "MAIL_FROM=app@example.com", "SECRET_KEY=" + random(),
		},
		lanes: []lane{ask("Click 1", 0, 0), ask("Click 2, another server", 0, 1), ask("Second tab", 1, 0)},
		play: func(ctx context.Context, s *stage) error {
			if err := s.together(ctx, []int{0, 1}, `LOCK TABLE sign_ups IN SHARE MODE`); err != nil {
				return err
			}
			s.send(ctx, 2)
			return nil
		},
	}
}
