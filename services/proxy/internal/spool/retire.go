package spool

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"

	"github.com/signalbox/signalbox/services/proxy/internal/spool/segment"
)

// retiredSegment is a segment that takes no more frames, with its open file.
type retiredSegment struct {
	seg  *segmentState
	file *os.File
}

// retireActiveSegment retires the active segment, if there is one.
func (j *journal) retireActiveSegment() {
	if j.activeFile != nil {
		j.retired = append(j.retired, retiredSegment{j.segments[len(j.segments)-1], j.activeFile})
		j.activeFile = nil
	}
}

// openFileOf returns the segment's file if it is open. Reads use the open file,
// because the file may have been removed from its directory.
func (j *journal) openFileOf(seg *segmentState) *os.File {
	if j.activeFile != nil && seg == j.segments[len(j.segments)-1] {
		return j.activeFile
	}
	for _, r := range j.retired {
		if r.seg == seg {
			return r.file
		}
	}
	return nil
}

// releaseRemovedFiles releases the lock and the active file if another program
// removed them. The next frame creates directory, lock and file again.
func (j *journal) releaseRemovedFiles() {
	j.mu.Lock()
	lock, file, path := j.lock, j.activeFile, ""
	if file != nil {
		path = j.segments[len(j.segments)-1].path
	}
	j.mu.Unlock()
	lockGone := lock != nil && lock.isRemoved()
	fileGone := file != nil && !isFileAt(file, path)
	if !lockGone && !fileGone {
		return
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	if lockGone {
		_ = lock.Close() // the removed directory needs no lock
		j.lock = nil
	}
	if fileGone && file == j.activeFile {
		j.retireActiveSegment()
	}
}

// finishRetired syncs a retired file for the last time and closes it. If another
// program removed the file, finishRetired first writes it again. If that fails,
// the file stays open, so that it can still be read.
func (j *journal) finishRetired(r retiredSegment) error {
	err := r.file.Sync()
	j.filesMu.Lock()
	defer j.filesMu.Unlock()
	if j.hasSegment(r.seg) && !isFileAt(r.file, r.seg.path) {
		if err := j.rewriteRemoved(r); err != nil {
			return err
		}
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	j.retired = slices.DeleteFunc(j.retired, func(o retiredSegment) bool { return o == r })
	return errors.Join(err, r.file.Close())
}

// rewriteRemoved writes a file again that another program removed.
func (j *journal) rewriteRemoved(r retiredSegment) error {
	j.mu.Lock()
	err := j.lockOwnDir()
	j.mu.Unlock()
	if err != nil {
		return err
	}
	data, err := io.ReadAll(io.NewSectionReader(r.file, 0, r.seg.size))
	if err != nil {
		return err
	}
	copied := r.seg.path + segment.CopySuffix
	if err := segment.WriteAndSync(copied, data); err != nil {
		return err
	}
	if err := os.Rename(copied, r.seg.path); err != nil {
		return err
	}
	return segment.SyncDir(filepath.Dir(copied))
}
