package manifest_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/pkg/manifest"
)

func sum(text string) string {
	h := sha256.Sum256([]byte(text))
	return hex.EncodeToString(h[:])
}

// export has rows with ids from id-0 on, after a header for CSV.
func export(format manifest.Format, rows int) []string {
	var all []string
	if format == manifest.CSV {
		all = append(all, "id,text\n")
	}
	for n := range rows {
		line := fmt.Sprintf("{\"id\":\"id-%d\",\"text\":\"t\"}\n", n)
		if format == manifest.CSV {
			line = fmt.Sprintf("id-%d,\"a \"\"line\nand another, %d\"\n", n, n)
		}
		all = append(all, line)
	}
	return all
}

// of returns the manifest of an export that arrives in small pieces.
func of(t *testing.T, format manifest.Format, text string) (string, manifest.Summary) {
	return ofOpen(t, format, text, false)
}

func ofOpen(t *testing.T, format manifest.Format, text string, open bool) (string, manifest.Summary) {
	t.Helper()
	var out bytes.Buffer
	w := manifest.NewWriter(&out, manifest.Summary{Format: format, Query: "q=1", To: "now", MayGrow: open})
	_, err := io.CopyBuffer(struct{ io.Writer }{w}, struct{ io.Reader }{strings.NewReader(text)}, make([]byte, 7))
	require.NoError(t, err)
	s, err := w.Close()
	require.NoError(t, err)
	return out.String(), s
}

func verify(t *testing.T, rows []string, text string) *manifest.Report {
	t.Helper()
	r, err := manifest.Verify(strings.NewReader(strings.Join(rows, "")), strings.NewReader(text))
	require.NoError(t, err)
	return r
}

// TestAManifestCanBeMadeWithOtherTools fixes the format: each checksum covers bytes that any
// tool can cut out.
func TestAManifestCanBeMadeWithOtherTools(t *testing.T) {
	rows := export(manifest.CSV, 2)
	text, s := of(t, manifest.CSV, strings.Join(rows, ""))
	first := `{"id":"id-0","sha256":"` + sum(rows[1]) + `"}` + "\n"
	second := `{"id":"id-1","sha256":"` + sum(rows[2]) + `"}` + "\n"
	last := `{"format":"csv","query":"q=1","to":"now","rows":2,"header":"` + sum(rows[0]) +
		`","sha256":"` + sum(strings.Join(rows, "")) + `","root":""}` + "\n"
	root := sum(first + second + last)
	require.Equal(t, first+second+strings.Replace(last, `"root":""`, `"root":"`+root+`"`, 1), text)
	require.EqualValues(t, 2, s.Rows)
	require.Equal(t, root, s.Root)
}

// TestAnOpenManifestHasTheSameRoot: the manifest of an export that could still grow is
// comparable with a later one.
func TestAnOpenManifestHasTheSameRoot(t *testing.T) {
	rows := export(manifest.CSV, 2)
	text, open := ofOpen(t, manifest.CSV, strings.Join(rows, ""), true)
	_, closed := of(t, manifest.CSV, strings.Join(rows, ""))
	require.Equal(t, closed.Root, open.Root)
	require.True(t, verify(t, rows, text).Summary.MayGrow)
}

// TestTheRootCoversTheWholeManifest: the root alone reveals changes of column names, query and
// format.
func TestTheRootCoversTheWholeManifest(t *testing.T) {
	rows := export(manifest.CSV, 3)
	text, s := of(t, manifest.CSV, strings.Join(rows, ""))
	forged := slices.Clone(rows)
	forged[0] = "text,id\n"
	for name, bad := range map[string]string{
		"header": strings.NewReplacer(s.Header, sum(forged[0]), s.SHA256, sum(strings.Join(forged, ""))).Replace(text),
		"query":  strings.Replace(text, `"q=1"`, `"q=2"`, 1),
		"to":     strings.Replace(text, `"now"`, `"then"`, 1),
		"format": strings.Replace(text, `"csv"`, `"ndjson"`, 1),
	} {
		_, err := manifest.Verify(strings.NewReader(strings.Join(forged, "")), strings.NewReader(bad))
		require.ErrorIs(t, err, manifest.ErrManifest, name)
	}
}

