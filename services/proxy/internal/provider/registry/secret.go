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

// maxSecret is far above any credential: a wrong path must not fill memory.
const maxSecret = 64 << 10

// Secrets resolves env:NAME through lookup and file:PATH from the disk, white
// space at the ends taken off. It fails on what is absent, empty or cannot
// stand in a header; no error shows a value.
func Secrets(lookup func(name string) (string, bool)) func(ref string) (config.Secret, error) {
	return func(ref string) (config.Secret, error) {
		kind, name, _ := strings.Cut(ref, ":")
		var text string
		var err error
		switch kind {
		case "env":
			text, _ = lookup(name)
		case "file":
			text, err = readSecret(name)
		default:
			err = errors.New("neither env:NAME nor file:PATH")
		}
		if err == nil {
			text, err = clean(text)
		}
		if err != nil {
			return "", fmt.Errorf("credential %s: %w", refName(ref), err)
		}
		return config.Secret(text), nil
	}
}

func readSecret(path string) (string, error) {
	f, err := os.Open(path)
	if err != nil {
		return "", bareFileError(err)
	}
	defer func() { _ = f.Close() }()
	b, err := io.ReadAll(io.LimitReader(f, maxSecret))
	return string(b), bareFileError(err)
}

// bareFileError takes off the path, which the reference names already.
func bareFileError(err error) error {
	if e, ok := errors.AsType[*os.PathError](err); ok {
		return e.Err
	}
	return err
}

func clean(text string) (string, error) {
	text = strings.TrimSpace(text)
	if text == "" {
		return "", errors.New("absent or empty")
	}
	for _, c := range []byte(text) {
		if c <= ' ' || c > '~' {
			return "", errors.New("contains characters that no credential has")
		}
	}
	return text, nil
}

// refName is what may be shown of a reference: not the folder, and nothing of
// one that is malformed, which may be the secret itself.
func refName(ref string) string {
	kind, name, _ := strings.Cut(ref, ":")
	switch kind {
	case "env":
		return ref
	case "file":
		return "file:" + filepath.Base(name)
	}
	return "(malformed)"
}
