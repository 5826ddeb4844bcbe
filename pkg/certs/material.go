package certs

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"os"
)

// material is the parsed content of the three files of a role, read together.
type material struct {
	cert tls.Certificate
	// chain contains the role's certificate and then its intermediate certificates.
	chain []*x509.Certificate
	// cas may contain several CAs. While a CA is being replaced, services trust the old and the
	// new CA.
	cas *x509.CertPool
}

func readMaterial(dir, role string) (*material, error) {
	cas, err := os.ReadFile(trustFile(dir, role))
	if err != nil {
		return nil, err
	}
	m := &material{cas: x509.NewCertPool()}
	if !m.cas.AppendCertsFromPEM(cas) {
		return nil, fmt.Errorf("%s contains no certificate", trustFile(dir, role))
	}
	if m.cert, err = tls.LoadX509KeyPair(leafFile(dir, role), leafKeyFile(dir, role)); err != nil {
		return nil, err
	}
	for _, der := range m.cert.Certificate {
		c, err := x509.ParseCertificate(der)
		if err != nil {
			return nil, err
		}
		m.chain = append(m.chain, c)
	}
	return m, requireRole(m.chain[0], role)
}

// verifyOwn verifies the role's own certificate against the CAs that the role trusts.
func (m *material) verifyOwn() error { return m.verifyChain(m.chain, x509.ExtKeyUsageAny) }

func (m *material) verifyChain(chain []*x509.Certificate, usage x509.ExtKeyUsage) error {
	opts := x509.VerifyOptions{
		Roots:         m.cas,
		Intermediates: x509.NewCertPool(),
		KeyUsages:     []x509.ExtKeyUsage{usage},
	}
	for _, c := range chain[1:] {
		opts.Intermediates.AddCert(c)
	}
	_, err := chain[0].Verify(opts)
	return err
}

func requireRole(cert *x509.Certificate, want string) error {
	role, err := RoleOf(cert)
	if err == nil && role != want {
		err = fmt.Errorf("certificate has the role %s, not %s", role, want)
	}
	return err
}

// isExpired reports whether a certificate was rejected only because it has expired or is not
// valid yet.
func isExpired(err error) bool {
	var invalid x509.CertificateInvalidError
	return errors.As(err, &invalid) && invalid.Reason == x509.Expired
}
