// Package certs authenticates services to each other. A certificate names a role and is signed
// by the installation's own CA. Both sides of a connection require TLS with such a
// certificate. Files are read again when they change, so renewal needs no restart. An
// installation may use another CA if its certificates name the role. TLS for clients of the
// public API is not part of this package.
package certs

import (
	"crypto/x509"
	"fmt"
	"net/url"
	"slices"
	"strings"
)

// The roles.
const (
	Proxy     = "proxy"
	Router    = "router"
	Keyauth   = "keyauth"
	Dashboard = "dashboard"
	// Operator is the role of people and scripts, not of a service.
	Operator = "operator"
)

const (
	roleScheme = "signalbox"
	roleHost   = "role"
)

// Roles lists all roles.
func Roles() []string { return []string{Proxy, Router, Keyauth, Dashboard, Operator} }

// RoleOf returns the role in a certificate. It returns an error if the certificate names no
// role, several roles or an unknown role.
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
		return fmt.Errorf("unknown role %q: use one of %s", role, strings.Join(Roles(), ", "))
	}
	return nil
}
