package bodyreader

import (
	"compress/flate"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"strings"

	"github.com/signalbox/signalbox/pkg/apperr"
)

// checkEncoding reports whether the body is compressed with gzip. It returns an error for
// a content type or encoding that is not supported.
func checkEncoding(h http.Header) (zipped bool, err error) {
	if kind := h.Get("Content-Type"); kind != "application/json" && kind != "" {
		if err := checkMediaType(kind); err != nil {
			return false, err
		}
	}
	encodings := h["Content-Encoding"]
	if len(encodings) == 0 {
		return false, nil
	}
	return parseEncodings(strings.Join(encodings, ","))
}

// checkMediaType returns an error unless a media type means JSON in UTF-8. Other types are
// rejected even if the body is JSON, because OpenAI rejects them too. curl and HTML forms send
// other types by default. Other charsets are rejected because JSON is always UTF-8: a body in
// Latin-1 would reach the model with replaced characters.
func checkMediaType(kind string) error {
	media, params, err := mime.ParseMediaType(kind)
	isValid := err == nil || errors.Is(err, mime.ErrInvalidMediaParameter)
	if !isValid || media != "application/json" && media != "text/json" && !strings.HasSuffix(media, "+json") {
		return apperr.New(apperr.UnsupportedMediaType,
			"the content type must be application/json; with curl add -H 'Content-Type: application/json'").
			With("supported", []string{"application/json"})
	}
	switch strings.ToLower(params["charset"]) {
	case "", "utf-8", "utf8", "us-ascii":
		return nil
	}
	return apperr.New(apperr.UnsupportedMediaType, "the charset of the body must be utf-8").
		With("supported", []string{"application/json; charset=utf-8"})
}

func parseEncodings(encodings string) (zipped bool, err error) {
	for name := range strings.SplitSeq(encodings, ",") {
		switch strings.ToLower(strings.TrimSpace(name)) {
		case "", "identity":
			continue
		case "gzip", "x-gzip":
			if !zipped {
				zipped = true
				continue
			}
		}
		return false, apperr.New(apperr.UnsupportedMediaType, "the content encoding is not supported; send the body uncompressed or with gzip").
			With("supported", []string{"gzip", "identity"})
	}
	return zipped, nil
}

// errDamaged means that the compressed body is corrupt or truncated.
var errDamaged = errors.New("gzip")

// unzip returns a decompressing reader. For corrupt or truncated input, its errors wrap
// errDamaged. It returns other read errors unchanged.
func unzip(r io.Reader) (io.Reader, error) {
	z, err := gzip.NewReader(r)
	if errors.Is(err, io.EOF) {
		err = io.ErrUnexpectedEOF // even the gzip header is missing
	}
	if err != nil {
		return nil, markDamaged(err)
	}
	return &unzipper{z}, nil
}

type unzipper struct{ *gzip.Reader }

// Read returns decompressed bytes.
func (u *unzipper) Read(b []byte) (int, error) {
	n, err := u.Reader.Read(b)
	return n, markDamaged(err)
}

func markDamaged(err error) error {
	var corrupt flate.CorruptInputError
	if errors.Is(err, gzip.ErrHeader) || errors.Is(err, gzip.ErrChecksum) || errors.Is(err, io.ErrUnexpectedEOF) || errors.As(err, &corrupt) {
		return fmt.Errorf("%w: %w", errDamaged, err)
	}
	return err
}

func isDamaged(err error) bool { return errors.Is(err, errDamaged) }
