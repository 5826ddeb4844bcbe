package relay_test

import (
	"bufio"
	"io"
	"net"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/deploy/e2e/relay"
)

// startEcho starts a server that returns every line, and a channel of the lines it
// received.
func startEcho(t *testing.T) (addr string, heard chan string) {
	lis, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	t.Cleanup(func() { _ = lis.Close() })
	heard = make(chan string, 10)
	go func() {
		for {
			conn, err := lis.Accept()
			if err != nil {
				return
			}
			go func() {
				defer func() { _ = conn.Close() }()
				lines := bufio.NewScanner(conn)
				for lines.Scan() {
					heard <- lines.Text()
					_, _ = io.WriteString(conn, lines.Text()+"\n")
				}
			}()
		}
	}()
	return lis.Addr().String(), heard
}

func sendLine(t *testing.T, r *relay.Relay, word string) (string, error) {
	t.Helper()
	conn, err := net.Dial("tcp", r.Addr())
	require.NoError(t, err)
	defer func() { _ = conn.Close() }()
	require.NoError(t, conn.SetDeadline(time.Now().Add(time.Minute)))
	if _, err := io.WriteString(conn, word+"\n"); err != nil {
		return "", err
	}
	return bufio.NewReader(conn).ReadString('\n')
}

func TestRelay(t *testing.T) {
	addr, heard := startEcho(t)
	r, err := relay.New(addr)
	require.NoError(t, err)
	t.Cleanup(r.Close)
	said := func(word string) {
		t.Helper()
		got, err := sendLine(t, r, word)
		require.NoError(t, err)
		require.Equal(t, word+"\n", got)
		require.Equal(t, word, <-heard)
	}
	said("hello")

	const delay = 30 * time.Millisecond
	r.SetDelay(delay)
	began := time.Now()
	said("slow")
	require.GreaterOrEqual(t, time.Since(began), delay)
	r.SetDelay(0)

	r.SetRefusing(true)
	_, err = sendLine(t, r, "refused")
	require.Error(t, err)
	r.SetRefusing(false)
	said("again")

	for _, pass := range []bool{false, true} {
		sprung := r.CutAt("COMMIT", pass)
		said("other words")
		_, err = sendLine(t, r, "then commit;")
		require.Error(t, err, "the response does not arrive")
		<-sprung
		if pass {
			require.Equal(t, "then commit;", <-heard)
		}
		require.Empty(t, heard)
		_, err = sendLine(t, r, "more")
		require.Error(t, err, "the relay refuses connections")
		r.SetRefusing(false)
		said("commit")
	}
}
