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

// maxLine limits the length of a line. The last line is the longest, because it contains the query.
const maxLine = 64 << 10

type manifestReader struct {
	in      *bufio.Reader
	root    hash.Hash
	read    int
	summary Summary
	ended   bool
}

func newManifestReader(in io.Reader) *manifestReader {
	return &manifestReader{in: bufio.NewReaderSize(in, maxLine), root: sha256.New()}
}

// next returns the next row. After the last row it verifies the summary and returns false.
func (l *manifestReader) next() (row, bool, error) {
	if l.ended {
		return row{}, false, nil
	}
	b, err := l.in.ReadSlice('\n')
	if err != nil {
		return row{}, false, fmt.Errorf("%w: the last line is missing", ErrManifest)
	}
	var line struct {
		ID string `json:"id"`
		Summary
	}
	err = json.Unmarshal(b, &line)
	sum, bad := hex.DecodeString(line.SHA256)
	if err != nil || bad != nil || len(sum) != sha256.Size {
		return row{}, false, fmt.Errorf("%w: line %d is invalid", ErrManifest, l.read+1)
	}
	if line.Root != "" {
		l.ended, l.summary = true, line.Summary
		return row{}, false, l.verifySummary()
	}
	_, _ = l.root.Write(b) // a hash never fails
	r := row{id: line.ID, sum: [sha256.Size]byte(sum), index: l.read}
	l.read++
	return r, true, nil
}

// verifySummary checks that the last line matches the lines before it.
func (l *manifestReader) verifySummary() error {
	if _, err := l.in.ReadByte(); !errors.Is(err, io.EOF) {
		return fmt.Errorf("%w: there is data after the last line", ErrManifest)
	}
	b, err := l.summary.rootInput()
	_, _ = l.root.Write(b)
	switch {
	case err != nil:
		return err
	case l.summary.Rows != int64(l.read) || l.summary.Root != hexSum(l.root):
		return fmt.Errorf("%w: the checksum or the row count in its last line is wrong", ErrManifest)
	}
	return nil
}

// readFormat reads the format from the last line and seeks back to the start.
func readFormat(manifest io.ReadSeeker) (Format, error) {
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
		return "", fmt.Errorf("%w: the last line has no known format", ErrManifest)
	}
	_, err = manifest.Seek(0, io.SeekStart)
	return s.Format, err
}
