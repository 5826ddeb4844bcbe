package web

import (
	_ "embed"
	"net/http"
)

// openapi describes every address below /api/v1; a test holds it against them.
//
//go:embed openapi.json
var openapi []byte

func (s *server) apiDescription(w http.ResponseWriter, _ *http.Request) error {
	w.Header().Set("Content-Type", "application/json")
	_, _ = w.Write(openapi)
	return nil
}
