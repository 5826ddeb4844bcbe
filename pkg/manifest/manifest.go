// Package manifest creates and verifies manifests. A manifest lists the checksums of the rows of an
// export. Comparing an export with its manifest shows which rows were altered, removed, added or
// moved. The package splits CSV and NDJSON into rows and finds the id of each row. It does not
// interpret other values. The dashboard writes manifests. The command line writes and verifies them.
// A manifest is not signed, so store it, or its root, apart from the export.
package manifest

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"hash"
	"io"
	"time"
)

// Format is the format of an export.
type Format string

// The formats. NDJSON has one JSON object per line.
const (
	CSV    Format = "csv"
	NDJSON Format = "ndjson"
)

// Line describes a row of an export. Every line of a manifest except the last is a Line.
type Line struct {
	ID string `json:"id"`
	// SHA256 is the checksum of the row's bytes, including its line end.
	SHA256 string `json:"sha256"`
}

// Summary is the last line of a manifest.
type Summary struct {
	Format Format `json:"format"`
	// Query is the query of the export, encoded as in a URL.
	Query string `json:"query"`
	// To is the upper bound of the export's time range. Repeating the export requires it.
	To string `json:"to"`
	// Rows is the number of rows, without the CSV header.
	Rows int64 `json:"rows"`
	// Header is the checksum of the CSV header, the line of column names. NDJSON has none.
	Header string `json:"header,omitempty"`
	// SHA256 is the checksum of the whole export.
	SHA256 string `json:"sha256"`
	// MayGrow means that requests in the time range may still have been running, so that more rows
	// may follow. It depends on the time of the export, so the root does not cover it.
	MayGrow bool `json:"open,omitempty"`
	// Root is the checksum of all lines of the manifest. For the checksum, Root and MayGrow of the
	// last line are empty.
	Root string `json:"root"`
}

// SettlingTime is how long an export usually may still gain rows after the upper bound of its time
// range. A record is written when its request ends. With the default timeouts, a request takes at most
// ten minutes.
const SettlingTime = 11 * time.Minute

// rootInput returns the last line in the form that the root covers.
func (s Summary) rootInput() ([]byte, error) {
	s.MayGrow, s.Root = false, ""
	return encodeLine(s)
}

// Writer receives the bytes of an export and writes its manifest.
type Writer struct {
	out     io.Writer
	summary Summary
	rows    *splitter
	whole   hash.Hash
	root    hash.Hash
}

// NewWriter starts a manifest that is written to out. Set Format, Query, To and MayGrow of export.
// The Writer computes the other fields. Use io.Discard as out to get only the summary.
func NewWriter(out io.Writer, export Summary) *Writer {
	w := &Writer{
		out: out, summary: Summary{Format: export.Format, Query: export.Query, To: export.To, MayGrow: export.MayGrow},
		whole: sha256.New(), root: sha256.New(),
	}
	w.rows = newSplitter(export.Format, w.writeRow)
	return w
}

// Write processes the next bytes of the export. They may start and end anywhere in a row.
func (w *Writer) Write(p []byte) (int, error) {
	_, _ = w.whole.Write(p) // a hash never fails
	return w.rows.Write(p)
}

// Close writes and returns the summary. It returns an error if the export ends in the middle of
// a row.
func (w *Writer) Close() (Summary, error) {
	if w.rows.inRow {
		return Summary{}, errors.New("the export ends in the middle of a row")
	}
	w.summary.SHA256 = hexSum(w.whole)
	b, err := w.summary.rootInput()
	if err != nil {
		return Summary{}, err
	}
	_, _ = w.root.Write(b) // a hash never fails
	w.summary.Root = hexSum(w.root)
	_, err = w.writeLine(w.summary)
	return w.summary, err
}

func (w *Writer) writeRow(r row) error {
	if r.header {
		w.summary.Header = hex.EncodeToString(r.sum[:])
		return nil
	}
	w.summary.Rows++
	b, err := w.writeLine(Line{ID: r.id, SHA256: hex.EncodeToString(r.sum[:])})
	_, _ = w.root.Write(b)
	return err
}

func (w *Writer) writeLine(v any) ([]byte, error) {
	b, err := encodeLine(v)
	if err != nil {
		return nil, err
	}
	_, err = w.out.Write(b)
	return b, err
}

func encodeLine(v any) ([]byte, error) {
	b, err := json.Marshal(v)
	return append(b, '\n'), err
}

func hexSum(h hash.Hash) string { return hex.EncodeToString(h.Sum(nil)) }
