package certs

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"time"
)

const (
	caYears   = 10
	leafYears = 1
	// skew lets a certificate be used at once by a peer whose clock is behind.
	skew = time.Hour
)

// Write makes certificates for the roles, each in a folder of its own below
// dir (see Load), so that a service can be given its own and no other. They are
// good for one year as client and as server, with the hosts (names or
// addresses) beside the loopback ones.
//
// They are signed by the CA in dir/ca (cert.pem, key.pem): if there is none,
// one is made first; one that is there is used and never replaced, so that
// running services which trust it accept the renewed certificates. A CA of
// which one file is missing, or that has expired, is refused. Certificates of
// further CAs may follow its own in dir/ca/cert.pem: roles trust all of them.
//
// Keys have mode 0600. Each file appears whole or not at all.
func Write(dir string, roles, hosts []string, now time.Time) error {
	for _, role := range roles {
		if err := checkRole(role); err != nil {
			return err
		}
	}
	for _, h := range hosts {
		if net.ParseIP(h) == nil && (h == "" || strings.ContainsAny(h, ":/ ")) {
			return fmt.Errorf("%q is neither a host name nor an address", h)
		}
	}
	for _, name := range append([]string{caFolder}, roles...) {
		if err := os.MkdirAll(filepath.Join(dir, name), modeFolder); err != nil {
			return fmt.Errorf("make certificates: %w", err)
		}
	}
	ca, err := openCA(dir, now)
	if err != nil {
		return err
	}
	for _, role := range roles {
		if err := writeLeaf(dir, ca, role, hosts, now); err != nil {
			return fmt.Errorf("make certificate of %s: %w", role, err)
		}
	}
	return nil
}

// authority signs.
type authority struct {
	cert *x509.Certificate
	key  any
	// trusted is the content of its file, which every role gets.
	trusted []byte
}

// openCA reads the CA, or makes it where neither of its files is there.
func openCA(dir string, now time.Time) (*authority, error) {
	_, certErr := os.Stat(caFile(dir))
	_, keyErr := os.Stat(caKeyFile(dir))
	if errors.Is(certErr, fs.ErrNotExist) && errors.Is(keyErr, fs.ErrNotExist) {
		if err := createCA(dir, now); err != nil {
			return nil, fmt.Errorf("make CA: %w", err)
		}
	}
	trusted, err := os.ReadFile(caFile(dir))
	if err != nil {
		return nil, fmt.Errorf("read CA, which is not replaced: %w", err)
	}
	pair, err := tls.LoadX509KeyPair(caFile(dir), caKeyFile(dir))
	if err != nil {
		return nil, fmt.Errorf("read CA, which is not replaced: %w", err)
	}
	switch cert := pair.Leaf; {
	case !cert.IsCA:
		return nil, fmt.Errorf("%s is not the certificate of a CA", caFile(dir))
	case now.Before(cert.NotBefore) || now.After(cert.NotAfter):
		return nil, fmt.Errorf("the CA in %s is valid from %s to %s only", caFile(dir), cert.NotBefore, cert.NotAfter)
	default:
		return &authority{cert: cert, key: pair.PrivateKey, trusted: trusted}, nil
	}
}

func createCA(dir string, now time.Time) error {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return err
	}
	template := &x509.Certificate{
		Subject:               pkix.Name{CommonName: "Signalbox development CA"},
		NotBefore:             now.Add(-skew),
		NotAfter:              now.AddDate(caYears, 0, 0),
		KeyUsage:              x509.KeyUsageCertSign | x509.KeyUsageCRLSign,
		BasicConstraintsValid: true,
		IsCA:                  true,
		MaxPathLenZero:        true,
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	if err != nil {
		return err
	}
	return writePair(caFile(dir), caKeyFile(dir), der, key, os.Link)
}

func writeLeaf(dir string, ca *authority, role string, hosts []string, now time.Time) error {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return err
	}
	der, err := x509.CreateCertificate(rand.Reader, leaf(ca, role, hosts, now), ca.cert, key.Public(), ca.key)
	if err != nil {
		return err
	}
	if err := writeFile(trustFile(dir, role), ca.trusted, modeCert, os.Rename); err != nil {
		return err
	}
	return writePair(leafFile(dir, role), leafKeyFile(dir, role), der, key, os.Rename)
}

// leaf is a certificate for both sides of a connection, because services call
// each other. It never outlives its CA.
func leaf(ca *authority, role string, hosts []string, now time.Time) *x509.Certificate {
	c := &x509.Certificate{
		Subject:     pkix.Name{CommonName: role},
		NotBefore:   now.Add(-skew),
		NotAfter:    now.AddDate(leafYears, 0, 0),
		KeyUsage:    x509.KeyUsageDigitalSignature,
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth, x509.ExtKeyUsageServerAuth},
		URIs:        []*url.URL{roleURI(role)},
		DNSNames:    []string{"localhost", role},
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1), net.IPv6loopback},
	}
	if c.NotAfter.After(ca.cert.NotAfter) {
		c.NotAfter = ca.cert.NotAfter
	}
	for _, h := range hosts {
		if ip := net.ParseIP(h); ip != nil {
			c.IPAddresses = append(c.IPAddresses, ip)
		} else {
			c.DNSNames = append(c.DNSNames, h)
		}
	}
	return c
}
