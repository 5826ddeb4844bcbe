// Package certs authenticates Signalbox services to each other. Each certificate contains a
// role and is signed by the installation's own CA. Both sides of a connection require TLS 1.3
// with such a certificate. An installation may use another CA if its certificates contain the
// role. Changed files are loaded without a restart. TLS for clients of the public API is not
// part of this package.
package certs

import (
	"crypto/x509"
	"fmt"
	"net/url"
	"slices"
	"strings"
)

// The roles. Proxy, Router, Keyauth and Dashboard are services.
const (
	Proxy     = "proxy"
	Router    = "router"
	Keyauth   = "keyauth"
	Dashboard = "dashboard"
	// Operator is the role of people and scripts that manage the installation.
	Operator = "operator"
)

// A role is stored in the certificate as the URI signalbox://role/<role>.
const (
	roleScheme = "signalbox"
	roleHost   = "role"
)

// Roles lists all roles.
func Roles() []string { return []string{Proxy, Router, Keyauth, Dashboard, Operator} }

// RoleOf returns the role in a certificate. It returns an error if the certificate contains no
// role, several roles or an unknown role.
func RoleOf(cert *x509.Certificate) (string, error) {
	var role string
	for _, u := range cert.URIs {
		if u.Scheme != roleScheme {
			continue
		}
		if role != "" {
			return "", fmt.Errorf("certificate of %q contains several roles", cert.Subject.CommonName)
		}
		role = strings.TrimPrefix(u.Path, "/")
		if u.Host != roleHost || checkRole(role) != nil {
			return "", fmt.Errorf("certificate of %q contains an unknown role %q", cert.Subject.CommonName, u)
		}
	}
	if role == "" {
		return "", fmt.Errorf("certificate of %q contains no role", cert.Subject.CommonName)
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
