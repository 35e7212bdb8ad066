package app

import (
	"errors"
	"fmt"
	"io"
	"net"
	"net/netip"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/agnivade/levenshtein"

	"onlyonce/internal/postgres/server"
)

// parseAddress parses host:port. The host may be empty, for all of this machine's addresses.
func parseAddress(addr *string, value string) error {
	host, port, err := net.SplitHostPort(value)
	if err != nil {
		return fmt.Errorf("%q is not host:port, such as 127.0.0.1:8080 (%s)", value, reason(err))
	}
	if _, err := strconv.ParseUint(port, 10, 16); err != nil {
		return fmt.Errorf("the port of %q must be a number from 0 to 65535, as in %s", value, net.JoinHostPort(host, "8080"))
	}
	*addr = value
	return nil
}

// parseListen parses host:port, or unix: and a path.
func parseListen(addr *string, value string) error {
	path, ok := strings.CutPrefix(value, unixPrefix)
	switch {
	case !ok:
		return parseAddress(addr, value)
	case !filepath.IsAbs(path):
		return fmt.Errorf("the path of the socket in %q must begin with /, as in unix:/run/onlyonce/http.sock", value)
	}
	*addr = value
	return nil
}

// parsePort sets the address to listen on, unless ADDR is set. Platforms that choose a port want it reachable by their proxy;
// on a computer with the embedded PostgreSQL and its demo, PORT must not open the app to the network.
func parsePort(c *Config, value string) error {
	if c.Addr != "" {
		return nil
	}
	if port, err := strconv.ParseUint(value, 10, 16); err != nil || port == 0 {
		return fmt.Errorf("%q must be a number from 1 to 65535", value)
	}
	host := "127.0.0.1"
	if c.DatabaseURL != "" {
		host = ""
	}
	c.Addr = net.JoinHostPort(host, value)
	return nil
}

// reason returns the error about an address, without the address.
func reason(err error) string {
	if wrong, ok := errors.AsType[*net.AddrError](err); ok {
		return wrong.Err
	}
	return err.Error()
}

// parseOrigin parses scheme, host and port.
func parseOrigin(origin *string, value string) error {
	u, err := url.Parse(value)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "" || strings.Trim(u.Path, "/") != "" ||
		u.User != nil || u.RawQuery != "" || u.Fragment != "" {
		return errors.New("it must be http:// or https:// and a host, with nothing behind it, such as https://app.example.com")
	}
	usual := map[string]string{"http": ":80", "https": ":443"}[u.Scheme] // browsers leave it out
	*origin = u.Scheme + "://" + strings.TrimSuffix(strings.ToLower(u.Host), usual)
	return nil
}

// parsePublicURL parses an origin, or one with a path.
func parsePublicURL(address *string, value string) error {
	scheme, rest, _ := strings.Cut(value, "://")
	host, path, below := strings.Cut(strings.TrimRight(rest, "/"), "/")
	if below && !plainPath.MatchString(path) {
		return errors.New("its path can have letters, digits, -, _, ~ and dots that begin no part of it, as in https://example.com/books")
	}
	if err := parseOrigin(address, scheme+"://"+host); err != nil || !below {
		return err
	}
	*address += "/" + path
	return nil
}

// plainPath matches paths that need no escapes in addresses, pages and cookies.
var plainPath = regexp.MustCompile(`^[A-Za-z0-9_~-][A-Za-z0-9._~-]*(/[A-Za-z0-9_~-][A-Za-z0-9._~-]*)*$`)

// parsePrefixes parses addresses and networks, separated by commas.
func parsePrefixes(prefixes *[]netip.Prefix, value string) error {
	for text := range strings.SplitSeq(value, ",") {
		text = strings.TrimSpace(text)
		addr, err := netip.ParseAddr(text)
		prefix := netip.PrefixFrom(addr, addr.BitLen())
		if err != nil {
			prefix, err = netip.ParsePrefix(text)
		}
		if err != nil || addr.Zone() != "" {
			return fmt.Errorf("%q is neither an address such as 10.0.0.5 nor a network such as 10.0.0.0/8", text)
		}
		if prefix.Bits() == 0 {
			return fmt.Errorf("%q is everybody: name your own proxies", text)
		}
		*prefixes = append(*prefixes, prefix)
	}
	return nil
}

