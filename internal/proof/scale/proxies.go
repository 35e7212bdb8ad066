package scale

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"onlyonce/internal/proof/replica"
)

// Proxies runs the app behind nginx, with the documented configuration, and behind HAProxy, both with compression, which makes ETags
// weak. An edit with the ETag that arrived must succeed, and a create with two keys must be refused.
func Proxies(ctx context.Context, out io.Writer) error {
	if err := install(ctx, out, "nginx", "haproxy"); err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "onlyonce-proxies-")
	if err != nil {
		return err
	}
	if err = tryProxies(ctx, dir, out); err != nil {
		return fmt.Errorf("%w, see %s", err, dir)
	}
	return os.RemoveAll(dir)
}

func tryProxies(ctx context.Context, dir string, out io.Writer) (err error) {
	program, err := replica.Build(ctx, dir, "onlyonce/cmd/server")
	if err != nil {
		return err
	}
	leash, err := replica.NewLeash(ctx)
	if err != nil {
		return err
	}
	defer leash.Release()
	start := func(program, log string, args, env []string, addr string) (*replica.Replica, error) {
		r := &replica.Replica{Program: program, Args: args, Addr: addr, Group: leash.Group, Log: filepath.Join(dir, log), Env: env}
		ctx, cancel := context.WithTimeout(ctx, 2*time.Minute)
		defer cancel()
		return r, r.Revive(ctx)
	}
	var addr [3]string
	for i := range addr {
		if addr[i], err = replica.FreePort(ctx); err != nil {
			return err
		}
	}
	app, err := start(program, "app.log", nil, append(os.Environ(),
		"ADDR="+addr[0], "METRICS_ADDR=off", "DEMO=1", "DATABASE_URL=", "DATA_DIR="+filepath.Join(dir, "data")), addr[0])
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, app.End(context.WithoutCancel(ctx), syscall.SIGTERM)) }()
	nginx, err := nginxConfig(ctx, dir, addr[0], addr[1])
	if err != nil {
		return err
	}
	haproxy := fmt.Sprintf(`defaults
    mode http
    timeout connect 5s
    timeout client 30s
    timeout server 75s
frontend app
    bind %s
    compression algo gzip
    compression type application/json
    default_backend app
backend app
    server app %s
`, addr[2], addr[0])
	for i, proxy := range []struct {
		name, config string
		args         []string
	}{{"nginx", nginx, []string{"-c"}}, {"haproxy", haproxy, []string{"-db", "-f"}}} {
		file := filepath.Join(dir, proxy.name+".conf")
		if err := os.WriteFile(file, []byte(proxy.config), 0o600); err != nil {
			return err
		}
		if _, err := start(proxy.name, proxy.name+".log", append(proxy.args, file), os.Environ(), addr[i+1]); err != nil {
			return err
		}
		if err := editThrough(ctx, "http://"+addr[i+1]+"/api/v1/customers", proxy.name); err != nil {
			return fmt.Errorf("through %s: %w", proxy.name, err)
		}
		fmt.Fprintf(out, "%s: a weak tag is that of its version, and two keys are none\n", proxy.name)
	}
	return nil
}

// nginxConfig returns the documented configuration with compression and without TLS.
func nginxConfig(ctx context.Context, dir, app, own string) (string, error) {
	text, err := block(ctx, "deploy.md", "## Behind a proxy", "nginx")
	if err != nil {
		return "", err
	}
	proxied, err := place(text, nginxReplaced(app, own)...)
	if err != nil {
		return "", fmt.Errorf("docs/deploy.md: %w", err)
	}
	return fmt.Sprintf(`daemon off;
pid %[1]s/nginx.pid;
error_log %[1]s/nginx.log;
events {}
http {
    access_log off;
    client_body_temp_path %[1]s;
    gzip on;
    gzip_types application/json;
    gzip_min_length 0;
    %[2]s
}
`, dir, proxied), nil
}

func nginxReplaced(app, own string) []string {
	return []string{
		"listen 443 ssl;", "listen " + own + ";", "127.0.0.1:8080", app, "ssl_certificate ", "# ", "ssl_certificate_key ", "# ",
	}
}

// editThrough creates a customer and edits it, as a client that accepts compressed responses, and sends two keys.
func editThrough(ctx context.Context, url, name string) error {
	gzip := func(method, url, body string, header http.Header) (answer, error) {
		header.Set("Accept-Encoding", "gzip")
		return send(ctx, method, url, body, header)
	}
	body := fmt.Sprintf(`{"email": "%s@example.com", "name": %[1]q}`, name)
	made, err := gzip(http.MethodPost, url, body, byAcme(name))
	if err != nil {
		return err
	}
	record := url + "/" + path.Base(made.header.Get("Location"))
	read, err := gzip(http.MethodGet, record, "", byAcme())
	if err != nil {
		return err
	}
	tag := read.header.Get("ETag")
	if !strings.HasPrefix(tag, "W/") || read.header.Get("Content-Encoding") != "gzip" {
		return fmt.Errorf("nothing is compressed: %d, tag %s", read.status, tag)
	}
	edit := byAcme(name + " edited")
	edit.Set("If-Match", tag)
	edited, err := gzip(http.MethodPut, record, strings.Replace(body, `"name": "`, `"name": "New `, 1), edit)
	if err != nil {
		return err
	}
	if edited.status != http.StatusOK {
		return fmt.Errorf("an edit with %s: %d", tag, edited.status)
	}
	for _, keys := range [][]string{{"a", "a"}, {"a, a"}} {
		refused, err := gzip(http.MethodPost, url, `{"name": "Nobody"}`, byAcme(keys...))
		if err != nil {
			return err
		}
		if refused.status != http.StatusBadRequest {
			return fmt.Errorf("the keys %q: %d", keys, refused.status)
		}
	}
	return nil
}
