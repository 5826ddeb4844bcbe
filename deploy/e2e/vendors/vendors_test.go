// Package vendors holds the emulators against the vendors' own libraries,
// unmodified: what these can read, send back and tell apart is what gateway and
// suites rely on. It needs nothing of the gateway.
package vendors

import (
	"encoding/json"
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/pkg/emulate"
)

// key is the one that the emulators of these tests know.
const key = "key-of-the-test"

// options are those of every emulator here.
var options = emulate.Options{Keys: []string{key}}

// listen puts an emulator on loopback until the test ends.
func listen(t *testing.T, s *emulate.Server) string {
	t.Helper()
	server := httptest.NewServer(s)
	t.Cleanup(server.Close)
	return server.URL
}

// weather are the parameters of the tools that tests have.
var weather = map[string]any{
	"type": "object", "properties": map[string]any{"city": map[string]any{"type": "string"}}, "required": []string{"city"},
	"additionalProperties": false,
}

// args is what every call of such a tool has.
const args = `{"city":"some city"}`

// pixel is an image.
const pixel = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="

func requireWeather(t *testing.T, text string) {
	t.Helper()
	require.True(t, json.Valid([]byte(text)), text)
	require.JSONEq(t, args, text)
}

// last is the line of the book for the latest call.
func last(t *testing.T, s *emulate.Server) emulate.Entry {
	t.Helper()
	book := s.Book()
	require.NotEmpty(t, book)
	return book[len(book)-1]
}
