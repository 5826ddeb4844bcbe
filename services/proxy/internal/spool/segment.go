package spool

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sort"
	"strconv"
	"strings"
	"time"
)

const segmentSuffix = ".seg"

// segment describes one file of a journal. journal.mu guards it.
type segment struct {
	path  string
	index uint64
	size  int64
	// ends holds the positions of the END frames, ordered by sequence number.
	ends []endPosition
	// openStarts counts the START frames in this file whose request is still open.
	openStarts int
	// openStartBytes is the total size of the open START frames.
	openStartBytes int64
	// stripped is set when no body is left to drop.
	stripped bool
	// neededUntil is the highest sequence number of two groups: the END frames in this
	// file, and the END frames in any file that complete a START frame in this file. Once all
	// numbers up to neededUntil are settled, the file is no longer needed.
	neededUntil uint64
}

// endPosition locates one END frame in its segment.
type endPosition struct {
	seq       uint64
	offset    int64
	writtenAt time.Duration // when the END frame was written or read, relative to journal.openedAt
}

// searchEnd returns the index of the first END frame numbered seq or higher.
func (s *segment) searchEnd(seq uint64) int {
	return sort.Search(len(s.ends), func(i int) bool { return s.ends[i].seq >= seq })
}

func formatSegmentName(index uint64) string {
	return fmt.Sprintf("%010d%s", index, segmentSuffix)
}

func parseSegmentName(name string) (index uint64, ok bool) {
	stem, ok := strings.CutSuffix(name, segmentSuffix)
	index, err := strconv.ParseUint(stem, 10, 64)
	return index, ok && err == nil
}

type segmentFile struct {
	path  string
	index uint64
}

// listSegments returns the directory's segments in ascending order.
func listSegments(dir string) ([]segmentFile, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	var out []segmentFile
	for _, e := range entries {
		if index, ok := parseSegmentName(e.Name()); ok {
			out = append(out, segmentFile{filepath.Join(dir, e.Name()), index})
		}
	}
	slices.SortFunc(out, func(a, b segmentFile) int { return cmp.Compare(a.index, b.index) })
	return out, nil
}

// syncDir syncs a directory, so that created and renamed files survive a power
// failure.
func syncDir(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	defer d.Close()
	return d.Sync()
}
