package web

import (
	_ "embed"
	"net/http"
)

// openapi describes all routes under /api/v1. A test compares it with the routes.
//
//go:embed openapi.json
var openapi []byte

func (s *server) apiGetOpenAPI(w http.ResponseWriter, _ *http.Request) error {
	w.Header().Set("Content-Type", "application/json")
	_, _ = w.Write(openapi)
	return nil
}
