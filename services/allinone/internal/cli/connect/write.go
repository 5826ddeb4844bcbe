package connect

import (
	"io/fs"
	"slices"
	"strings"
)

// writeFiles carries a plan out.
func (s *setup) writeFiles(plan []plannedFile, mode fs.FileMode) error {
	for _, p := range plan {
		if err := s.writeFile(p, mode); err != nil {
			return err
		}
	}
	return nil
}

func (s *setup) writeFile(p plannedFile, mode fs.FileMode) error {
	s.files.Clean(p.Path)
	switch {
	case !p.changes():
		return nil
	case p.remove:
		return s.files.Remove(p.Path, p.current)
	}
	return s.files.Replace(p.Path, p.current, p.after, mode)
}

// uniqueFolders returns the folders without duplicates, outer folders first.
func uniqueFolders(folders []string) []string {
	all := slices.Clone(folders)
	slices.SortFunc(all, strings.Compare) // a path sorts before the paths below it
	return slices.Compact(all)
}
