package certs

import (
	"crypto/tls"
	"crypto/x509"
)

// ServerTLS returns the configuration of a listener. It requires TLS 1.3 and a peer whose
// certificate is signed by a trusted CA and names a role. Each handshake uses the current
// files.
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
		// A resumed session could outlive the trust in the peer's certificate.
		SessionTicketsDisabled: true,
		VerifyConnection: func(cs tls.ConnectionState) error {
			_, err := RoleOf(cs.PeerCertificates[0])
			return err
		},
	}
}

// ClientTLS returns the configuration to dial a server of the given role. It requires TLS 1.3
// and a server whose certificate is signed by a trusted CA and names that role. Host names are
// not checked, so a service may move. Each handshake uses the current files.
func (i *Identity) ClientTLS(serverRole string) *tls.Config {
	return &tls.Config{
		MinVersion: tls.VersionTLS13,
		GetClientCertificate: func(*tls.CertificateRequestInfo) (*tls.Certificate, error) {
			return &i.currentMaterial().cert, nil
		},
		// The default verification checks host names and a fixed CA; VerifyConnection
		// replaces it.
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
