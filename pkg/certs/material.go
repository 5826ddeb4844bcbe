package certs

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"os"
)

// material is what one reading of the files gave.
type material struct {
	cert tls.Certificate
	// chain is the certificate and what leads from it to the CA.
	chain []*x509.Certificate
	// cas may hold several, so that a CA can be replaced without a gap.
	cas *x509.CertPool
}

func read(dir, role string) (*material, error) {
	cas, err := os.ReadFile(trustFile(dir, role))
	if err != nil {
		return nil, err
	}
	m := &material{cas: x509.NewCertPool()}
	if !m.cas.AppendCertsFromPEM(cas) {
		return nil, fmt.Errorf("%s holds no certificate", trustFile(dir, role))
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

// verify sees the certificate as a peer with the same CA does.
func (m *material) verify() error { return m.trusts(m.chain, x509.ExtKeyUsageAny) }

func (m *material) trusts(chain []*x509.Certificate, usage x509.ExtKeyUsage) error {
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
		err = fmt.Errorf("certificate is of the role %s, not %s", role, want)
	}
	return err
}

// expired tells a certificate out of its time from one that was never good.
func expired(err error) bool {
	var invalid x509.CertificateInvalidError
	return errors.As(err, &invalid) && invalid.Reason == x509.Expired
}
