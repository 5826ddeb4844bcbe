package connect

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/signalbox/signalbox/services/allinone/internal/cli/connect/clients"
	"github.com/signalbox/signalbox/services/allinone/internal/cli/connect/edit"
	"github.com/signalbox/signalbox/services/allinone/internal/cli/connect/userfiles"
)

// plannedFile is a settings file with what a command does to it.
type plannedFile struct {
	fileRecord
	current userfiles.Content
	// after is the new content. remove is true if the file is removed instead.
	after  []byte
	remove bool
	// kept names entries that were changed since connect and stay.
	kept []string
	// action is what happens, for the output: create, change, restore, remove or none.
	action string
	diff   []edit.Change
	// ignored is true if the client cannot read the file.
	ignored bool
}

func (p plannedFile) changes() bool { return p.action != "none" }

// planConnect reads the settings files and plans the entries of the target. Files that are
// in the record keep their originals.
func (s *setup) planConnect(r *record, target clients.Target) ([]plannedFile, error) {
	var all []plannedFile
	for _, file := range s.client.Files(s.env) {
		path, current, err := s.findFile(file, r)
		if err != nil {
			return nil, err
		}
		p := plannedFile{current: current, ignored: file.Strict && current.Exists && !isStrictJSON(current.Data), fileRecord: fileRecord{
			Path: path, Format: file.Format, Entries: file.Entries(target), Existed: current.Exists, Mode: current.Mode, Original: current.Data,
		}}
		if err := p.planEntries(); err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		if known := findRecord(r, path); known != nil {
			p.keepOriginal(known)
		}
		all = append(all, p)
	}
	return all, nil
}

// isStrictJSON reports whether a text has neither comments nor trailing commas.
func isStrictJSON(text []byte) bool { return json.Valid(text) || len(bytes.TrimSpace(text)) == 0 }

// findFile returns the file to change: the one in the record, or the first one that exists.
func (s *setup) findFile(file clients.File, r *record) (path userfiles.Path, current userfiles.Content, err error) {
	for _, path = range file.Paths {
		if findRecord(r, path) != nil {
			current, err = s.files.Read(path)
			return path, current, err
		}
	}
	for _, path = range file.Paths {
		if current, err = s.files.Read(path); err != nil || current.Exists {
			break
		}
	}
	return path, current, err
}

func findRecord(r *record, path userfiles.Path) *fileRecord {
	if r == nil {
		return nil
	}
	if i := slices.IndexFunc(r.Files, func(f fileRecord) bool { return f.Path == path }); i >= 0 {
		return &r.Files[i]
	}
	return nil
}

func (p *plannedFile) planEntries() (err error) {
	if p.after, err = p.Format.Apply(p.current.Data, p.Entries); err != nil {
		return err
	}
	p.Written = digest(p.after)
	switch {
	case !p.current.Exists:
		p.action = "create"
	case !bytes.Equal(p.after, p.current.Data):
		p.action = "change"
	default:
		p.action = "none"
	}
	p.diff, err = p.Format.Diff(p.current.Data, p.after, p.Entries)
	return err
}

// keepOriginal keeps what is known from the first run, also the digest: a file that was
// edited since must not get its original back.
func (p *plannedFile) keepOriginal(known *fileRecord) {
	p.Existed, p.Mode, p.Original, p.Written = known.Existed, known.Mode, known.Original, known.Written
}

// checkUnchanged returns an error if a file is not as the user saw it.
func checkUnchanged(shown, plan []plannedFile) error {
	for i, p := range plan {
		if p.Path != shown[i].Path || !bytes.Equal(p.current.Data, shown[i].current.Data) {
			return fmt.Errorf("%s was changed by another program at the same time; run the command again", p.Path)
		}
	}
	return nil
}

// planDisconnect reads the settings files and plans how they are restored.
func (s *setup) planDisconnect(r *record) ([]plannedFile, error) {
	var all []plannedFile
	for _, known := range r.Files {
		current, err := s.files.Read(known.Path)
		if err != nil {
			return nil, err
		}
		p := plannedFile{fileRecord: known, current: current}
		if err := p.planRestore(); err != nil {
			return nil, fmt.Errorf("%s: %w (the original content is in %s)", known.Path, err, s.record)
		}
		all = append(all, p)
	}
	return all, nil
}

func (p *plannedFile) planRestore() (err error) {
	p.after = p.Original
	switch {
	case !p.current.Exists, p.Existed && bytes.Equal(p.current.Data, p.Original):
		p.action = "none"
		return nil
	case digest(p.current.Data) == p.Written:
		p.action, p.remove = "restore", !p.Existed
	default:
		p.action = "edit"
		if p.after, p.kept, err = p.Format.Restore(p.current.Data, p.Original, p.Entries); err != nil {
			return err
		}
		p.remove = !p.Existed && p.Format.IsEmpty(p.after)
	}
	if p.remove {
		p.action, p.after = "remove", nil
	}
	p.diff, err = p.Format.Diff(p.current.Data, p.after, p.Entries)
	return err
}
