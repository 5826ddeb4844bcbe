package manifest

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
)

// maxListedRows limits how many rows of each kind a report lists.
const maxListedRows = 20

// ErrManifest means that the manifest itself is damaged.
var ErrManifest = errors.New("the manifest was altered or is incomplete")

// Report lists how an export differs from its manifest.
type Report struct {
	Summary   Summary
	Altered   RowFindings
	Missing   RowFindings
	Added     RowFindings
	Reordered RowFindings
	// HeaderAltered means that the CSV header, the line of column names, was altered.
	HeaderAltered bool
}

// RowFindings are the rows with one kind of difference.
type RowFindings struct {
	Count int
	// First contains the first maxListedRows rows.
	First []RowRef
}

// RowRef is a row with its id and its number. The number counts the rows of the manifest from 1. For an
// added row, it counts the rows of the export.
type RowRef struct {
	ID  string
	Row int
}

func (f *RowFindings) add(r row) {
	f.Count++
	if len(f.First) < maxListedRows {
		f.First = append(f.First, RowRef{ID: r.id, Row: r.index + 1})
	}
}

// OK reports whether the export matches its manifest.
func (r *Report) OK() bool {
	return !r.HeaderAltered && r.Altered.Count+r.Missing.Count+r.Added.Count+r.Reordered.Count == 0
}

// Verify compares an export with its manifest. It reads both as streams. In memory it holds only the
// unmatched rows and one number per row.
func Verify(export io.Reader, manifest io.ReadSeeker) (*Report, error) {
	format, err := readFormat(manifest)
	if err != nil {
		return nil, err
	}
	v := &verifier{lines: newManifestReader(manifest), pendingManifest: map[string]row{}, pendingExport: map[string]row{}}
	rows, whole := newSplitter(format, v.addExportRow), sha256.New()
	if _, err := io.Copy(io.MultiWriter(rows, whole), export); err != nil {
		return nil, fmt.Errorf("read export: %w", err)
	}
	if err := errors.Join(rows.close(), v.readRemaining()); err != nil {
		return nil, err
	}
	v.report.Summary = v.lines.summary
	v.report.HeaderAltered = v.header != v.lines.summary.Header
	v.reportUnmatched()
	if err := v.reportMoved(manifest); err != nil {
		return nil, err
	}
	if v.report.OK() && hexSum(whole) != v.lines.summary.SHA256 {
		return nil, fmt.Errorf("%w: the rows match, but the checksum of the whole export does not", ErrManifest)
	}
	return &v.report, nil
}

// verifier reads the export and the manifest row by row. It holds the rows whose counterpart it has not
// read yet.
type verifier struct {
	report Report
	lines  *manifestReader
	header string
	// pendingManifest and pendingExport contain unmatched rows by id.
	pendingManifest, pendingExport map[string]row
	// order contains the manifest index of each row of the export. The index is -1 for a row that is
	// not in the manifest.
	order []int
}

func (v *verifier) addExportRow(r row) error {
	if r.header {
		v.header = hex.EncodeToString(r.sum[:])
		return nil
	}
	v.order = append(v.order, -1)
	m, ok, err := v.lines.next()
	switch {
	case err != nil:
		return err
	case ok && m.id == r.id:
		v.compareRows(m, r)
		return nil
	case ok:
		v.addManifestRow(m)
	}
	if m, ok := v.pendingManifest[r.id]; ok {
		delete(v.pendingManifest, r.id)
		v.compareRows(m, r)
	} else if _, twice := v.pendingExport[r.id]; twice {
		v.report.Added.add(r)
	} else {
		v.pendingExport[r.id] = r
	}
	return nil
}

func (v *verifier) addManifestRow(m row) {
	if r, ok := v.pendingExport[m.id]; ok {
		delete(v.pendingExport, m.id)
		v.compareRows(m, r)
	} else if _, twice := v.pendingManifest[m.id]; twice {
		v.report.Missing.add(m)
	} else {
		v.pendingManifest[m.id] = m
	}
}

func (v *verifier) compareRows(m, r row) {
	v.order[r.index] = m.index
	if m.sum != r.sum {
		v.report.Altered.add(m)
	}
}

// readRemaining reads the manifest lines that are left after the end of the export.
func (v *verifier) readRemaining() error {
	for {
		m, ok, err := v.lines.next()
		if err != nil || !ok {
			return err
		}
		v.addManifestRow(m)
	}
}
