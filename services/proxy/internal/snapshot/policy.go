package snapshot

import (
	"encoding/json"
	"fmt"
	"io"
	"path/filepath"

	"github.com/signalbox/signalbox/pkg/policy"
)

// policyFile is the content of the policy file. The version is the hash of the policy, so it
// also serves as the checksum.
type policyFile struct {
	Version  string          `json:"version"`
	Compiled json.RawMessage `json:"compiled"`
}

// SavePolicy writes a policy.
func (d *Dir) SavePolicy(p *policy.Policy) error {
	data, err := json.Marshal(policyFile{Version: p.Version(), Compiled: p.Canonical()})
	if err != nil {
		return fmt.Errorf("save policy: %w", err)
	}
	if len(data) > policyLimit {
		return fmt.Errorf("save policy: %d bytes exceed the limit of %d", len(data), policyLimit)
	}
	err = replaceFile(filepath.Join(d.path, policyName), func(w io.Writer) error {
		_, err := w.Write(data)
		return err
	})
	if err != nil {
		return fmt.Errorf("save policy: %w", err)
	}
	return nil
}

// LoadPolicy returns the stored policy, or nil.
func (d *Dir) LoadPolicy() *policy.Policy {
	var p *policy.Policy
	found := d.loadFile(policyName, policyLimit, func(data []byte) (err error) {
		p, err = decodePolicy(data)
		return err
	})
	if !found {
		return nil
	}
	return p
}

func decodePolicy(data []byte) (*policy.Policy, error) {
	var f policyFile
	if err := json.Unmarshal(data, &f); err != nil {
		return nil, err
	}
	p, err := policy.Decode(f.Compiled)
	if err != nil {
		return nil, err
	}
	if p.Version() != f.Version {
		return nil, fmt.Errorf("the file names version %s, but its content has version %s", f.Version, p.Version())
	}
	return p, nil
}
