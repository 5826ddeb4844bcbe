package spool

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
)

// retired is a segment that gets no more frames, still open.
type retired struct {
	seg  *segment
	file *os.File
}

// retire ends the segment that is written to, if there is one.
func (j *journal) retire() {
	if j.file != nil {
		j.retired = append(j.retired, retired{j.segments[len(j.segments)-1], j.file})
		j.file = nil
	}
}

// opened returns the segment's file if it is open. Then it is read through
// this: its name may be gone.
func (j *journal) opened(seg *segment) *os.File {
	if j.file != nil && seg == j.segments[len(j.segments)-1] {
		return j.file
	}
	for _, r := range j.retired {
		if r.seg == seg {
			return r.file
		}
	}
	return nil
}

// detach gives up a lock and a file whose names somebody has removed. The next
// frame makes directory and lock anew.
func (j *journal) detach() {
	j.mu.Lock()
	lock, file, path := j.lock, j.file, ""
	if file != nil {
		path = j.segments[len(j.segments)-1].path
	}
	j.mu.Unlock()
	lockGone := lock != nil && lock.gone()
	fileGone := file != nil && !isAt(file, path)
	if !lockGone && !fileGone {
		return
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	if lockGone {
		_ = lock.Close() // it guards nothing
		j.lock = nil
	}
	if fileGone && file == j.file {
		j.retire()
	}
}

// finish syncs a file for the last time and closes it. One that was removed is
// put back first; as long as that fails it stays open, to be read from.
func (j *journal) finish(r retired) error {
	err := r.file.Sync()
	j.files.Lock()
	defer j.files.Unlock()
	if j.has(r.seg) && !isAt(r.file, r.seg.path) {
		if err := j.putBack(r); err != nil {
			return err
		}
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	j.retired = slices.DeleteFunc(j.retired, func(o retired) bool { return o == r })
	return errors.Join(err, r.file.Close())
}

// putBack writes a removed file anew.
func (j *journal) putBack(r retired) error {
	j.mu.Lock()
	err := j.occupy()
	j.mu.Unlock()
	if err != nil {
		return err
	}
	data, err := io.ReadAll(io.NewSectionReader(r.file, 0, r.seg.size))
	if err != nil {
		return err
	}
	copied := r.seg.path + copySuffix
	if err := writeSynced(copied, data); err != nil {
		return err
	}
	if err := os.Rename(copied, r.seg.path); err != nil {
		return err
	}
	return syncDir(filepath.Dir(copied))
}
