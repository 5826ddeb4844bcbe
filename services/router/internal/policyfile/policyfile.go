// Package policyfile reads the operator's policy file. The path is the operator's, but what
// it leads to can change while the router runs, so a read is bounded in size and in time and
// accepts regular files only: a device has no end, and a FIFO may never deliver a byte.
package policyfile

import (
	"context"
	"fmt"
	"io"
	"os"
	"syscall"

	"github.com/signalbox/signalbox/pkg/policy"
)

// Fault is why a file was not read. The text contains neither the path nor the content, so
// that it can be shown to all users.
type Fault string

func (f Fault) Error() string { return string(f) }

// The faults that this package finds itself.
const (
	ErrNotRegular Fault = "the policy file is not a regular file"
	ErrTooLarge   Fault = "the policy file is larger than 512 KiB"
	ErrSlow       Fault = "the policy file cannot be read in time"
)

// Reader reads one file. It is not safe for concurrent use.
type Reader struct {
	path string
	// read is readRegular, except in tests.
	read func(path string) ([]byte, error)
	// pending is the read that did not finish in time; nil if there is none. A disk that
	// hangs keeps one goroutine at most.
	pending chan result
}

type result struct {
	document []byte
	err      error
}

// New returns a reader of the file at path.
func New(path string) *Reader { return &Reader{path: path, read: readRegular} }

// Read returns the content of the file. It returns ErrSlow when ctx ends before the file is
// read; the next call then waits for the same read.
func (r *Reader) Read(ctx context.Context) ([]byte, error) {
	if r.pending == nil {
		done := make(chan result, 1)
		r.pending = done
		go func() {
			document, err := r.read(r.path)
			done <- result{document, err}
		}()
	}
	select {
	case got := <-r.pending:
		r.pending = nil
		return got.document, got.err
	case <-ctx.Done():
		return nil, ErrSlow
	}
}

// readRegular looks at the file before it opens it, because opening a device can have
// effects, and once more afterwards, because the path can lead elsewhere by then. Opening
// does not wait for the other end of a FIFO.
func readRegular(path string) ([]byte, error) {
	if err := checkRegular(os.Stat(path)); err != nil {
		return nil, err
	}
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, fmt.Errorf("open policy file: %w", err)
	}
	defer func() { _ = f.Close() }()
	if err := checkRegular(f.Stat()); err != nil {
		return nil, err
	}
	document, err := io.ReadAll(io.LimitReader(f, policy.MaxDocument+1))
	switch {
	case err != nil:
		return nil, fmt.Errorf("read policy file: %w", err)
	case len(document) > policy.MaxDocument:
		return nil, ErrTooLarge
	}
	return document, nil
}

func checkRegular(info os.FileInfo, err error) error {
	switch {
	case err != nil:
		return fmt.Errorf("find policy file: %w", err)
	case !info.Mode().IsRegular():
		return ErrNotRegular
	}
	return nil
}
