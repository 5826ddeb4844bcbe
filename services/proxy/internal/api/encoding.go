package api

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

// readable reports whether the body is compressed, or refuses what cannot be
// read at all.
func readable(h http.Header) (zipped bool, err error) {
	if kind := one(h, "Content-Type"); kind != "application/json" && kind != "" && !jsonType(kind) {
		return false, apperr.New(apperr.UnsupportedMediaType,
			"the content type must be application/json; with curl add -H 'Content-Type: application/json'").
			With("supported", []string{"application/json"})
	}
	encodings := h["Content-Encoding"]
	if len(encodings) == 0 {
		return false, nil
	}
	return zippedBy(strings.Join(encodings, ","))
}

// jsonType takes what means JSON in any spelling. Others are refused although
// the body might be JSON: that is what curl and forms send by themselves, and
// the vendor refuses them too.
func jsonType(kind string) bool {
	media, _, err := mime.ParseMediaType(kind)
	if err != nil && !errors.Is(err, mime.ErrInvalidMediaParameter) {
		return false
	}
	return media == "application/json" || media == "text/json" || strings.HasSuffix(media, "+json")
}

func zippedBy(encodings string) (zipped bool, err error) {
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
		return false, apperr.New(apperr.UnsupportedMediaType, "the content encoding is not supported; send the body as it is or with gzip").
			With("supported", []string{"gzip", "identity"})
	}
	return zipped, nil
}

// errZip marks what the decompressor did not like about its input.
var errZip = errors.New("gzip")

// unzip decompresses. What is wrong with the compressed bytes, an early end
// included, is damaged; what is wrong with reading them is passed on.
func unzip(r io.Reader) (io.Reader, error) {
	z, err := gzip.NewReader(r)
	if errors.Is(err, io.EOF) {
		err = io.ErrUnexpectedEOF // not even a header
	}
	if err != nil {
		return nil, zipError(err)
	}
	return &unzipper{z}, nil
}

type unzipper struct{ *gzip.Reader }

// Read reads what was compressed.
func (u *unzipper) Read(b []byte) (int, error) {
	n, err := u.Reader.Read(b)
	return n, zipError(err)
}

func zipError(err error) error {
	var corrupt flate.CorruptInputError
	if errors.Is(err, gzip.ErrHeader) || errors.Is(err, gzip.ErrChecksum) || errors.Is(err, io.ErrUnexpectedEOF) || errors.As(err, &corrupt) {
		return fmt.Errorf("%w: %w", errZip, err)
	}
	return err
}

func damaged(err error) bool { return errors.Is(err, errZip) }
