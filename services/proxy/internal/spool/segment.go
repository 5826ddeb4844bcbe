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

// segment is one file of a journal. The journal's lock guards it.
type segment struct {
	path  string
	index uint64
	size  int64
	// marks says where the ENDs are, in the order of their numbers.
	marks []mark
	// open counts the STARTs here that have no END, needed their bytes.
	open   int
	needed int64
	// bare is set when there is no body left to drop.
	bare bool
	// last is the highest number of the ENDs here and of the ENDs, wherever
	// they are, of the STARTs here: with it committed, the file has no use.
	last uint64
}

type mark struct {
	seq uint64
	off int64
	at  time.Duration // since the journal was born
}

// from returns the index of the first mark with this number or a higher one.
func (s *segment) from(seq uint64) int {
	return sort.Search(len(s.marks), func(i int) bool { return s.marks[i].seq >= seq })
}

func segmentName(index uint64) string {
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

// listSegments returns the directory's segments in their order.
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

// syncDir makes the names in a directory survive a power failure.
func syncDir(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	defer d.Close()
	return d.Sync()
}
