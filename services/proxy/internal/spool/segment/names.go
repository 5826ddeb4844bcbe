package segment

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

const suffix = ".seg"

// CopySuffix marks the copy of a segment before the copy replaces the segment.
const CopySuffix = ".copy"

// FormatName returns the file name of the segment with that index.
func FormatName(index uint64) string {
	return fmt.Sprintf("%010d%s", index, suffix)
}

func parseName(name string) (index uint64, ok bool) {
	stem, ok := strings.CutSuffix(name, suffix)
	index, err := strconv.ParseUint(stem, 10, 64)
	return index, ok && err == nil
}

// File is a segment file. Segments are numbered in the order of their creation.
type File struct {
	Path  string
	Index uint64
}

// List returns the directory's segments in ascending order.
func List(dir string) ([]File, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	var out []File
	for _, e := range entries {
		if index, ok := parseName(e.Name()); ok {
			out = append(out, File{filepath.Join(dir, e.Name()), index})
		}
	}
	slices.SortFunc(out, func(a, b File) int { return cmp.Compare(a.Index, b.Index) })
	return out, nil
}
