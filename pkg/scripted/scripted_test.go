package scripted_test

import (
	"errors"
	"io"
	"net/http"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/pkg/scripted"
	"github.com/signalbox/signalbox/pkg/testkit/scriptedtest"
)

// post sends a body and reads the response as far as it goes.
func post(t *testing.T, client *http.Client, url string) (*http.Response, string, error) {
	t.Helper()
	res, err := client.Post(url+"/v1/chat/completions?a=b", "application/json", strings.NewReader(`{"stream":true}`))
	if err != nil {
		return nil, "", err
	}
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	return res, string(body), err
}

func newClient(t *testing.T) *http.Client {
	c := &http.Client{Transport: &http.Transport{}}
	t.Cleanup(c.CloseIdleConnections)
	return c
}

func TestAnswers(t *testing.T) {
	u := scriptedtest.New(t, scriptedtest.OpenAI)
	events := scripted.Events("{}", "[DONE]")
	const raw = "HTTP/1.1 299 Odd\r\nContent-Length: 5\r\n\r\nab"
	for _, tt := range []struct {
		name   string
		give   scripted.Response
		status int
		length int64
		body   string
		err    error
	}{
		{"whole", scripted.JSON(418, "{}").WithHeader("X-A", "b"), 418, 2, "{}", nil},
		{"pieces", events, 200, -1, "data: {}\n\ndata: [DONE]\n\n", nil},
		{"bytewise", events.Bytewise(), 200, -1, "data: {}\n\ndata: [DONE]\n\n", nil},
		{"nothing", scripted.Response{}, 200, 0, "", nil},
		{"no body allowed", scripted.JSON(204, "{}"), 204, 0, "", nil},
		{"shorter than it says", scripted.Stream("a", "b").WithHeader("Content-Length", "5"), 200, 5, "ab", io.ErrUnexpectedEOF},
		{"longer than it says", scripted.Stream("a", "b").WithHeader("Content-Length", "1"), 200, 1, "a", nil},
		{"closed", events.First(1, scripted.Close), 200, -1, "data: {}\n\n", io.ErrUnexpectedEOF},
		{"closed at a byte", events.CutAt(12, scripted.Close), 200, -1, "data: {}\n\nda", io.ErrUnexpectedEOF},
		{"reset at a byte", events.CutAt(3, scripted.Reset), 200, -1, "dat", syscall.ECONNRESET},
		{"verbatim", scripted.Raw(raw, "cde"), 299, 5, "abcde", nil},
		{"verbatim, cut", scripted.Raw(raw), 299, 5, "ab", io.ErrUnexpectedEOF},
		{"paced", events.Paced(time.Microsecond), 200, -1, "data: {}\n\ndata: [DONE]\n\n", nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			u.Script(tt.give)
			// On a connection that an earlier response has broken, the call might not
			// arrive.
			res, body, err := post(t, newClient(t), u.URL)
			require.ErrorIs(t, err, tt.err)
			require.Equal(t, tt.status, res.StatusCode)
			require.Equal(t, tt.length, res.ContentLength)
			require.Equal(t, tt.body, body)
			for name, value := range tt.give.Header {
				require.Equal(t, value, res.Header.Get(name))
			}
		})
	}
	_, body, err := post(t, newClient(t), u.URL)
	require.NoError(t, err)
	require.Contains(t, body, "[DONE]", "what no script covers is served")
}

func TestNoAnswerAtAll(t *testing.T) {
	u := scriptedtest.New(t, scriptedtest.OpenAI)
	for _, ending := range []scripted.Ending{scripted.Close, scripted.Reset} {
		u.Script(scripted.Response{Ending: ending})
		_, _, err := post(t, newClient(t), u.URL)
		require.Error(t, err)
	}
}

func TestReceived(t *testing.T) {
	u := scriptedtest.New(t, scriptedtest.OpenAI)
	require.Empty(t, u.Last())
	c := newClient(t)
	for range 2 {
		_, _, err := post(t, c, u.URL)
		require.NoError(t, err)
	}
	require.Len(t, u.Received(), 2)
	require.Equal(t, 1, u.Connections())
	got := u.Last()
	require.Equal(t, "POST /v1/chat/completions?a=b", got.Method+" "+got.Path+"?"+got.Query)
	require.Equal(t, `{"stream":true}`, string(got.Body))
	require.EqualValues(t, len(got.Body), got.Length)
	require.Equal(t, "application/json", got.Header.Get("Content-Type"))
}

func TestCallersThatLeave(t *testing.T) {
	u := scriptedtest.New(t, scriptedtest.OpenAI)
	for name, a := range map[string]scripted.Response{
		"hanging": scripted.Stream("a").First(1, scripted.Hang),
		"hanging, verbatim": func() scripted.Response {
			a := scripted.Raw("HTTP/1.1 200 OK\r\n\r\na")
			a.Ending = scripted.Hang
			return a
		}(),
		"in a pause": {Pieces: []scripted.Piece{{Data: "a"}, {Data: "b", Wait: time.Hour}}},
	} {
		t.Run(name, func(t *testing.T) {
			u.Script(a)
			res, err := newClient(t).Post(u.URL, "", nil)
			require.NoError(t, err)
			_, err = io.ReadFull(res.Body, make([]byte, 1))
			require.NoError(t, err)
			if a.Ending == scripted.Hang {
				<-u.HungCalls()
			}
			require.NoError(t, res.Body.Close())
			u.AwaitDisconnect(t)
		})
	}
}

func TestCloseEndsAllWaiting(t *testing.T) {
	u := scriptedtest.New(t, scriptedtest.OpenAI)
	u.Script(scripted.Response{Ending: scripted.Hang})
	go func() {
		<-u.HungCalls()
		u.Close()
	}()
	_, _, err := post(t, newClient(t), u.URL)
	require.Error(t, err)
}

func TestTransportNeedsNoNetwork(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		began := time.Now()
		c := &http.Client{Transport: scripted.Transport(scripted.Stream("a", "b").Paced(time.Minute))}
		res, body, err := post(t, c, "http://nowhere.invalid")
		require.NoError(t, err)
		require.Equal(t, 200, res.StatusCode)
		require.Equal(t, "ab", body)
		require.Equal(t, 2*time.Minute, time.Since(began))

		c = &http.Client{Transport: scripted.Transport(scripted.Stream("abc").CutAt(2, scripted.Reset))}
		_, body, err = post(t, c, "http://nowhere.invalid")
		require.True(t, errors.Is(err, io.ErrUnexpectedEOF), "%v", err)
		require.Equal(t, "ab", body)
	})
}
