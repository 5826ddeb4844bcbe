package connect

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"

	"github.com/signalbox/signalbox/services/allinone/internal/cli/connect/edit"
	"github.com/signalbox/signalbox/services/allinone/internal/cli/connect/userfiles"
	"github.com/signalbox/signalbox/services/allinone/internal/cli/remote"
)

// recordVersion is the version of the format of a record.
const recordVersion = 1

// record is all that disconnect needs. It is written before anything changes.
type record struct {
	Version int    `json:"version"`
	Client  string `json:"client"`
	// URL is the address of the gateway.
	URL string    `json:"url"`
	Key keyRecord `json:"key"`
	// Disconnecting is true from the start of disconnect: the key may be revoked.
	Disconnecting bool `json:"disconnecting,omitempty"`
	// Files is empty until the key exists.
	Files []fileRecord `json:"files,omitempty"`
	// Folders lists the folders that did not exist, outermost first.
	Folders []string `json:"folders,omitempty"`

	// read is the file of the record as it was read.
	read userfiles.Content
}

// keyRecord is the key of a client. A key that was created has a name, by which it is found
// if the command ended before it could record the ID.
type keyRecord struct {
	Secret    string          `json:"secret,omitempty"`
	Name      string          `json:"name,omitempty"`
	ID        string          `json:"id,omitempty"`
	AccountID string          `json:"account_id,omitempty"`
	Location  remote.Location `json:"location"`
}

// fileRecord is a settings file as it was before connect.
type fileRecord struct {
	Path     userfiles.Path `json:"path"`
	Format   edit.Format    `json:"format"`
	Entries  []edit.Entry   `json:"entries"`
	Existed  bool           `json:"existed"`
	Mode     fs.FileMode    `json:"mode,omitempty"`
	Original []byte         `json:"original,omitempty"`
	// Written is the SHA-256 of the original with the entries, as connect writes it first.
	Written string `json:"written"`
}

func digest(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

// loadRecord returns the record of the client, or nil if the client is not connected.
func (s *setup) loadRecord() (*record, error) {
	read, err := s.files.Read(s.record)
	if err != nil || !read.Exists {
		return nil, err
	}
	r := &record{read: read}
	if err := json.Unmarshal(read.Data, r); err != nil {
		return nil, fmt.Errorf("the record %s is damaged: %w", s.record, err)
	}
	if r.Version != recordVersion || r.Client != s.client.Name {
		return nil, fmt.Errorf("the record %s is of another version of signalbox, or of another client", s.record)
	}
	return r, nil
}

// sharedFolders lists the folders above the records that connect created for other clients.
// The last client that is disconnected removes them.
func (s *setup) sharedFolders() (shared []string) {
	own := filepath.Dir(s.record.String())
	names, _ := filepath.Glob(filepath.Join(own, "*.json"))
	for _, name := range names {
		var other record
		read, err := s.files.Read(userfiles.Path{Base: s.record.Base, Rel: filepath.Join(filepath.Dir(s.record.Rel), filepath.Base(name))})
		if err != nil || json.Unmarshal(read.Data, &other) != nil {
			continue
		}
		for _, folder := range other.Folders {
			if strings.HasPrefix(own+"/", folder+"/") {
				shared = append(shared, folder)
			}
		}
	}
	return shared
}

func (s *setup) saveRecord(r *record) error {
	data, err := json.MarshalIndent(r, "", "  ")
	if err != nil {
		return err
	}
	if err := s.files.Replace(s.record, r.read, data, userfiles.ModeSecret); err != nil {
		return err
	}
	r.read = userfiles.Content{Exists: true, Data: data, Mode: userfiles.ModeSecret}
	return nil
}

func (s *setup) removeRecord(r *record) error {
	s.files.Clean(s.record)
	return s.files.Remove(s.record, r.read)
}
