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

// Server is a mail server. It does not print its password.
type Server struct {
	host     string
	port     int
	tls      transport
	user     string
	password string
}

// transport is the encryption of the connection to a mail server.
type transport int

const (
	startTLS transport = iota // STARTTLS is required
	wholeTLS                  // TLS from the first byte
	noTLS                     // no encryption
)

// ParseServer parses smtp://user:password@host:587 or smtps://user:password@host:465. The port and the login are optional. smtp://
// requires STARTTLS, unless ?tls=off disables it, which is only allowed without a password. The error does not contain any part of the
// URL.
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

// String returns the address of the server without its login.
func (s Server) String() string { return net.JoinHostPort(s.host, strconv.Itoa(s.port)) }

// GoString is String, so that %#v doesn't print the password either.
func (s Server) GoString() string { return s.String() }

// Send sends a message over a new connection, until ctx is done. It returns nil once the server has accepted the message, even if the
// connection breaks then.
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
	// The library checks the context only while it connects. This limits the whole session.
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
