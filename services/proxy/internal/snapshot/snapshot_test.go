package snapshot

import (
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"reflect"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/pkg/apikey"
	"github.com/signalbox/signalbox/pkg/catalog"
	"github.com/signalbox/signalbox/pkg/policy"
	"github.com/signalbox/signalbox/services/proxy/internal/keys"
	"github.com/signalbox/signalbox/services/proxy/internal/limits"
)

func open(t *testing.T) *Dir {
	t.Helper()
	d, err := Open(filepath.Join(t.TempDir(), "snapshots"), slog.New(slog.DiscardHandler))
	require.NoError(t, err)
	return d
}

func known(id string, active bool) keys.Known {
	return keys.Known{
		Digest: apikey.DigestOf(id), Confirmed: time.Date(2026, 5, 1, 0, 0, 0, 1, time.UTC),
		Principal: &keys.Principal{KeyID: id, Active: active},
	}
}

func defaultPolicy(t *testing.T) *policy.Policy {
	t.Helper()
	cat, err := catalog.Load()
	require.NoError(t, err)
	p, err := policy.Compile(policy.Default(func(string) bool { return false }, cat, time.Now()), cat)
	require.NoError(t, err)
	return p
}

func content(t *testing.T, d *Dir, name string) []byte {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(d.path, name))
	require.NoError(t, err)
	return data
}

func TestAnEmptyDirectoryHasNoSnapshots(t *testing.T) {
	d := open(t)
	_, ok := d.LoadKeys()
	require.False(t, ok)
	require.Nil(t, d.LoadPolicy())
	left, err := os.ReadDir(d.path)
	require.NoError(t, err)
	require.Empty(t, left)
}

func TestKeysAreStored(t *testing.T) {
	d := open(t)
	full := known("full", true)
	full.Principal = &keys.Principal{
		AccountID: "a", KeyID: "k", KeyName: "n", Active: true, Scopes: []string{"chat"}, Models: []string{"m"}, Tags: []string{"t"},
		MaySwapModel: true, Baseline: "b", Capture: keys.CaptureNone, NestedErrors: true, Limits: limits.Set{RequestsPerMinute: 1, TokensPerMinute: 2, Concurrent: 3, NanoUSDPerDay: 4, NanoUSDPerMonth: 5},
		AccountLimits: limits.Set{RequestsPerMinute: 6, TokensPerMinute: 7, Concurrent: 8, NanoUSDPerDay: 9, NanoUSDPerMonth: 10}, AllowExperiments: true,
		Budgets: []limits.Budget{{ID: "b", Name: "team", Kind: "tag", Value: "t", Amounts: limits.Amounts{PerHour: 1, PerDay: 2, PerWeek: 3, PerMonth: 4, Total: 5}}}, User: "u", Agent: "g", ExpiresAt: time.Unix(1, 0).UTC(), Version: 7,
	}
	for i, v := 0, reflect.ValueOf(*full.Principal); i < v.NumField(); i++ {
		require.False(t, v.Field(i).IsZero(), "%s is new: set it here and raise the format", v.Type().Field(i).Name)
	}
	give := keys.Snapshot{Version: 9, Known: []keys.Known{known("ended", false), full, known("plain", true)}}
	require.NoError(t, d.SaveKeys(give))
	got, ok := d.LoadKeys()
	require.True(t, ok)
	require.Equal(t, give, got)
}

// A new field of Principal requires a new format, even if the test above was adapted.
func TestTheFormatIsThatOfThePrincipal(t *testing.T) {
	fields := map[int]int{1: 13, 2: 14, 3: 14, 4: 15, 5: 16, 6: 19}
	require.Equal(t, fields[keysFormat], reflect.TypeFor[keys.Principal]().NumField())
}

// A proxy that was upgraded while the key service is unavailable keeps serving.
func TestKeysOfTheOldestFormat(t *testing.T) {
	d := open(t)
	k := known("old", true)
	require.NoError(t, replaceFile(filepath.Join(d.path, keysName), func(w io.Writer) error {
		text := fmt.Sprintf("{\"format\":3,\"seen\":9,\"changes\":1}\n{\"digest\":%q,\"confirmed\":%q,\"principal\":{\"AccountID\":\"a\",\"KeyID\":\"old\",\"Active\":true,\"Concurrent\":3}}\n",
			base64.StdEncoding.EncodeToString(k.Digest[:]), k.Confirmed.Format(time.RFC3339Nano))
		_, err := fmt.Fprintf(w, "%s%x\n", text, sha256.Sum256([]byte(text)))
		return err
	}))
	got, ok := d.LoadKeys()
	require.True(t, ok)
	require.EqualValues(t, 9, got.Version)
	require.Equal(t, &keys.Principal{AccountID: "a", KeyID: "old", Active: true, Limits: limits.Set{Concurrent: 3}}, got.Known[0].Principal)
}

