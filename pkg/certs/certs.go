// Package certs is who a service is to the others: certificates that name a
// role, made by a CA of the installation's own, and the TLS that both sides of
// a connection demand with them. Files are read again when they change, so a
// renewal needs no restart. It is not for the TLS of the public edge, whose
// certificates name hosts. The services and the command that makes a
// development CA use it; an installation may bring a CA of its own, as long as
// its certificates carry the role.
package certs

import (
	"crypto/x509"
	"fmt"
	"net/url"
	"slices"
	"strings"
)

// Roles that a certificate can give its holder.
const (
	Proxy     = "proxy"
	Router    = "router"
	Keyauth   = "keyauth"
	Dashboard = "dashboard"
	// Operator is a person's or a script's, not a service's.
	Operator = "operator"
)

const (
	roleScheme = "signalbox"
	roleHost   = "role"
)

// Roles lists all there are.
func Roles() []string { return []string{Proxy, Router, Keyauth, Dashboard, Operator} }

// RoleOf is the role that a certificate gives its holder. A certificate that
// names none, several or one that is not in Roles is refused.
func RoleOf(cert *x509.Certificate) (string, error) {
	var role string
	for _, u := range cert.URIs {
		if u.Scheme != roleScheme {
			continue
		}
		if role != "" {
			return "", fmt.Errorf("certificate of %q names several roles", cert.Subject.CommonName)
		}
		role = strings.TrimPrefix(u.Path, "/")
		if u.Host != roleHost || checkRole(role) != nil {
			return "", fmt.Errorf("certificate of %q names an unknown role %q", cert.Subject.CommonName, u)
		}
	}
	if role == "" {
		return "", fmt.Errorf("certificate of %q names no role", cert.Subject.CommonName)
	}
	return role, nil
}

func roleURI(role string) *url.URL {
	return &url.URL{Scheme: roleScheme, Host: roleHost, Path: "/" + role}
}

func checkRole(role string) error {
	if !slices.Contains(Roles(), role) {
		return fmt.Errorf("unknown role %q, want one of %s", role, strings.Join(Roles(), ", "))
	}
	return nil
}
