package web

import (
	"net/http"

	"github.com/klauspost/compress/gzhttp"
)

// jitterBytes hides the exact length of a compressed response, from which an attacker who
// can put text into it could guess the rest (BREACH).
const jitterBytes = 32

// compressResponses compresses pages and API responses of at least a kilobyte. It leaves
// live streams and exports alone, because they flush often.
func compressResponses(next http.Handler) (http.Handler, error) {
	wrap, err := gzhttp.NewWrapper(
		gzhttp.ContentTypes([]string{"text/html", "application/json"}),
		gzhttp.RandomJitter(jitterBytes, 0, false),
		gzhttp.EnableZstd(false), // at the level of gzhttp it is larger than gzip
	)
	if err != nil {
		return nil, err
	}
	return wrap(next), nil
}
