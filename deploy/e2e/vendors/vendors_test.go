// Package vendors tests the emulators with the vendors' own, unmodified libraries. The
// gateway and its suites rely on what these libraries can read, send back and tell apart.
// It does not use the gateway.
package vendors

import (
	"encoding/json"
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/pkg/testkit/emulate"
)

// key is the only credential that the emulators accept.
const key = "key-of-the-test"

// options are the options of every emulator.
var options = emulate.Options{Keys: []string{key}}

// listen serves an emulator on loopback until the test ends.
func listen(t *testing.T, s *emulate.Server) string {
	t.Helper()
	server := httptest.NewServer(s)
	t.Cleanup(server.Close)
	return server.URL
}

// weather is the parameter schema of the tools.
var weather = map[string]any{
	"type": "object", "properties": map[string]any{"city": map[string]any{"type": "string"}}, "required": []string{"city"},
	"additionalProperties": false,
}

// args are the arguments of every call of such a tool.
const args = `{"city":"some city"}`

// pixel is a PNG image in base64.
const pixel = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="

func requireWeather(t *testing.T, text string) {
	t.Helper()
	require.True(t, json.Valid([]byte(text)), text)
	require.JSONEq(t, args, text)
}

// lastEntry returns the latest call that the emulator recorded.
func lastEntry(t *testing.T, s *emulate.Server) emulate.Entry {
	t.Helper()
	book := s.Calls()
	require.NotEmpty(t, book)
	return book[len(book)-1]
}
