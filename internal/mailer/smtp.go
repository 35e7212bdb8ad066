package mailer

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/url"
	"strconv"

	gomail "github.com/wneessen/go-mail"
)

// Server is a mail server that takes mails for delivery. It does not print its password.
type Server struct {
	host     string
	port     int
	tls      transport
	user     string
	password string
}

// transport is how the connection to a mail server is encrypted.
type transport int

const (
	startTLS transport = iota // STARTTLS, and nothing without it
	wholeTLS                  // from the first byte
	noTLS                     // not at all
)

// ParseServer reads smtp://user:password@host:587 or smtps://user:password@host:465. The port may be left out, and so
// may the login. smtp:// insists on STARTTLS, unless ?tls=off says that there is none, which is for a server without a
// login. The error has nothing of the URL in it.
func ParseServer(address string) (Server, error) {
	u, err := url.Parse(address)
	if err != nil || u.Scheme != "smtp" && u.Scheme != "smtps" || u.Hostname() == "" || u.Path != "" && u.Path != "/" || u.Fragment != "" {
		return Server{}, errors.New("it must be smtp:// or smtps:// with a host, such as smtp://user:password@mail.example.com:587")
	}
	s := Server{host: u.Hostname(), port: 587, user: u.User.Username()}
	if u.Scheme == "smtps" {
		s.port, s.tls = 465, wholeTLS
	}
	if port := u.Port(); port != "" {
		n, err := strconv.ParseUint(port, 10, 16)
		if err != nil || n == 0 {
			return Server{}, errors.New("its port must be a number from 1 to 65535")
		}
		s.port = int(n)
	}
	s.password, _ = u.User.Password()
	switch {
	case (s.user == "") != (s.password == ""):
		return Server{}, errors.New("it must have both a user and a password, or neither; write special characters as %40 and so on")
	case u.RawQuery == "":
	case u.RawQuery != "tls=off" || u.Scheme != "smtp":
		return Server{}, errors.New("its only parameter is tls=off, for smtp://")
	case s.user != "":
		return Server{}, errors.New("with tls=off it must not have a password, which everybody on the way could read")
	default:
		s.tls = noTLS
	}
	return s, nil
}

// String names the server without its login.
func (s Server) String() string { return net.JoinHostPort(s.host, strconv.Itoa(s.port)) }

// GoString is String: the password is not printed by %#v either.
func (s Server) GoString() string { return s.String() }

// Send sends a message over a connection of its own, until ctx is done. It returns nil once the server has taken the
// message, whatever happens to the connection then.
func (s Server) Send(ctx context.Context, msg *gomail.Msg) error {
	client, err := gomail.NewClient(s.host, s.options(ctx)...)
	if err != nil {
		return fmt.Errorf("set up the connection: %w", err)
	}
	if err := client.DialAndSendWithContext(ctx, msg); err != nil && !msg.IsDelivered() {
		if ctx.Err() != nil {
			return fmt.Errorf("%w: %w", ctx.Err(), err)
		}
		return fmt.Errorf("hand the message to the mail server: %w", err)
	}
	return nil
}

func (s Server) options(ctx context.Context) []gomail.Option {
	options := []gomail.Option{gomail.WithPort(s.port)}
	switch s.tls {
	case startTLS:
		options = append(options, gomail.WithTLSPolicy(gomail.TLSMandatory))
	case wholeTLS:
		options = append(options, gomail.WithSSL())
	case noTLS:
		options = append(options, gomail.WithTLSPolicy(gomail.NoTLS))
	}
	if s.user != "" {
		options = append(options,
			gomail.WithSMTPAuth(gomail.SMTPAuthAutoDiscover), gomail.WithUsername(s.user), gomail.WithPassword(s.password))
	}
	// The library looks at the context while it connects only. This bounds the whole conversation.
	return append(options, gomail.WithDialContextFunc(func(dialing context.Context, network, address string) (net.Conn, error) {
		conn, err := s.dial(dialing, network, address)
		if err != nil {
			return nil, err
		}
		context.AfterFunc(ctx, func() { _ = conn.Close() })
		return conn, nil
	}))
}

func (s Server) dial(ctx context.Context, network, address string) (net.Conn, error) {
	var dialer net.Dialer
	dial := dialer.DialContext
	if s.tls == wholeTLS {
		encrypted := tls.Dialer{NetDialer: &dialer, Config: &tls.Config{ServerName: s.host, MinVersion: tls.VersionTLS12}}
		dial = encrypted.DialContext
	}
	conn, err := dial(ctx, network, address)
	if err != nil {
		return nil, fmt.Errorf("reach the mail server: %w", err)
	}
	return conn, nil
}
