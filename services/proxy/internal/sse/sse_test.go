package sse_test

import (
	"errors"
	"io"
	"strings"
	"sync"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/pkg/apperr"
	"github.com/signalbox/signalbox/services/proxy/internal/sse"
)

// drain reads all events but heartbeats, and the error that ended them.
func drain(r io.Reader) ([]string, error) {
	e := sse.NewReader(io.NopCloser(r))
	var all []string
	for {
		data, err := e.Next()
		if err != nil {
			return all, err
		}
		if len(data) > 0 {
			all = append(all, string(data))
		}
	}
}

func TestEvents(t *testing.T) {
	for _, tc := range []struct {
		name, give string
		want       []string
		err        error
	}{
		{"plain", "data: {}\n\ndata: {\"a\":1}\n\ndata: [DONE]\n\n", []string{"{}", `{"a":1}`}, io.EOF},
		{"CRLF", "data: {}\r\n\r\ndata: [DONE]\r\n\r\n", []string{"{}"}, io.EOF},
		{"no space", "data:{}\n\ndata:[DONE]\n\n", []string{"{}"}, io.EOF},
		{"comments", ": OPENROUTER PROCESSING\n\n: ping - 2\n\ndata: {}\n\n: x\ndata: [DONE]\n\n", []string{"{}"}, io.EOF},
		{"fields", "event: x\nid: 1\nretry: 5\ndata: {}\n\nid: 2\n\ndata: [DONE]\n\n", []string{"{}"}, io.EOF},
		{"several lines", "data: {\"a\":\ndata: 1}\n\ndata: [DONE]\n\n", []string{"{\"a\":\n1}"}, io.EOF},
		{"empty data", "data:\n\ndata: \n\ndata: [DONE]\n\n", nil, io.EOF},
		{"BOM", "\ufeffdata: {}\n\ndata: [DONE]\n\n", []string{"{}"}, io.EOF},
		{"after done", "data: [DONE]\n\ndata: {}\n\n", nil, io.EOF},
		{"done without blank line", "data: {}\n\ndata: [DONE]", []string{"{}"}, io.EOF},
		{"no blank lines", "data: {\"a\":\ndata: {\ndata: \"}\\\"{\":1}}\ndata: {}\ndata: 5\n\ndata: {}\n", []string{"{\"a\":\n{\n\"}\\\"{\":1}}", "{}", "{}"}, sse.ErrNoDone},
		{"names twice", "data: {\"a\":1,\"a\":2}\ndata: {\"a\":1,\"a\":2}", []string{`{"a":1,"a":2}`, `{"a":1,"a":2}`}, sse.ErrNoDone},
		{"no done", "data: {}\n\n", []string{"{}"}, sse.ErrNoDone},
		{"last without blank line", "data: {}\n\ndata: {\"a\":1}\n", []string{"{}", `{"a":1}`}, sse.ErrNoDone},
		{"cut", "data: {}\n\ndata: {\"a\":", []string{"{}"}, sse.ErrNoDone},
		{"nothing", "", nil, sse.ErrNoDone},
	} {
		t.Run(tc.name, func(t *testing.T) {
			got, err := drain(strings.NewReader(tc.give))
			require.ErrorIs(t, err, tc.err)
			require.Equal(t, tc.want, got)
			got, err = drain(iotest.OneByteReader(strings.NewReader(tc.give)))
			require.ErrorIs(t, err, tc.err)
			require.Equal(t, tc.want, got, "byte by byte")
		})
	}
}

// An event of very many lines must not be re-read for each line. That would take
// many minutes here.
func TestEventsOfManyLinesAreFast(t *testing.T) {
	for name, line := range map[string]string{"objects": "{\"a\":", "whole objects": "{}", "blanks": " ", "nothing": ""} {
		lines := 1 << 17
		_, err := drain(strings.NewReader("data: {\"x\":[1\n" + strings.Repeat("data: "+line+"\n", lines) + "\n"))
		require.ErrorIs(t, err, sse.ErrNoDone, name)
		_, err = drain(strings.NewReader(strings.Repeat("data: "+line+" \n", lines)))
		require.ErrorIs(t, err, sse.ErrNoDone, name)
	}
}

func TestEventsAcceptLongLines(t *testing.T) {
	long := `{"a":"` + strings.Repeat("x", 5<<20) + `"}`
	got, err := drain(strings.NewReader(": " + strings.Repeat("c", 10000) + "\ndata: " + long + "\r\n\r\ndata: [DONE]\n\n"))
	require.ErrorIs(t, err, io.EOF)
	require.Len(t, got, 1)
	require.True(t, got[0] == long)
}

func TestEventsAreBounded(t *testing.T) {
	_, err := drain(io.MultiReader(strings.NewReader("data: "), io.LimitReader(endless{}, 17<<20)))
	require.True(t, apperr.Is(err, apperr.ProviderInvalidResponse), "%v", err)
}

type endless struct{}

func (endless) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = 'x'
	}
	return len(p), nil
}

func TestEventsPassOnReadErrors(t *testing.T) {
	broken := errors.New("reset")
	e := sse.NewReader(io.NopCloser(io.MultiReader(strings.NewReader("data: {}\n\n"), iotest.ErrReader(broken))))
	_, err := e.Next()
	require.NoError(t, err)
	for range 2 {
		_, err = e.Next()
		require.ErrorIs(t, err, broken)
	}
}

func TestEventsCloseConcurrently(t *testing.T) {
	r, w := io.Pipe()
	defer w.Close()
	e := sse.NewReader(r)
	ended := make(chan error)
	go func() {
		_, err := e.Next()
		ended <- err
	}()
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() { _ = e.Close() })
	}
	require.ErrorIs(t, <-ended, io.ErrClosedPipe)
	all.Wait()
}

func TestEventNames(t *testing.T) {
	e := sse.NewReader(io.NopCloser(strings.NewReader("event: a\ndata: {}\n\ndata: {}\n\nevent: lost\n\n" +
		"data: {}\nevent:b\n\ndata: {}\n\nevent: c \r\ndata: {}\nevent: d\ndata: {}\n\n")))
	var names []string
	for {
		data, err := e.Next()
		if err != nil {
			require.ErrorIs(t, err, sse.ErrNoDone)
			break
		}
		if len(data) > 0 {
			names = append(names, string(e.Name()))
		}
	}
	require.Equal(t, []string{"a", "", "b", "", "c", "d"}, names)
}
