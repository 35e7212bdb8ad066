package scale

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"onlyonce/internal/postgres/server"
	"onlyonce/internal/proof/replica"
	"onlyonce/internal/proof/torture"
)

// The addresses of the documentation, and those on this machine.
const (
	documented = "10.0.0."
	ours       = "127.0.67."
	proxied    = ours + "31:5432"
)

// haproxyAccount is removed from the configuration, because HAProxy can change its user only if root starts it.
const haproxyAccount = "    user haproxy\n    group haproxy\n"

// node is a server: PostgreSQL, which Patroni starts, and etcd.
type node struct {
	name    string
	address string // without a port
	data    string // PostgreSQL's data directory
	patroni *replica.Replica
	etcd    *replica.Replica
}

// cluster is three nodes with HAProxy in front.
type cluster struct {
	nodes   [3]*node
	haproxy *replica.Replica
}

// startCluster returns a [torture.StartCluster]. If strict is set, the primary accepts no writes while there is no synchronous standby.
func startCluster(strict bool) torture.StartCluster {
	return func(ctx context.Context, dir string, account server.Account, group int) (*torture.Cluster, error) {
		c := &cluster{}
		if err := c.lay(ctx, dir, account, group, strict); err != nil {
			return nil, err
		}
		if err := c.start(ctx); err != nil {
			return nil, errors.Join(err, c.stop(context.WithoutCancel(ctx)))
		}
		return &torture.Cluster{
			Network: "tcp", Addr: proxied, Admin: func() string { return superuser(server.Database) }, Faults: c.faults, Stop: c.stop,
		}, nil
	}
}

// superuser returns the URL of a database on the primary.
func superuser(database string) string {
	return "postgres://" + server.Superuser + "@" + proxied + "/" + database + "?sslmode=disable"
}

// lay writes all documented configuration files into dir.
func (c *cluster) lay(ctx context.Context, dir string, account server.Account, group int, strict bool) error {
	programs, err := server.Locate(ctx, account, 0)
	if err != nil {
		return err
	}
	run := func(log, program string, args ...string) *replica.Replica {
		return service(account, group, filepath.Join(dir, log+".log"), program, args...)
	}
	write := func(name, document string, oldNew ...string) (file string, err error) {
		file = filepath.Join(dir, name)
		return file, configure(ctx, file, document, oldNew...)
	}
	for i := range c.nodes {
		n := &node{name: "node" + strconv.Itoa(i+1), address: ours + strconv.Itoa(11+i)}
		home := filepath.Join(dir, n.name)
		n.data = filepath.Join(home, "data")
		if err := account.Mkdir(home); err != nil {
			return err
		}
		const first = documented + "11"
		etcd, err := write(n.name+"-etcd.yml", "deploy/etcd.yml",
			"node1=http://"+first, "node1=http://"+ours+"11", "name: node1", "name: "+n.name, first, n.address, documented, ours,
			"/var/lib/etcd/onlyonce", filepath.Join(home, "etcd"))
		if err != nil {
			return err
		}
		patroni, err := write(n.name+"-patroni.yml", "deploy/patroni.yml",
			"hosts: "+first, "hosts: "+ours+"11", "name: node1", "name: "+n.name, first, n.address,
			documented+"0/24", "127.0.0.0/8", documented, ours,
			"/var/lib/postgresql/15/onlyonce", n.data, "/usr/lib/postgresql/15/bin", programs.Dir,
			"/var/lib/postgresql/patroni.pgpass", filepath.Join(home, "pgpass"), "/run/postgresql", home,
			"  authentication:\n    username: patroni\n    password: change-me\n\n", "\n", "scram-sha-256", "trust",
			"synchronous_mode_strict: false", "synchronous_mode_strict: "+strconv.FormatBool(strict))
		if err != nil {
			return err
		}
		n.etcd, n.patroni = run(n.name+"-etcd", "etcd", "--config-file", etcd), run(n.name+"-patroni", "patroni", patroni)
		c.nodes[i] = n
	}
	haproxy, err := write("haproxy.cfg", "deploy/haproxy.cfg", haproxyAccount, "", documented, ours)
	c.haproxy = run("haproxy", "haproxy", "-db", "-f", haproxy)
	return err
}

// start starts all servers, and creates the role and the database of the app.
func (c *cluster) start(ctx context.Context) error {
	var all []*replica.Replica
	for _, n := range c.nodes {
		all = append(all, n.etcd)
	}
	for _, n := range c.nodes {
		all = append(all, n.patroni)
	}
	for _, r := range append(all, c.haproxy) {
		if err := r.Start(ctx); err != nil {
			return err
		}
	}
	if _, _, err := c.settled(ctx); err != nil {
		return err
	}
	url := superuser("postgres")
	if err := accepts(ctx, url); err != nil {
		return fmt.Errorf("HAProxy leads to no primary: %w", err)
	}
	return execute(ctx, url, "deploy.md", "## First deploy")
}

// stop ends all servers. PostgreSQL outlives Patroni, because Patroni starts it in a new session.
func (c *cluster) stop(ctx context.Context) error {
	errs := []error{kill(c.haproxy)}
	for _, n := range c.nodes {
		errs = append(errs, n.killPostgres(ctx), kill(n.etcd))
	}
	return errors.Join(errs...)
}

