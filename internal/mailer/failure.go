package mailer

import (
	"context"
	"errors"
	"net"
	"regexp"
	"strings"

	gomail "github.com/wneessen/go-mail"
)

// isPermanent reports whether a mail server refused a message for good (RFC 5321, section 4.2.1). A login that is refused
// is no such case: somebody can correct it.
func isPermanent(err error) bool {
	refused, ok := errors.AsType[*gomail.SendError](err)
	return ok && refused.ErrorCode() >= 500 && refused.ErrorCode() < 600
}

// reasonOf returns in plain words why an attempt has failed, with what the server answered.
func reasonOf(err error) string {
	answer := serverAnswer(err)
	switch unreachable := (*net.OpError)(nil); {
	case isPermanent(err):
		return "The mail server refused it: " + answer
	case answer != "":
		return "The mail server didn't accept it: " + answer
	case errors.Is(err, context.DeadlineExceeded):
		return "The mail server didn't answer in time."
	case strings.Contains(err.Error(), "does not support STARTTLS"): // the library has no error of its own for it
		return "The mail server doesn't encrypt its connections (STARTTLS)."
	case errors.As(err, &unreachable):
		return "The mail server couldn't be reached."
	default:
		return "The mail server couldn't be used."
	}
}

// maxAnswer bounds what is kept of a server's answer, in bytes.
const maxAnswer = 300

// serverAnswer is what the server said, such as "550 No such user.", or "".
func serverAnswer(err error) string {
	answer := answerLine.FindString(strings.Join(strings.Fields(err.Error()), " "))
	answer, _, _ = strings.Cut(answer, ", affected ")
	answer = strings.ReplaceAll(answer, `"`, "") // the library puts some into quotes
	answer = strings.TrimRight(strings.ToValidUTF8(answer[:min(len(answer), maxAnswer)], ""), " .,")
	if answer == "" {
		return ""
	}
	return answer + "."
}

// answerLine begins with a code, which may have an enhanced one behind it.
var answerLine = regexp.MustCompile(`\b[45][0-9]{2} [^\pC]*`)