// parseDatabase never repeats a part of the value in an error: a password with an @ or # in it can be anywhere.
func parseDatabase(databaseURL *string, value string) error {
	u, err := url.Parse(value)
	switch {
	case err == nil && u.Scheme == "" && strings.Contains(value, "="): // keywords and values, as in libpq
	case err != nil, u.Fragment != "", strings.Contains(u.Path+u.RawQuery, "@"):
		return errors.New("it can't be read: in the user, password and database of an address such as " + databaseExample +
			`, write % as %25, @ as %40, : as %3A, / as %2F, ? as %3F, # as %23 and a space as %20; the port is a number`)
	case u.Scheme != "postgres" && u.Scheme != "postgresql":
		return errors.New("it is no address of a PostgreSQL, such as " + databaseExample)
	}
	if _, err := server.Parse(value); err != nil {
		return fmt.Errorf("it can't be used%s: an address is such as %s", blame(u), databaseExample)
	}
	*databaseURL = value
	return nil
}

const databaseExample = "postgres://onlyonce:password@host:5432/onlyonce"

// blame names the parameter of an address without which it could be used.
func blame(u *url.URL) string {
	if u == nil {
		return ""
	}
	for name := range u.Query() {
		less, without := u.Query(), *u
		less.Del(name)
		without.RawQuery = less.Encode()
		if _, err := server.Parse(without.String()); err == nil {
			return " because of the value of " + name
		}
	}
	return ""
}

// parseName accepts up to 100 printable ASCII characters.
func parseName(name *string, value string) error {
	if len(value) > 100 || strings.ContainsFunc(value, func(r rune) bool { return r < ' ' || r > '~' }) {
		return fmt.Errorf("%q must be at most 100 printable ASCII characters, such as app-1", value)
	}
	*name = value
	return nil
}

func parseYes(yes *bool, value string) error {
	parsed, err := strconv.ParseBool(value)
	if err != nil {
		return fmt.Errorf("%q must be 1 or 0", value)
	}
	*yes = parsed
	return nil
}

func parseCount(n *int, value string) error {
	parsed, err := strconv.Atoi(value)
	if err != nil || parsed < 0 {
		return fmt.Errorf("%q must be a whole number, 0 or more", value)
	}
	*n = parsed
	return nil
}

// parseDuration parses a duration for PostgreSQL, which has no fractions of a millisecond, and for which zero means no limit.
func parseDuration(d *time.Duration, value string, most time.Duration) error {
	parsed, err := time.ParseDuration(value)
	if err != nil || parsed < time.Millisecond || parsed > most {
		return fmt.Errorf("%q must be a duration from 1ms to %s, such as 500ms, 5s or 1h", value,
			strings.TrimSuffix(most.String(), "0m0s"))
	}
	*d = parsed
	return nil
}

const (
	// inFile is the suffix of a variable that has the path of a file with the value.
	inFile = "_FILE"
	// maxFile is the most bytes of such a file.
	maxFile = 64 << 10
)

// lookUp returns the value of a variable, or the content of the file that NAME_FILE names. The error never repeats the value.
func lookUp(getenv func(string) string, name string) (string, error) {
	value, path := getenv(name), getenv(name+inFile)
	switch {
	case value != "" && path != "":
		return "", fmt.Errorf("%s%s is set too: leave one of them out", name, inFile)
	case path != "":
		content, err := readFile(path)
		if err != nil {
			return "", fmt.Errorf("read the file that %s%s names: %w", name, inFile, err)
		}
		value = strings.TrimRight(content, "\r\n")
	}
	switch first := strings.IndexAny(value, `"'`); {
	case strings.HasSuffix(value, "\r"):
		return "", errors.New("it ends with a carriage return: save the file that it comes from with Unix line ends")
	case first == 0 && len(value) > 1 && value[0] == value[len(value)-1]:
		return "", errors.New("its quotation marks are a part of it: leave them out, as nothing removes them")
	}
	return value, nil
}

func readFile(path string) (string, error) {
	file, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer file.Close()
	content, err := io.ReadAll(io.LimitReader(file, maxFile+1))
	switch {
	case err != nil:
		return "", err //nolint:wrapcheck // it names the path
	case len(content) > maxFile:
		return "", fmt.Errorf("%s has more than %d bytes", path, maxFile)
	}
	return string(content), nil
}

// Misspelt returns a warning for each variable of an environment, in the format of [os.Environ], that is probably a misspelt
// one of the app's.
func Misspelt(environ []string) (warnings []error) {
	var known []string
	for _, s := range settings() {
		known = append(known, s.name, s.name+inFile)
	}
	for _, pair := range environ {
		name, _, _ := strings.Cut(pair, "=")
		if slices.Contains(known, name) {
			continue
		}
		if i := slices.IndexFunc(known, func(meant string) bool { return likely(name, meant) }); i >= 0 {
			warnings = append(warnings, fmt.Errorf("environment variable %s is unknown and does nothing: is %s meant?", name, known[i]))
		}
	}
	return warnings
}

// likely reports whether a name differs from another one by case or by a typing error. A short name has too many neighbours.
func likely(name, meant string) bool {
	return levenshtein.ComputeDistance(strings.ToUpper(name), meant) <= min(2, (len(meant)-2)/4)
}