func TestAPolicyIsStored(t *testing.T) {
	d, p := open(t), defaultPolicy(t)
	require.NoError(t, d.SavePolicy(p))
	got := d.LoadPolicy()
	require.NotNil(t, got)
	require.Equal(t, p.Version(), got.Version())
	require.Equal(t, p.Canonical(), got.Canonical())
}

func TestOnlyTheOwnerMayRead(t *testing.T) {
	d := open(t)
	require.NoError(t, d.SaveKeys(keys.Snapshot{}))
	require.NoError(t, d.SavePolicy(defaultPolicy(t)))
	for name, want := range map[string]os.FileMode{"": 0o700, keysName: 0o600, policyName: 0o600} {
		info, err := os.Stat(filepath.Join(d.path, name))
		require.NoError(t, err)
		require.Equal(t, want, info.Mode().Perm(), name)
	}
}

func TestEveryDamageIsNoticed(t *testing.T) {
	d := open(t)
	require.NoError(t, d.SaveKeys(keys.Snapshot{Version: 3, Known: []keys.Known{known("k", true)}}))
	require.NoError(t, d.SavePolicy(defaultPolicy(t)))
	tests := []struct {
		name   string
		decode func([]byte) error
		step   int
	}{
		{keysName, func(b []byte) error { _, _, err := decodeKeys(b); return err }, 1},
		{policyName, func(b []byte) error { _, err := decodePolicy(b); return err }, 37},
	}
	for _, tt := range tests {
		data := content(t, d, tt.name)
		require.NoError(t, tt.decode(data))
		for i := 0; i < len(data); i += tt.step {
			data[i] ^= 1
			require.Error(t, tt.decode(data), "%s byte %d", tt.name, i)
			data[i] ^= 1
			require.Error(t, tt.decode(data[:i]), "%s cut at %d", tt.name, i)
		}
	}
}

func TestDamagedFilesAreRenamed(t *testing.T) {
	d := open(t)
	path := filepath.Join(d.path, keysName)
	tests := []struct {
		name string
		give func() error
	}{
		{"empty", func() error { return os.WriteFile(path, nil, 0o600) }},
		{"too large", func() error { return errors.Join(os.WriteFile(path, nil, 0o600), os.Truncate(path, keysLimit+1)) }},
		{"another format", func() error {
			return replaceFile(path, func(w io.Writer) error { _, err := writeLine(w, keysHead{Format: 99}, 100); return err })
		}},
		{"no file", func() error { return errors.Join(os.Remove(path+badSuffix), os.Mkdir(path, 0o700)) }},
	}
	for _, tt := range tests {
		require.NoError(t, tt.give(), tt.name)
		_, ok := d.LoadKeys()
		require.False(t, ok, tt.name)
		require.NoFileExists(t, path, tt.name)
		_, err := os.Stat(path + badSuffix)
		require.NoError(t, err, tt.name)
	}
}

func TestAKilledWriterHarmsNothing(t *testing.T) {
	d := open(t)
	require.NoError(t, d.SaveKeys(keys.Snapshot{Version: 5}))
	half := filepath.Join(d.path, ".writing-1")
	require.NoError(t, os.WriteFile(half, []byte(`{"format":1,`), 0o600))
	d, err := Open(d.path, d.log)
	require.NoError(t, err)
	require.NoFileExists(t, half)
	got, ok := d.LoadKeys()
	require.True(t, ok)
	require.EqualValues(t, 5, got.Version)
}

func TestAFailedWriteLeavesTheOldFile(t *testing.T) {
	d := open(t)
	path := filepath.Join(d.path, "f")
	require.NoError(t, replaceFile(path, func(w io.Writer) error { _, err := io.WriteString(w, "old"); return err }))
	full := errors.New("no space left on device")
	err := replaceFile(path, func(w io.Writer) error {
		_, _ = io.WriteString(w, "new")
		return full
	})
	require.ErrorIs(t, err, full)
	require.Equal(t, "old", string(content(t, d, "f")))
	left, err := os.ReadDir(d.path)
	require.NoError(t, err)
	require.Len(t, left, 1)
}

func TestRevokedKeysAreTheLastToGo(t *testing.T) {
	d := open(t)
	d.limit = 1000
	give := keys.Snapshot{Known: []keys.Known{known("1", true), known("2", true), known("3", true), known("4", false)}}
	require.NoError(t, d.SaveKeys(give))
	require.LessOrEqual(t, int64(len(content(t, d, keysName))), d.limit)
	got, ok := d.LoadKeys()
	require.True(t, ok)
	require.Less(t, len(got.Known), len(give.Known))
	require.Equal(t, "4", got.Known[0].Principal.KeyID)
}
