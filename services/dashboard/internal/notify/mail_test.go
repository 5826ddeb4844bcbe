package notify_test

import (
	"bufio"
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/base64"
	"io"
	"mime"
	"mime/quotedprintable"
	"net"
	"net/http/httptest"
	"net/mail"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/services/dashboard/internal/notify"
)

// mailServer speaks as much SMTP as a client needs. It has the certificate of httptest, which
// is valid for 127.0.0.1.
type mailServer struct {
	listener net.Listener
	config   *tls.Config
	roots    *x509.CertPool
	// offersTLS adds STARTTLS to the extensions.
	offersTLS bool
	// rejects is the response to RCPT; empty to accept.
	rejects string
	// got has the commands and messages of the session.
	got chan session
}

type session struct {
	commands []string
	message  string
	secure   bool
}

func newMailServer(t *testing.T) *mailServer {
	web := httptest.NewUnstartedServer(nil)
	web.StartTLS()
	t.Cleanup(web.Close)
	lis, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	t.Cleanup(func() { _ = lis.Close() })
	m := &mailServer{listener: lis, config: &tls.Config{Certificates: web.TLS.Certificates}, roots: x509.NewCertPool(), offersTLS: true, got: make(chan session, 10)}
	m.roots.AddCert(web.Certificate())
	return m
}

func (m *mailServer) start() {
	go func() {
		for {
			conn, err := m.listener.Accept()
			if err != nil {
				return
			}
			go m.serve(conn)
		}
	}()
}

func (m *mailServer) serve(conn net.Conn) {
	defer func() { _ = conn.Close() }()
	var s session
	in := bufio.NewReader(conn)
	say := func(line string) { _, _ = io.WriteString(conn, line+"\r\n") }
	say("220 mail.internal.example ready")
	for {
		line, err := in.ReadString('\n')
		if err != nil {
			return
		}
		line = strings.TrimRight(line, "\r\n")
		s.commands = append(s.commands, line)
		switch verb, _, _ := strings.Cut(line, " "); strings.ToUpper(verb) {
		case "EHLO":
			if m.offersTLS && !s.secure {
				say("250-mail")
				say("250 STARTTLS")
			} else {
				say("250-mail")
				say("250 AUTH PLAIN")
			}
		case "STARTTLS":
			say("220 go on")
			secure := tls.Server(conn, m.config)
			conn, in, s.secure = secure, bufio.NewReader(secure), true
		case "RCPT":
			if m.rejects != "" {
				say(m.rejects)
				continue
			}
			say("250 fine")
		case "DATA":
			say("354 send it")
			s.message = readMessage(in)
			say("250 queued")
		case "QUIT":
			say("221 bye")
			m.got <- s
			return
		case "AUTH":
			say("235 welcome")
		default:
			say("250 fine")
		}
	}
}

func readMessage(in *bufio.Reader) string {
	var b strings.Builder
	for {
		line, err := in.ReadString('\n')
		if err != nil || line == ".\r\n" {
			return b.String()
		}
		b.WriteString(line)
	}
}

func (m *mailServer) mailer(t *testing.T, before, after string) *notify.Mailer {
	mailer, err := notify.NewMailer(before+m.listener.Addr().String()+after, "Signalbox <alerts@example.com>", &tls.Config{RootCAs: m.roots})
	require.NoError(t, err)
	return mailer
}

func TestMailIsSentEncrypted(t *testing.T) {
	m := newMailServer(t)
	m.start()
	require.NoError(t, m.mailer(t, "smtp://me:pass%20word@", "").Send(t.Context(), "team@example.com", firing))
	s := <-m.got
	require.True(t, s.secure)
	require.Contains(t, s.commands, "AUTH PLAIN "+base64.StdEncoding.EncodeToString([]byte("\x00me\x00pass word")))
	require.Contains(t, strings.Join(s.commands, "\n"), "MAIL FROM:<alerts@example.com>")
	require.Contains(t, s.commands, "RCPT TO:<team@example.com>")
	msg, err := mail.ReadMessage(strings.NewReader(s.message))
	require.NoError(t, err)
	subject, err := new(mime.WordDecoder).DecodeHeader(msg.Header.Get("Subject"))
	require.NoError(t, err)
	require.Equal(t, "[Signalbox] Firing: Errors <!channel> & Ümläute", subject)
	require.Equal(t, "<event-1@example.com>", msg.Header.Get("Message-Id"))
	require.Equal(t, "<incident-1@example.com>", msg.Header.Get("References"))
	body, err := io.ReadAll(quotedprintable.NewReader(msg.Body))
	require.NoError(t, err)
	require.Contains(t, string(body), "Error rate is 90 %.\r\n\r\nOpen Signalbox: https://box.example.com/errors\r\nRunbook: https://box.example.com/docs/alerts#error-rate")
}

func TestMailIsNotSentWithoutEncryption(t *testing.T) {
	m := newMailServer(t)
	m.offersTLS = false
	m.start()
	require.EqualError(t, m.mailer(t, "smtp://", "").Send(t.Context(), "team@example.com", firing), "the mail server does not support encryption")
	require.NoError(t, m.mailer(t, "smtp://", "?tls=none").Send(t.Context(), "team@example.com", firing))
	require.False(t, (<-m.got).secure)
}

func TestMailOverTLSAndAnUntrustedCertificate(t *testing.T) {
	m := newMailServer(t)
	m.offersTLS = false
	m.listener = tls.NewListener(m.listener, m.config)
	m.start()
	require.NoError(t, m.mailer(t, "smtps://", "").Send(t.Context(), "team@example.com", firing))
	<-m.got
	strict, err := notify.NewMailer("smtps://"+m.listener.Addr().String(), "alerts@example.com", nil)
	require.NoError(t, err)
	require.Error(t, strict.Send(t.Context(), "team@example.com", firing))
}

func TestMailErrorsNameNoInternals(t *testing.T) {
	m := newMailServer(t)
	m.rejects = "550 5.1.1 no mailbox on mail.internal.example"
	m.start()
	mailer := m.mailer(t, "smtp://", "")
	require.EqualError(t, mailer.Send(t.Context(), "gone@example.com", firing), "the mail server rejected the recipient with status 550")
	require.EqualError(t, mailer.Send(t.Context(), "a@example.com\r\nDATA", firing), "the e-mail address is not valid")
	_ = m.listener.Close()
	require.EqualError(t, mailer.Send(t.Context(), "team@example.com", firing), "the mail server cannot be reached")
	for _, bad := range []string{"http://x", "smtp://", "smtps://host?tls=maybe", "smtp://user:secret@"} {
		_, err := notify.NewMailer(bad, "a@example.com", nil)
		require.Error(t, err)
		require.NotContains(t, err.Error(), "secret")
	}
	_, err := notify.NewMailer("smtp://host", "not an address", nil)
	require.Error(t, err)
}

// TestAMailServerThatHangs checks that the end of its context ends an attempt.
func TestAMailServerThatHangs(t *testing.T) {
	m := newMailServer(t)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	go func() { // accepts a connection, but never speaks
		conn, err := m.listener.Accept()
		if err != nil {
			return
		}
		defer func() { _ = conn.Close() }()
		_, _ = conn.Read(make([]byte, 1)) // the client starts the TLS handshake after it has connected
		cancel()
		<-t.Context().Done()
	}()
	require.EqualError(t, m.mailer(t, "smtps://", "").Send(ctx, "team@example.com", firing), "the mail server did not respond")
}