func TestWhatWasDoneToAnExportIsFound(t *testing.T) {
	place := func(rows ...int) (all []manifest.RowRef) {
		for _, n := range rows {
			all = append(all, manifest.RowRef{ID: fmt.Sprintf("id-%d", n), Row: n + 1})
		}
		return all
	}
	for _, format := range []manifest.Format{manifest.CSV, manifest.NDJSON} {
		whole := export(format, 50)
		at := len(whole) - 50 // of the first row
		text, _ := of(t, format, strings.Join(whole, ""))
		tests := map[string]struct {
			do                                 func(rows []string) []string
			altered, missing, added, reordered []manifest.RowRef
		}{
			"nothing":    {do: func(rows []string) []string { return rows }},
			"altered":    {altered: place(7), do: func(rows []string) []string { rows[at+7] = strings.Replace(rows[at+7], "t", "u", 1); return rows }},
			"first gone": {missing: place(0), do: func(rows []string) []string { return slices.Delete(rows, at, at+1) }},
			"some gone":  {missing: place(3, 4, 49), do: func(rows []string) []string { return slices.Delete(rows, at+3, at+5)[:len(rows)-3] }},
			"doubled":    {added: []manifest.RowRef{{ID: "id-5", Row: 7}}, do: func(rows []string) []string { return slices.Insert(rows, at+6, rows[at+5]) }},
			"put in": {added: []manifest.RowRef{{ID: "new", Row: 1}}, do: func(rows []string) []string {
				return slices.Insert(rows, at, strings.Replace(rows[at], "id-0", "new", 1))
			}},
			"swapped":      {reordered: place(10), do: func(rows []string) []string { rows[at+9], rows[at+10] = rows[at+10], rows[at+9]; return rows }},
			"last to top":  {reordered: place(49), do: func(rows []string) []string { return slices.Insert(rows[:at+49:at+49], at, rows[at+49]) }},
			"first to end": {reordered: place(0), do: func(rows []string) []string { return append(slices.Delete(slices.Clone(rows), at, at+1), rows[at]) }},
			"end cut off":  {altered: place(49), do: func(rows []string) []string { rows[at+49] = strings.TrimSuffix(rows[at+49], "\n"); return rows }},
			"all at once": {altered: place(20), missing: place(30), added: []manifest.RowRef{{ID: "new", Row: 50}}, reordered: place(2), do: func(rows []string) []string {
				rows[at+1], rows[at+2] = rows[at+2], rows[at+1]
				rows[at+20] = strings.Replace(rows[at+20], "t", "u", 1)
				rows = append(rows, strings.Replace(rows[at], "id-0", "new", 1))
				return slices.Delete(rows, at+30, at+31)
			}},
		}
		for name, tt := range tests {
			t.Run(string(format)+" "+name, func(t *testing.T) {
				r := verify(t, tt.do(slices.Clone(whole)), text)
				require.Equal(t, tt.altered, r.Altered.First)
				require.Equal(t, tt.missing, r.Missing.First)
				require.Equal(t, tt.added, r.Added.First)
				require.Equal(t, tt.reordered, r.Reordered.First)
				require.Equal(t, name == "nothing", r.OK())
				require.False(t, r.HeaderAltered)
			})
		}
		r := verify(t, whole[:at], text)
		require.Equal(t, 50, r.Missing.Count)
		require.Len(t, r.Missing.First, 20)
	}
}

func TestAnAlteredHeaderIsFound(t *testing.T) {
	rows := export(manifest.CSV, 3)
	text, _ := of(t, manifest.CSV, strings.Join(rows, ""))
	rows[0] = "id,other\n"
	r := verify(t, rows, text)
	require.True(t, r.HeaderAltered)
	require.False(t, r.OK())
	require.Zero(t, r.Altered.Count)
}

func TestAnAlteredManifestIsNotBelieved(t *testing.T) {
	rows := strings.Join(export(manifest.NDJSON, 3), "")
	text, s := of(t, manifest.NDJSON, rows)
	lines := strings.SplitAfter(text, "\n")
	for name, bad := range map[string]string{
		"empty":        "",
		"no last line": strings.Join(lines[:3], ""),
		"cut":          text[:len(text)-10],
		"line gone":    strings.Join(slices.Delete(slices.Clone(lines), 1, 2), ""),
		"line altered": strings.Replace(text, sum(export(manifest.NDJSON, 1)[0]), sum("x"), 1),
		"whole":        strings.Replace(text, s.SHA256, sum("x"), 1),
		"rows":         strings.Replace(text, `"rows":3`, `"rows":4`, 1),
		"more":         text + lines[0] + lines[3],
		"no JSON":      "x\n" + text,
		"format":       strings.Replace(text, `"ndjson"`, `"xls"`, 1),
	} {
		_, err := manifest.Verify(strings.NewReader(rows), strings.NewReader(bad))
		require.ErrorIs(t, err, manifest.ErrManifest, name)
	}
}

func TestAnExportThatIsNotWholeHasNoManifest(t *testing.T) {
	w := manifest.NewWriter(io.Discard, manifest.Summary{Format: manifest.CSV})
	_, err := w.Write([]byte("id\n1,\"open\n"))
	require.NoError(t, err)
	_, err = w.Close()
	require.Error(t, err)
}

// FuzzVerify: any change of an export is detected, and equal rows are never reported.
func FuzzVerify(f *testing.F) {
	f.Add("id,text\nid-0,\"a \"\"b\n\"\nid-1,x\n", true)
	f.Add("{\"id\":\"a\"}\n{\"id\":\"b\"}\n", false)
	f.Add("\"\n\n\n,\n", true)
	f.Add("\n\x80,\n", true)
	f.Fuzz(func(t *testing.T, text string, isCSV bool) {
		format := manifest.NDJSON
		if isCSV {
			format = manifest.CSV
		}
		rows := export(format, 4)
		made, _ := of(t, format, strings.Join(rows, ""))
		r, err := manifest.Verify(strings.NewReader(text), strings.NewReader(made))
		require.NoError(t, err)
		require.Equal(t, text == strings.Join(rows, ""), r.OK())

		var out bytes.Buffer
		w := manifest.NewWriter(&out, manifest.Summary{Format: format})
		_, err = w.Write([]byte(text))
		require.NoError(t, err)
		if _, err := w.Close(); err != nil {
			return
		}
		r, err = manifest.Verify(strings.NewReader(text), bytes.NewReader(out.Bytes()))
		require.NoError(t, err)
		require.True(t, r.OK(), "%+v", r)
	})
}