// killPostgres ends Patroni and PostgreSQL at once, as in a power failure.
func (n *node) killPostgres(ctx context.Context) error {
	if err := kill(n.patroni); err != nil {
		return err
	}
	if err := server.Kill(ctx, n.data); err != nil && !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, syscall.ESRCH) {
		return fmt.Errorf("kill PostgreSQL on %s: %w", n.name, err)
	}
	return nil
}

// hang suspends Patroni and PostgreSQL for a while.
func (n *node) hang(ctx context.Context, length time.Duration) error {
	if err := errors.Join(n.patroni.Signal(syscall.SIGSTOP), server.Freeze(ctx, n.data)); err != nil {
		return err
	}
	torture.Pause(ctx, length)
	return errors.Join(n.patroni.Signal(syscall.SIGCONT), server.Thaw(context.WithoutCancel(ctx), n.data))
}

// member is a node in the view of Patroni.
type member struct {
	Name     string `json:"name"`
	Role     string `json:"role"`  // leader, sync_standby or replica
	State    string `json:"state"` // running, streaming (a standby, from Patroni 3.1 on) and others
	Timeline int    `json:"timeline"`
}

// members returns the cluster in the view of Patroni on a node.
func (n *node) members(ctx context.Context) ([]member, error) {
	text, err := get(ctx, "http://"+n.address+":8008/cluster")
	if err != nil {
		return nil, err
	}
	var answer struct {
		Members []member `json:"members"`
	}
	if err := json.Unmarshal(text, &answer); err != nil {
		return nil, fmt.Errorf("read what Patroni says: %w", err)
	}
	return answer.Members, nil
}

// with returns the node of a role. It reports false if there is none, or no node responds.
func (c *cluster) with(ctx context.Context, role string) (*node, bool) {
	for _, asked := range c.nodes {
		members, err := asked.members(ctx)
		if err != nil {
			continue
		}
		i := slices.IndexFunc(members, func(m member) bool { return m.Role == role && m.State != "stopped" })
		j := slices.IndexFunc(c.nodes[:], func(n *node) bool { return i >= 0 && n.name == members[i].Name })
		if j >= 0 {
			return c.nodes[j], true
		}
	}
	return nil, false
}

// whole reports whether every etcd server is healthy, all nodes agree on the primary, and both standbys follow it, one synchronously.
func (c *cluster) whole(ctx context.Context) bool {
	for _, n := range c.nodes {
		if _, err := get(ctx, "http://"+n.address+":2379/health"); err != nil {
			return false
		}
		members, err := n.members(ctx)
		if err != nil || len(members) != len(c.nodes) {
			return false
		}
		roles := map[string]int{}
		for _, m := range members {
			roles[m.Role]++
			if m.State != "running" && m.State != "streaming" || m.Timeline != members[0].Timeline {
				return false
			}
		}
		if roles["leader"] != 1 || roles["sync_standby"] != 1 {
			return false
		}
	}
	return true
}

// settled waits until the cluster is whole, and returns the primary and the synchronous standby.
func (c *cluster) settled(ctx context.Context) (primary, standby *node, err error) {
	err = until(ctx, "the cluster is whole", func(ctx context.Context) bool {
		var led, followed bool
		primary, led = c.with(ctx, "leader")
		standby, followed = c.with(ctx, "sync_standby")
		return led && followed && c.whole(ctx)
	})
	return primary, standby, err
}

// get returns the body of a page. A status other than 200 is an error.
func get(ctx context.Context, url string) ([]byte, error) {
	a, err := send(ctx, http.MethodGet, url, "", nil)
	if err == nil && a.status != http.StatusOK {
		err = fmt.Errorf("%s: %d: %s", url, a.status, a.text)
	}
	return a.text, err
}

type answer struct {
	status int
	header http.Header
	text   []byte
}

func send(ctx context.Context, method, url, body string, header http.Header) (a answer, err error) {
	request, err := http.NewRequestWithContext(ctx, method, url, strings.NewReader(body))
	if err != nil {
		return a, fmt.Errorf("%s %s: %w", method, url, err)
	}
	request.Header = header
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return a, fmt.Errorf("%s %s: %w", method, url, err)
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		err = fmt.Errorf("%s %s: %w", method, url, err)
	}
	return answer{response.StatusCode, response.Header, text}, err
}

// byAcme returns the header of a request by the demo's first tenant.
func byAcme(keys ...string) http.Header {
	return http.Header{"Authorization": {"Bearer oo_demo_acme"}, "Content-Type": {"application/json"}, "Idempotency-Key": keys}
}

// until waits until happened returns true, for at most two minutes.
func until(ctx context.Context, what string, happened func(context.Context) bool) error {
	ctx, cancel := context.WithTimeout(ctx, 2*time.Minute)
	defer cancel()
	tick := time.NewTicker(100 * time.Millisecond)
	defer tick.Stop()
	for {
		asking, done := context.WithTimeout(ctx, time.Second)
		ok := happened(asking)
		done()
		if ok {
			return nil
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return fmt.Errorf("wait until %s: %w", what, ctx.Err())
		}
	}
}
