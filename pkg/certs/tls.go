package certs

import (
	"crypto/tls"
	"crypto/x509"
)

// ServerTLS is the side that listens: TLS 1.3, and only for peers whose
// certificate is of the CA and names a role. Each handshake uses the files of
// the moment.
func (i *Identity) ServerTLS() *tls.Config {
	return &tls.Config{
		MinVersion: tls.VersionTLS13,
		ClientAuth: tls.RequireAndVerifyClientCert,
		GetConfigForClient: func(*tls.ClientHelloInfo) (*tls.Config, error) {
			return i.fresh().server(), nil
		},
	}
}

func (m *material) server() *tls.Config {
	return &tls.Config{
		MinVersion:   tls.VersionTLS13,
		ClientAuth:   tls.RequireAndVerifyClientCert,
		ClientCAs:    m.cas,
		Certificates: []tls.Certificate{m.cert},
		// A resumed session would outlive the trust in the peer's certificate.
		SessionTicketsDisabled: true,
		VerifyConnection: func(cs tls.ConnectionState) error {
			_, err := RoleOf(cs.PeerCertificates[0])
			return err
		},
	}
}

// ClientTLS is the side that dials a server of the given role: TLS 1.3, and
// only if the server's certificate is of the CA and names that role. The name
// it was dialled by does not matter, so a service may move. Each handshake
// uses the files of the moment.
func (i *Identity) ClientTLS(serverRole string) *tls.Config {
	return &tls.Config{
		MinVersion: tls.VersionTLS13,
		GetClientCertificate: func(*tls.CertificateRequestInfo) (*tls.Certificate, error) {
			return &i.fresh().cert, nil
		},
		// The usual check knows host names and a fixed CA; ours takes its place.
		InsecureSkipVerify: true,
		VerifyConnection: func(cs tls.ConnectionState) error {
			return i.fresh().requireServer(cs.PeerCertificates, serverRole)
		},
	}
}

func (m *material) requireServer(chain []*x509.Certificate, role string) error {
	if err := m.trusts(chain, x509.ExtKeyUsageServerAuth); err != nil {
		return err
	}
	return requireRole(chain[0], role)
}
