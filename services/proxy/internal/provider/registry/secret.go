package registry

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/signalbox/signalbox/pkg/config"
)

// maxSecret is how many bytes of a credential file are read. It limits the memory that
// is used if a path names a large file by mistake.
const maxSecret = 64 << 10

// NewSecretResolver returns a function that resolves references to credentials. It
// gets env:NAME from lookup and file:PATH from disk, and trims white space. It fails if
// the value is missing, empty or not valid in a header. Its errors never contain a
// value.
func NewSecretResolver(lookup func(name string) (string, bool)) func(ref string) (config.Secret, error) {
	return func(ref string) (config.Secret, error) {
		kind, name, _ := strings.Cut(ref, ":")
		var text string
		var err error
		switch kind {
		case "env":
			text, _ = lookup(name)
		case "file":
			text, err = readSecretFile(name)
		default:
			err = errors.New("must be env:NAME or file:PATH")
		}
		if err == nil {
			text, err = trimSecret(text)
		}
		if err != nil {
			return "", fmt.Errorf("credential %s: %w", displayName(ref), err)
		}
		return config.Secret(text), nil
	}
}

func readSecretFile(path string) (string, error) {
	f, err := os.Open(path)
	if err != nil {
		return "", stripPath(err)
	}
	defer func() { _ = f.Close() }()
	b, err := io.ReadAll(io.LimitReader(f, maxSecret))
	return string(b), stripPath(err)
}

// stripPath removes the path from a file error, because the caller already adds the name.
func stripPath(err error) error {
	if e, ok := errors.AsType[*os.PathError](err); ok {
		return e.Err
	}
	return err
}

func trimSecret(text string) (string, error) {
	text = strings.TrimSpace(text)
	if text == "" {
		return "", errors.New("missing or empty")
	}
	for _, c := range []byte(text) {
		if c <= ' ' || c > '~' {
			return "", errors.New("contains white space, control or non-ASCII characters")
		}
	}
	return text, nil
}

// displayName returns the part of a reference that is safe to show. It omits the
// directory. It hides a malformed reference, because the reference may be the secret
// itself.
func displayName(ref string) string {
	kind, name, _ := strings.Cut(ref, ":")
	switch kind {
	case "env":
		return ref
	case "file":
		return "file:" + filepath.Base(name)
	}
	return "(malformed)"
}
