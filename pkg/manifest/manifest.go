// Package manifest lists the checksums of an export, so that whoever has both
// can tell which rows were altered, taken out, put in or moved. It knows how
// rows are told apart in CSV and NDJSON, and nothing of what is in them but
// where their id stands. The dashboard makes manifests, the command line makes
// and checks them. A manifest is no signature: keep it, or its root, apart from
// the export.
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

// Format is how an export is written.
type Format string

// The formats.
const (
	CSV    Format = "csv"
	NDJSON Format = "ndjson"
)

// Line is a row of an export: every line of a manifest but the last.
type Line struct {
	ID string `json:"id"`
	// SHA256 is over the row's bytes, with the end of its line.
	SHA256 string `json:"sha256"`
}

// Summary is the last line of a manifest: what is true of the whole.
type Summary struct {
	Format Format `json:"format"`
	// Query is what was asked for, as in the address; To is its upper bound,
	// without which nobody could ask the same again.
	Query string `json:"query"`
	To    string `json:"to"`
	Rows  int64  `json:"rows"`
	// Header is over the line of column names, which only CSV has.
	Header string `json:"header,omitempty"`
	// SHA256 is over the whole export.
	SHA256 string `json:"sha256"`
	// Open is whether requests of that time may still have been running, whose
	// rows came later. It tells of the moment, not of the rows, and the root
	// does not cover it.
	Open bool `json:"open,omitempty"`
	// Root is over all lines before this one, and this one with an empty root.
	Root string `json:"root"`
}

// Settling is how long after its upper bound an export may still gain rows: a
// record comes when its request has ended, which it has in ten minutes.
const Settling = 11 * time.Minute

// covered is what the root covers of the last line.
func (s Summary) covered() ([]byte, error) {
	s.Open, s.Root = false, ""
	return line(s)
}

// Writer takes the bytes of an export and writes its manifest.
type Writer struct {
	out     io.Writer
	summary Summary
	rows    *splitter
	whole   hash.Hash
	root    hash.Hash
}

// NewWriter begins a manifest. Of what is said by the format, the query, the
// upper bound and whether that is open; the rest is found out. Who needs only
// the summary writes to io.Discard.
func NewWriter(out io.Writer, of Summary) *Writer {
	w := &Writer{
		out: out, summary: Summary{Format: of.Format, Query: of.Query, To: of.To, Open: of.Open},
		whole: sha256.New(), root: sha256.New(),
	}
	w.rows = newSplitter(of.Format, w.row)
	return w
}

// Write takes the next bytes of the export, in pieces of any size.
func (w *Writer) Write(p []byte) (int, error) {
	_, _ = w.whole.Write(p) // a hash takes everything
	return w.rows.Write(p)
}

// Close writes the summary, and returns it. An export that does not end with a
// row's end is refused: it is not whole.
func (w *Writer) Close() (Summary, error) {
	if w.rows.begun {
		return Summary{}, errors.New("the export ends in the middle of a row")
	}
	w.summary.SHA256 = hexOf(w.whole)
	b, err := w.summary.covered()
	if err != nil {
		return Summary{}, err
	}
	_, _ = w.root.Write(b) // a hash takes everything
	w.summary.Root = hexOf(w.root)
	_, err = w.line(w.summary)
	return w.summary, err
}

func (w *Writer) row(r row) error {
	if r.header {
		w.summary.Header = hex.EncodeToString(r.sum[:])
		return nil
	}
	w.summary.Rows++
	b, err := w.line(Line{ID: r.id, SHA256: hex.EncodeToString(r.sum[:])})
	_, _ = w.root.Write(b)
	return err
}

func (w *Writer) line(v any) ([]byte, error) {
	b, err := line(v)
	if err != nil {
		return nil, err
	}
	_, err = w.out.Write(b)
	return b, err
}

func line(v any) ([]byte, error) {
	b, err := json.Marshal(v)
	return append(b, '\n'), err
}

func hexOf(h hash.Hash) string { return hex.EncodeToString(h.Sum(nil)) }
