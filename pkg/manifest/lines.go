package manifest

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"hash"
	"io"
)

// maxLine bounds a line: the query in the last one is the longest text.
const maxLine = 64 << 10

// lines reads a manifest.
type lines struct {
	in      *bufio.Reader
	root    hash.Hash
	read    int
	summary Summary
	ended   bool
}

func newLines(in io.Reader) *lines {
	return &lines{in: bufio.NewReaderSize(in, maxLine), root: sha256.New()}
}

// next is the next row; false after the last, when the manifest has proven to
// be whole.
func (l *lines) next() (row, bool, error) {
	if l.ended {
		return row{}, false, nil
	}
	b, err := l.in.ReadSlice('\n')
	if err != nil {
		return row{}, false, fmt.Errorf("%w: it has no last line", ErrManifest)
	}
	var line struct {
		ID string `json:"id"`
		Summary
	}
	err = json.Unmarshal(b, &line)
	sum, bad := hex.DecodeString(line.SHA256)
	if err != nil || bad != nil || len(sum) != sha256.Size {
		return row{}, false, fmt.Errorf("%w: line %d cannot be read", ErrManifest, l.read+1)
	}
	if line.Root != "" {
		l.ended, l.summary = true, line.Summary
		return row{}, false, l.check()
	}
	_, _ = l.root.Write(b) // a hash takes everything
	r := row{id: line.ID, sum: [sha256.Size]byte(sum), at: l.read}
	l.read++
	return r, true, nil
}

// check holds the last line against what was before it.
func (l *lines) check() error {
	if _, err := l.in.ReadByte(); !errors.Is(err, io.EOF) {
		return fmt.Errorf("%w: there is more after its last line", ErrManifest)
	}
	b, err := l.summary.covered()
	_, _ = l.root.Write(b)
	switch {
	case err != nil:
		return err
	case l.summary.Rows != int64(l.read) || l.summary.Root != hexOf(l.root):
		return fmt.Errorf("%w: its lines are not those it was closed with", ErrManifest)
	}
	return nil
}

// formatOf reads the last line, and goes back to the beginning.
func formatOf(manifest io.ReadSeeker) (Format, error) {
	size, err := manifest.Seek(0, io.SeekEnd)
	if err != nil {
		return "", err
	}
	if _, err := manifest.Seek(max(0, size-maxLine), io.SeekStart); err != nil {
		return "", err
	}
	end, err := io.ReadAll(manifest)
	if err != nil {
		return "", err
	}
	end = bytes.TrimSuffix(end, []byte("\n"))
	var s Summary
	if json.Unmarshal(end[bytes.LastIndexByte(end, '\n')+1:], &s) != nil || s.Format != CSV && s.Format != NDJSON {
		return "", fmt.Errorf("%w: its last line does not say what it is of", ErrManifest)
	}
	_, err = manifest.Seek(0, io.SeekStart)
	return s.Format, err
}
