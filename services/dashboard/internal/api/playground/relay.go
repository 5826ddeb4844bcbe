package playground

import (
	"io"
	"net/http"
	"strings"
	"time"

	"github.com/signalbox/signalbox/services/dashboard/internal/httpapi"
)

const (
	relayBuffer = 32 << 10
	// writeTimeout is how long a browser may take to read one part of a response.
	writeTimeout = 30 * time.Second
)

// relayedHeaders lists the response headers of a proxy that the browser receives, beside
// those that start with X-Signalbox-. X-Request-Id is the id of the run's record.
var relayedHeaders = []string{"Content-Type", "Retry-After", "X-Error-Code", "X-Request-Id", "X-Should-Retry"}

// relayResponse sends the response part by part, as it arrives. If it breaks off, the
// connection is closed, so that the browser notices.
func relayResponse(w http.ResponseWriter, res *http.Response) {
	h := w.Header()
	for _, name := range relayedHeaders {
		if value := res.Header.Get(name); value != "" {
			h.Set(name, value)
		}
	}
	for name, values := range res.Header {
		if strings.HasPrefix(name, "X-Signalbox-") {
			h[name] = values
		}
	}
	h.Set("X-Accel-Buffering", "no")
	w.WriteHeader(res.StatusCode)
	if err := copyParts(w, res.Body); err != nil {
		httpapi.AbortResponse(w)
	}
}

func copyParts(w http.ResponseWriter, from io.Reader) error {
	control := http.NewResponseController(w)
	buffer := make([]byte, relayBuffer)
	for {
		n, err := from.Read(buffer)
		if n > 0 {
			_ = control.SetWriteDeadline(time.Now().Add(writeTimeout)) // best effort: not every writer supports deadlines
			if _, err := w.Write(buffer[:n]); err != nil {
				return err
			}
			if err := control.Flush(); err != nil {
				return err
			}
		}
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
	}
}
