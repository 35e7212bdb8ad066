package mailer

import (
	"context"
	"errors"
	"net"
	"regexp"
	"strings"

	gomail "github.com/wneessen/go-mail"
)

// isPermanent reports whether a mail server permanently refused a message (RFC 5321, section 4.2.1). A refused login does not count,
// because an operator can correct it.
func isPermanent(err error) bool {
	refused, ok := errors.AsType[*gomail.SendError](err)
	return ok && refused.ErrorCode() >= 500 && refused.ErrorCode() < 600
}

// reasonOf returns the reason of a failed attempt in plain words, with the server's answer.
func reasonOf(err error) string {
	answer := serverAnswer(err)
	switch unreachable := (*net.OpError)(nil); {
	case isPermanent(err):
		return "The mail server refused it: " + answer
	case answer != "":
		return "The mail server didn't accept it: " + answer
	case errors.Is(err, context.DeadlineExceeded):
		return "The mail server didn't answer in time."
	case strings.Contains(err.Error(), "does not support STARTTLS"): // the library has no error type for it
		return "The mail server doesn't encrypt its connections (STARTTLS)."
	case errors.As(err, &unreachable):
		return "The mail server couldn't be reached."
	default:
		return "The mail server couldn't be used."
	}
}

// maxAnswer is the maximum length of a stored server answer, in bytes.
const maxAnswer = 300

// serverAnswer returns the server's answer in an error, such as "550 No such user.", or "".
func serverAnswer(err error) string {
	answer := answerLine.FindString(strings.Join(strings.Fields(err.Error()), " "))
	answer, _, _ = strings.Cut(answer, ", affected ")
	answer = strings.ReplaceAll(answer, `"`, "") // the library quotes some parts
	answer = strings.TrimRight(strings.ToValidUTF8(answer[:min(len(answer), maxAnswer)], ""), " .,")
	if answer == "" {
		return ""
	}
	return answer + "."
}

// answerLine matches an answer, which begins with a code, maybe followed by an enhanced one.
var answerLine = regexp.MustCompile(`\b[45][0-9]{2} [^\pC]*`)
