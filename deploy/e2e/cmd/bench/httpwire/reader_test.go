package httpwire

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestTruncatedMessageIsAnError(t *testing.T) {
	for name, text := range map[string]string{
		"length":  "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n123",
		"chunked": "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\n123",
		"head":    "HTTP/1.1 200 OK\r\nContent-",
	} {
		t.Run(name, func(t *testing.T) {
			_, err := NewReader(strings.NewReader(text)).ReadMessage()
			require.Error(t, err)
		})
	}
}
