package notify

import (
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"mime"
	"mime/quotedprintable"
	"net"
	"net/mail"
	"net/smtp"
	"net/textproto"
	"net/url"
	"strings"
	"time"

	"github.com/signalbox/signalbox/services/dashboard/internal/alert"
)

// mailTimeout bounds one attempt, from the connection to the last response.
const mailTimeout = 15 * time.Second

// Mailer sends e-mail through one server, which the operator chooses. So the address of the
// server may be private.
type Mailer struct {
	address, host  string
	user, password string
	from           *mail.Address
	// implicitTLS means TLS from the first byte. Otherwise STARTTLS is required, unless
	// plaintext is true.
	implicitTLS, plaintext bool
	// config is nil for the CAs of the system.
	config *tls.Config
}

// NewMailer parses smtps://user:password@host:465 (TLS), smtp://host:587 (STARTTLS) or
// smtp://host:25?tls=none. config may be nil. Errors never contain the URL.
func NewMailer(address, from string, config *tls.Config) (*Mailer, error) {
	u, err := url.Parse(address)
	if err != nil || u.Hostname() == "" || u.Scheme != "smtp" && u.Scheme != "smtps" {
		return nil, errors.New("smtp-url must look like smtps://user:password@mail.example.com:465 or smtp://mail.example.com:587")
	}
	sender, err := mail.ParseAddress(from)
	if err != nil {
		return nil, errors.New("smtp-from must be an e-mail address, such as Signalbox <alerts@example.com>")
	}
	m := &Mailer{host: u.Hostname(), from: sender, user: u.User.Username(), implicitTLS: u.Scheme == "smtps", config: config}
	m.password, _ = u.User.Password()
	port := u.Port()
	switch {
	case port == "" && m.implicitTLS:
		port = "465"
	case port == "":
		port = "587"
	}
	m.address = net.JoinHostPort(m.host, port)
	switch mode := u.Query().Get("tls"); mode {
	case "":
	case "none":
		m.plaintext = !m.implicitTLS
	default:
		return nil, errors.New("the parameter tls of smtp-url can only be none")
	}
	return m, nil
}

// Send makes one attempt. Account owners read the error.
func (m *Mailer) Send(ctx context.Context, to string, msg alert.Message) error {
	ctx, cancel := context.WithTimeout(ctx, mailTimeout)
	defer cancel()
	body, err := m.compose(to, msg)
	if err != nil {
		return err
	}
	conn, err := (&net.Dialer{}).DialContext(ctx, "tcp", m.address)
	if err != nil {
		return errors.New("the mail server cannot be reached")
	}
	defer func() { _ = conn.Close() }()
	deadline, _ := ctx.Deadline()
	if err := conn.SetDeadline(deadline); err != nil {
		return errors.New("the mail server cannot be reached")
	}
	// A canceled context ends the reads and writes of net/smtp, which knows no contexts.
	stop := context.AfterFunc(ctx, func() { _ = conn.Close() })
	defer stop()
	return m.talk(conn, to, body)
}

func (m *Mailer) talk(conn net.Conn, to string, body []byte) error {
	if m.implicitTLS {
		conn = tls.Client(conn, m.tlsConfig())
	}
	c, err := smtp.NewClient(conn, m.host)
	if err != nil {
		return explainMailError("did not respond", err)
	}
	if err := m.secure(c); err != nil {
		return err
	}
	if m.user != "" {
		if err := c.Auth(smtp.PlainAuth("", m.user, m.password, m.host)); err != nil {
			return explainMailError("rejected the login", err)
		}
	}
	if err := c.Mail(m.from.Address); err != nil {
		return explainMailError("rejected the sender", err)
	}
	if err := c.Rcpt(to); err != nil {
		return explainMailError("rejected the recipient", err)
	}
	w, err := c.Data()
	if err != nil {
		return explainMailError("rejected the message", err)
	}
	if _, err := w.Write(body); err != nil {
		return explainMailError("rejected the message", err)
	}
	if err := w.Close(); err != nil {
		return explainMailError("rejected the message", err)
	}
	_ = c.Quit() // the server has accepted the message
	return nil
}

func (m *Mailer) secure(c *smtp.Client) error {
	if m.implicitTLS || m.plaintext {
		return nil
	}
	if ok, _ := c.Extension("STARTTLS"); !ok {
		return errors.New("the mail server does not support encryption")
	}
	if err := c.StartTLS(m.tlsConfig()); err != nil {
		return errors.New("the certificate of the mail server is not trusted")
	}
	return nil
}

func (m *Mailer) tlsConfig() *tls.Config {
	config := &tls.Config{}
	if m.config != nil {
		config = m.config.Clone()
	}
	config.ServerName = m.host
	return config
}

// explainMailError adds the status of the server, but not its text, which can name internal hosts.
func explainMailError(what string, err error) error {
	var reply *textproto.Error
	if errors.As(err, &reply) {
		return fmt.Errorf("the mail server %s with status %d", what, reply.Code)
	}
	return fmt.Errorf("the mail server %s", what)
}

// compose returns the message with its headers. The Message-ID contains the id of the event, so
// that mail programs recognize a repeated delivery, and the reply headers group the messages
// of one incident.
func (m *Mailer) compose(to string, msg alert.Message) ([]byte, error) {
	recipient, err := mail.ParseAddress(to)
	if err != nil || strings.ContainsAny(to, "\r\n") {
		return nil, errors.New("the e-mail address is not valid")
	}
	_, domain, _ := strings.Cut(m.from.Address, "@")
	var b bytes.Buffer
	header := func(name, value string) { fmt.Fprintf(&b, "%s: %s\r\n", name, value) }
	header("From", m.from.String())
	header("To", recipient.String())
	header("Subject", mime.QEncoding.Encode("utf-8", "[Signalbox] "+msg.Title()))
	header("Date", msg.Time.Format(time.RFC1123Z))
	header("Message-ID", fmt.Sprintf("<%s@%s>", msg.ID, domain))
	if msg.Data.Incident != "" {
		header("References", fmt.Sprintf("<%s@%s>", msg.Data.Incident, domain))
	}
	header("Auto-Submitted", "auto-generated")
	header("MIME-Version", "1.0")
	header("Content-Type", "text/plain; charset=utf-8")
	header("Content-Transfer-Encoding", "quoted-printable")
	b.WriteString("\r\n")
	w := quotedprintable.NewWriter(&b)
	_, _ = fmt.Fprintf(w, "%s\r\n\r\nOpen Signalbox: %s\r\nRunbook: %s\r\n", msg.Data.Text, msg.Data.Link, msg.Data.Runbook)
	_ = w.Close() // a buffer never fails
	return b.Bytes(), nil
}
