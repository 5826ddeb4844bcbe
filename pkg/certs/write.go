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
	// clockSkew is how far the start of the validity lies in the past. Peers whose clock is
	// behind accept a new certificate at once.
	clockSkew = time.Hour
)

// Write creates certificates for the roles. Each role has its own directory below dir (see
// Load), so that each service can receive only its own files. A certificate is valid for at most
// one year, for clients and servers. It contains the given hosts (names or addresses), the name of
// the role, and loopback.
//
// The CA in dir/ca (cert.pem, key.pem) signs the certificates. Write creates the CA if neither
// file exists. It never replaces an existing CA, because running services would reject
// certificates of a new CA. It returns an error if one of the two files is missing or the CA is
// not valid at the time now. If dir/ca/cert.pem contains further CAs, all roles trust these too.
//
// Private keys have mode 0600. Each file is written atomically.
func Write(dir string, roles, hosts []string, now time.Time) error {
	for _, role := range roles {
		if err := checkRole(role); err != nil {
			return err
		}
	}
	for _, h := range hosts {
		if net.ParseIP(h) == nil && (h == "" || strings.ContainsAny(h, ":/ ")) {
			return fmt.Errorf("%q is neither a host name nor an IP address", h)
		}
	}
	for _, name := range append([]string{caFolder}, roles...) {
		if err := os.MkdirAll(filepath.Join(dir, name), modeFolder); err != nil {
			return fmt.Errorf("create certificates: %w", err)
		}
	}
	ca, err := openCA(dir, now)
	if err != nil {
		return err
	}
	for _, role := range roles {
		if err := writeLeaf(dir, ca, role, hosts, now); err != nil {
			return fmt.Errorf("create certificate of %s: %w", role, err)
		}
	}
	return nil
}

type authority struct {
	cert *x509.Certificate
	key  any
	// trusted is the content of dir/ca/cert.pem. Every role gets a copy.
	trusted []byte
}

// openCA reads the CA. It creates the CA if neither of its files exists.
func openCA(dir string, now time.Time) (*authority, error) {
	_, certErr := os.Stat(caFile(dir))
	_, keyErr := os.Stat(caKeyFile(dir))
	if errors.Is(certErr, fs.ErrNotExist) && errors.Is(keyErr, fs.ErrNotExist) {
		if err := createCA(dir, now); err != nil {
			return nil, fmt.Errorf("create CA: %w", err)
		}
	}
	trusted, err := os.ReadFile(caFile(dir))
	if err != nil {
		return nil, fmt.Errorf("read existing CA: %w", err)
	}
	pair, err := tls.LoadX509KeyPair(caFile(dir), caKeyFile(dir))
	if err != nil {
		return nil, fmt.Errorf("read existing CA: %w", err)
	}
	switch cert := pair.Leaf; {
	case !cert.IsCA:
		return nil, fmt.Errorf("%s is not a CA certificate", caFile(dir))
	case now.Before(cert.NotBefore) || now.After(cert.NotAfter):
		return nil, fmt.Errorf("the CA in %s is valid only from %s to %s: remove %s to create a new CA", caFile(dir), cert.NotBefore, cert.NotAfter, filepath.Join(dir, caFolder))
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
		NotBefore:             now.Add(-clockSkew),
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
	der, err := x509.CreateCertificate(rand.Reader, leafTemplate(ca, role, hosts, now), ca.cert, key.Public(), ca.key)
	if err != nil {
		return err
	}
	if err := writeFile(trustFile(dir, role), ca.trusted, modeCert, os.Rename); err != nil {
		return err
	}
	return writePair(leafFile(dir, role), leafKeyFile(dir, role), der, key, os.Rename)
}

// leafTemplate returns a certificate for use as client and as server, because services call
// each other. The certificate expires no later than its CA.
func leafTemplate(ca *authority, role string, hosts []string, now time.Time) *x509.Certificate {
	c := &x509.Certificate{
		Subject:     pkix.Name{CommonName: role},
		NotBefore:   now.Add(-clockSkew),
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
