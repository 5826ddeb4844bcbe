package certs

import (
	"crypto/tls"
	"crypto/x509"
)

// ServerTLS returns the TLS configuration of a listener. It requires TLS 1.3 and a client
// certificate that a trusted CA has signed and that contains any role. Each handshake uses the
// current files.
func (i *Identity) ServerTLS() *tls.Config {
	return &tls.Config{
		MinVersion: tls.VersionTLS13,
		ClientAuth: tls.RequireAndVerifyClientCert,
		GetConfigForClient: func(*tls.ClientHelloInfo) (*tls.Config, error) {
			return i.currentMaterial().serverConfig(), nil
		},
	}
}

func (m *material) serverConfig() *tls.Config {
	return &tls.Config{
		MinVersion:   tls.VersionTLS13,
		ClientAuth:   tls.RequireAndVerifyClientCert,
		ClientCAs:    m.cas,
		Certificates: []tls.Certificate{m.cert},
		// A resumed session skips the verification, so it would stay valid after the CA is removed.
		SessionTicketsDisabled: true,
		VerifyConnection: func(cs tls.ConnectionState) error {
			_, err := RoleOf(cs.PeerCertificates[0])
			return err
		},
	}
}

// ClientTLS returns the TLS configuration of a client of the given role. It requires TLS 1.3 and a
// server certificate that a trusted CA has signed and that contains this role. It does not check
// host names, so a service can move to another host. Each handshake uses the current files.
func (i *Identity) ClientTLS(serverRole string) *tls.Config {
	return &tls.Config{
		MinVersion: tls.VersionTLS13,
		GetClientCertificate: func(*tls.CertificateRequestInfo) (*tls.Certificate, error) {
			return &i.currentMaterial().cert, nil
		},
		// The default verification checks the host name and uses fixed CAs. VerifyConnection
		// checks the role and uses the current CAs instead.
		InsecureSkipVerify: true,
		VerifyConnection: func(cs tls.ConnectionState) error {
			return i.currentMaterial().requireServer(cs.PeerCertificates, serverRole)
		},
	}
}

func (m *material) requireServer(chain []*x509.Certificate, role string) error {
	if err := m.verifyChain(chain, x509.ExtKeyUsageServerAuth); err != nil {
		return err
	}
	return requireRole(chain[0], role)
}
