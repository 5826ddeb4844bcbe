package spool

import (
	"sort"
	"time"
)

// segmentState describes one file of a journal. journal.mu guards it.
type segmentState struct {
	path  string
	index uint64
	size  int64
	// ends holds the positions of the ENDs, ordered by sequence number.
	ends []endPosition
	// openStarts counts the STARTs in this file whose request is still open.
	openStarts int
	// openStartBytes is the total size of the open STARTs.
	openStartBytes int64
	// stripped is set when no body is left to drop.
	stripped bool
	// neededUntil is the highest sequence number of two groups: the ENDs in this
	// file, and the ENDs in any file that complete a START in this file. Once all
	// numbers up to neededUntil are settled, the file is no longer needed.
	neededUntil uint64
}

// endPosition locates one END in its segment.
type endPosition struct {
	seq       uint64
	offset    int64
	writtenAt time.Duration // when the END was written or read, relative to journal.openedAt
}

// searchEnd returns the index of the first END numbered seq or higher.
func (s *segmentState) searchEnd(seq uint64) int {
	return sort.Search(len(s.ends), func(i int) bool { return s.ends[i].seq >= seq })
}
