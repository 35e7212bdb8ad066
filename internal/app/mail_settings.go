package app

import (
	"errors"
	"time"

	"onlyonce/internal/mailer"
	"onlyonce/internal/value/email"
)

// MailConfig configures the mail server.
type MailConfig struct {
	MailServer  *mailer.Server // SMTP_URL; nil sends no mails
	MailSender  string         // MAIL_FROM
	MailTimeout time.Duration  // MAIL_TIMEOUT; 0 for [mailer.DefaultTimeout]
	MailRetry   time.Duration  // MAIL_RETRY; 0 for [mailer.DefaultRetry]
}

// maxMailWait is the longest time that a mail server may take for a mail (RFC 5321, section 4.5.3.2).
const maxMailWait = 10 * time.Minute

func mailSettings() []setting {
	return []setting{
		{"SMTP_URL", "", "emails are not sent",
			"the mail server, as smtp://user:password@host:587, which must speak STARTTLS,\n" +
				"or smtps://user:password@host:465; smtp://host:1025?tls=off for one that only you can reach",
			func(c *Config, value string) error { return parseMailServer(&c.MailServer, value) }},
		{"MAIL_FROM", "", "required with SMTP_URL", "the address that emails come from, such as app@example.com",
			func(c *Config, value string) error { return parseSender(&c.MailSender, value) }},
		{"MAIL_TIMEOUT", "", mailer.DefaultTimeout.String(), "how long an attempt to send an email may take",
			func(c *Config, value string) error { return parseDuration(&c.MailTimeout, value, maxMailWait) }},
		{"MAIL_RETRY", "", mailer.DefaultRetry.String(), "how long the second attempt waits; each further one waits twice as long",
			func(c *Config, value string) error { return parseDuration(&c.MailRetry, value, maxPeriod) }},
	}
}

// missingSender returns a [*SettingError] if there is a mail server without a sender; getenv is as in [Environ].
func missingSender(c Config, getenv func(string) string) error {
	if c.MailServer == nil || getenv("MAIL_FROM") != "" || getenv("MAIL_FROM"+inFile) != "" {
		return nil
	}
	return &SettingError{"MAIL_FROM", errors.New("it must be set with SMTP_URL, such as app@example.com")}
}

// missingServer returns a sentence about a missing setting, or "".
func missingServer(c Config) string {
	if c.Demo || c.MailServer != nil && missingForLinks(c) == "" {
		return ""
	}
	off := ""
	if c.SignUp {
		off = ", and sign-up is off"
	}
	if c.MailServer != nil {
		return missingForLinks(c) + " is not set: invitations and links for forgotten passwords are not emailed" + off
	}
	return "SMTP_URL is not set: emails are not sent" + off
}

// missingForLinks returns the setting without which links to choose a password are not mailed, or "". The embedded database has
// its key in DataDir.
func missingForLinks(c Config) string {
	switch {
	case c.MailServer == nil:
		return "SMTP_URL"
	case c.SecretKey.IsZero() && c.DatabaseURL != "":
		return "SECRET_KEY"
	case c.PublicURL == "" && !isLoopback(c.Addr):
		return "PUBLIC_URL"
	default:
		return ""
	}
}

func parseMailServer(server **mailer.Server, value string) error {
	parsed, err := mailer.ParseServer(value)
	if err != nil {
		return err
	}
	*server = &parsed
	return nil
}

func parseSender(sender *string, value string) error {
	if problem := email.Address(value).Problem(); problem != "" {
		return errors.New(problem)
	}
	*sender = value
	return nil
}
