package redisx

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"net/url"
	"os"
	"strconv"
	"strings"
)

type kind int

const (
	server kind = iota
	sentinel
	cluster
)

// schemes are the schemes without their form with TLS.
var schemes = map[string]kind{"redis": server, "redis-sentinel": sentinel, "redis-cluster": cluster, "unix": server}

// defaultPorts are used for hosts without a port.
var defaultPorts = map[kind]string{server: "6379", sentinel: "26379", cluster: "6379"}

// address is a parsed URL.
type address struct {
	kind             kind
	network          string
	hosts            []string
	user, password   string
	db               int
	master           string
	sentinelUser     string
	sentinelPassword string
	tls              *tls.Config
}

var errForm = errors.New("invalid Redis URL; use redis://user:password@host:6379/0, " +
	"redis-sentinel://user:password@host:26379,host:26379/0?master=NAME or redis-cluster://user:password@host:6379,host:6379, " +
	"or rediss, rediss-sentinel and rediss-cluster for TLS")

// parse parses a URL with any number of hosts. No error contains the URL.
func parse(text string) (*address, error) {
	scheme, rest, ok := strings.Cut(text, "://")
	if !ok {
		return nil, errForm
	}
	plain := strings.Replace(scheme, "rediss", "redis", 1)
	k, ok := schemes[plain]
	if !ok {
		return nil, errForm
	}
	// net/url accepts one host only, so the hosts are taken out first.
	hosts, u, err := cutHosts(rest)
	if err != nil {
		return nil, errForm
	}
	a := &address{kind: k, network: "tcp", user: u.User.Username()}
	a.password, _ = u.User.Password()
	if scheme == "unix" {
		a.network, a.hosts = "unix", []string{u.Path}
		return a, a.readQuery(u.RawQuery, false)
	}
	if a.hosts, err = withPorts(hosts, defaultPorts[k]); err != nil || k == server && len(a.hosts) != 1 {
		return nil, errForm
	}
	if path := strings.Trim(u.Path, "/"); path != "" {
		if a.db, err = strconv.Atoi(path); err != nil || a.db < 0 {
			return nil, errForm
		}
	}
	if k == cluster && a.db != 0 {
		return nil, errors.New("invalid Redis URL: a cluster has only database 0")
	}
	return a, a.readQuery(u.RawQuery, plain != scheme)
}

// cutHosts returns the list of hosts and the URL without them.
func cutHosts(rest string) (hosts string, u *url.URL, err error) {
	authority, tail := rest, ""
	if i := strings.IndexAny(rest, "/?"); i >= 0 {
		authority, tail = rest[:i], rest[i:]
	}
	at := strings.LastIndex(authority, "@")
	u, err = url.Parse("redis://" + authority[:at+1] + "host" + tail)
	return authority[at+1:], u, err
}

func withPorts(list, port string) ([]string, error) {
	var hosts []string
	for _, host := range strings.Split(list, ",") {
		if _, _, err := net.SplitHostPort(host); err != nil {
			host = net.JoinHostPort(strings.Trim(host, "[]"), port)
		}
		h, p, err := net.SplitHostPort(host)
		if n, portErr := strconv.ParseUint(p, 10, 16); err != nil || portErr != nil || n == 0 || h == "" {
			return nil, errForm
		}
		hosts = append(hosts, host)
	}
	return hosts, nil
}

// readQuery reads the options of a URL. An unknown option is an error, because a mistyped one
// could switch off a check of certificates. The error does not name it: if a password contains a
// question mark that is not escaped, its rest looks like an option.
func (a *address) readQuery(query string, withTLS bool) error {
	q, err := url.ParseQuery(query)
	if err != nil {
		return errForm
	}
	get := func(name string) string {
		v := q.Get(name)
		q.Del(name)
		return v
	}
	a.master, a.sentinelUser, a.sentinelPassword = get("master"), get("sentinel_user"), get("sentinel_password")
	if (a.kind == sentinel) != (a.master != "") {
		return errors.New("invalid Redis URL: redis-sentinel needs the option master, for example ?master=main; no other scheme has it")
	}
	ca, cert, key, name := get("ca"), get("cert"), get("key"), get("server_name")
	if len(q) > 0 {
		return errors.New("invalid Redis URL: it has unknown options; the known ones are master, sentinel_user, sentinel_password, " +
			"ca, cert, key and server_name; escape a question mark in a password as %3F")
	}
	if !withTLS {
		if ca+cert+key+name != "" {
			return errors.New("invalid Redis URL: ca, cert, key and server_name need a scheme with TLS, for example rediss")
		}
		return nil
	}
	a.tls, err = newTLS(ca, cert, key, name)
	return err
}

// newTLS returns a configuration that trusts the CA of a file, or the CAs of the system.
func newTLS(ca, cert, key, name string) (*tls.Config, error) {
	c := &tls.Config{MinVersion: tls.VersionTLS12, ServerName: name}
	if ca != "" {
		text, err := os.ReadFile(ca)
		if err != nil {
			return nil, fmt.Errorf("read the CA of Redis: %w", err)
		}
		c.RootCAs = x509.NewCertPool()
		if !c.RootCAs.AppendCertsFromPEM(text) {
			return nil, fmt.Errorf("the CA of Redis: %s holds no certificate", ca)
		}
	}
	if cert+key != "" {
		pair, err := tls.LoadX509KeyPair(cert, key)
		if err != nil {
			return nil, fmt.Errorf("read the certificate for Redis: %w", err)
		}
		c.Certificates = []tls.Certificate{pair}
	}
	return c, nil
}
