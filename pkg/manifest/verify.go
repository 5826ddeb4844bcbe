package manifest

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
)

// shown is how many rows of each kind a report names.
const shown = 20

// ErrManifest is in the chain when the manifest itself cannot be believed.
var ErrManifest = errors.New("the manifest was altered or is not whole")

// Report is what became of an export.
type Report struct {
	Summary   Summary
	Altered   Found
	Missing   Found
	Added     Found
	Reordered Found
	// Header is whether the line of column names was altered.
	Header bool
}

// Found is rows of one kind.
type Found struct {
	Count int
	// First names some of them.
	First []Place
}

// Place is a row by its id and its number, from 1, in the manifest; for one
// that was added, in the export.
type Place struct {
	ID  string
	Row int
}

func (f *Found) add(r row) {
	f.Count++
	if len(f.First) < shown {
		f.First = append(f.First, Place{ID: r.id, Row: r.at + 1})
	}
}

// OK reports whether the export is what it was.
func (r *Report) OK() bool {
	return !r.Header && r.Altered.Count+r.Missing.Count+r.Added.Count+r.Reordered.Count == 0
}

// Verify holds an export against its manifest. Both are read as they come, and
// only rows that are not where they belong are held in memory.
func Verify(export io.Reader, manifest io.ReadSeeker) (*Report, error) {
	format, err := formatOf(manifest)
	if err != nil {
		return nil, err
	}
	v := &verifier{lines: newLines(manifest), want: map[string]row{}, got: map[string]row{}}
	rows, whole := newSplitter(format, v.take), sha256.New()
	if _, err := io.Copy(io.MultiWriter(rows, whole), export); err != nil {
		return nil, fmt.Errorf("read the export: %w", err)
	}
	if err := errors.Join(rows.close(), v.rest()); err != nil {
		return nil, err
	}
	v.report.Summary = v.lines.summary
	v.report.Header = v.header != v.lines.summary.Header
	v.leftovers()
	if err := v.reordered(manifest); err != nil {
		return nil, err
	}
	if v.report.OK() && hexOf(whole) != v.lines.summary.SHA256 {
		return nil, fmt.Errorf("%w: its checksum of the whole is not that of its rows", ErrManifest)
	}
	return &v.report, nil
}

// verifier walks both at the same pace. A row whose other half has not come yet
// waits: after one is missing, one waits at a time.
type verifier struct {
	report Report
	lines  *lines
	header string
	// want and got wait, by id.
	want, got map[string]row
	// order is where in the manifest each row of the export stands; -1 for one
	// that is not in it.
	order []int
}

// take is the next row of the export.
func (v *verifier) take(r row) error {
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
		v.pair(m, r)
		return nil
	case ok:
		v.expect(m)
	}
	if m, ok := v.want[r.id]; ok {
		delete(v.want, r.id)
		v.pair(m, r)
	} else if _, twice := v.got[r.id]; twice {
		v.report.Added.add(r)
	} else {
		v.got[r.id] = r
	}
	return nil
}

func (v *verifier) expect(m row) {
	if r, ok := v.got[m.id]; ok {
		delete(v.got, m.id)
		v.pair(m, r)
	} else if _, twice := v.want[m.id]; twice {
		v.report.Missing.add(m)
	} else {
		v.want[m.id] = m
	}
}

func (v *verifier) pair(m, r row) {
	v.order[r.at] = m.at
	if m.sum != r.sum {
		v.report.Altered.add(m)
	}
}

// rest reads what the manifest has beyond the export.
func (v *verifier) rest() error {
	for {
		m, ok, err := v.lines.next()
		if err != nil || !ok {
			return err
		}
		v.expect(m)
	}
}
