package edit

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// formatCase is a text before and after the same entries are set, and after one value was
// edited and the entries were taken back.
type formatCase struct {
	name          string
	format        Format
	before, after string
}

var jsonEntries = []Entry{
	{Path: []string{"env", "URL"}, Value: "http://x/?a=1&b=2"},
	{Path: []string{"env", "KEY"}, Value: "k", Secret: true},
	{Path: []string{"model"}, Value: "auto"},
	{Path: []string{"version"}, Value: float64(1), IfMissing: true},
}

var tomlEntries = []Entry{
	{Path: []string{"model"}, Value: "auto"},
	{Path: []string{"providers", "ours", "url"}, Value: "http://x"},
	{Path: []string{"providers", "ours", "key"}, Value: "k", Secret: true},
	{Path: []string{"providers", "ours", "env_key"}, Absent: true},
}

var yamlEntries = []Entry{
	{Path: []string{"model"}, Value: "auto"},
	{Path: []string{"warn"}, Value: false},
	{Path: []string{"models", "name=Ours"}, Item: []Field{{Name: "name", Value: "Ours"}, {Name: "apiKey", Value: "k", Secret: true}, {Name: "roles", Value: []any{"chat"}}}},
}

var dotenvEntries = []Entry{{Path: []string{"URL"}, Value: "http://x"}, {Path: []string{"KEY"}, Value: "k", Secret: true}}

func entriesOf(f Format) []Entry {
	return map[Format][]Entry{JSON: jsonEntries, TOML: tomlEntries, YAML: yamlEntries, Dotenv: dotenvEntries}[f]
}

const ours = `  "env": {
    "URL": "http://x/?a=1&b=2",
    "KEY": "k"
  },
  "model": "auto",
  "version": 1
}
`

var formatCases = []formatCase{
	{"missing", JSON, "", "{\n" + ours},
	{"empty object", JSON, "{}", strings.TrimSuffix("{\n"+ours, "\n")},
	{"only comments inside", JSON, "{\n  // later\n}\n", "{\n  // later\n" + ours},
	{"comments and trailing commas", JSON, `// top
{
    /* mine */ "theme": "dark", // stays
    "env": {
        "OTHER": "1", // my variable
    }, // after env
    "model": "opus", // favourite
    // end
}
`, `// top
{
    /* mine */ "theme": "dark", // stays
    "env": {
        "OTHER": "1", // my variable
        "URL": "http://x/?a=1&b=2",
        "KEY": "k",
    }, // after env
    "model": "auto", // favourite
    // end
    "version": 1,
}
`},
	{"comment after the last value", JSON, "{\n\t\"theme\": \"dark\" // stays\n}\n", "{\n\t\"theme\": \"dark\", // stays\n\t\"env\": {\n\t\t\"URL\": \"http://x/?a=1&b=2\",\n\t\t\"KEY\": \"k\"\n\t},\n\t\"model\": \"auto\",\n\t\"version\": 1\n}\n"},
	{"one line", JSON, `{"theme":"dark"}`, `{"theme":"dark","env":{"URL": "http://x/?a=1&b=2", "KEY": "k"},"model":"auto","version":1}`},
	{"line ends of Windows", JSON, "{\r\n  \"version\": 2\r\n}\r\n", "{\r\n  \"version\": 2,\r\n  \"env\": {\r\n    \"URL\": \"http://x/?a=1&b=2\",\r\n    \"KEY\": \"k\"\r\n  },\r\n  \"model\": \"auto\"\r\n}\r\n"},

	{"missing", TOML, "", "model = \"auto\"\n\n[providers.ours]\nurl = \"http://x\"\nkey = \"k\"\n"},
	{"comments only", TOML, "# nothing yet", "# nothing yet\nmodel = \"auto\"\n\n[providers.ours]\nurl = \"http://x\"\nkey = \"k\"\n"},
	{"tables only", TOML, "[tui]\ntheme = 'dark'\n", "model = \"auto\"\n\n[tui]\ntheme = 'dark'\n\n[providers.ours]\nurl = \"http://x\"\nkey = \"k\"\n"},
	{"comments and own values", TOML, `# mine
model   =   "gpt" # favourite
text = """
model = "no"
[providers.ours]
"""

[tui] # a table
theme = 'dark'

[providers.ours] # by hand
env_key = "X" # goes
url = 'http://old' # changes

[[list]]
url = "stays"
`, `# mine
model   =   "auto" # favourite
text = """
model = "no"
[providers.ours]
"""

[tui] # a table
theme = 'dark'

[providers.ours] # by hand
url = "http://x" # changes
key = "k"

[[list]]
url = "stays"
`},

	{"missing", YAML, "", "model: auto\nwarn: false\nmodels:\n  - name: Ours\n    apiKey: k\n    roles: [chat]\n"},
	{"comments only", YAML, "# nothing yet", "# nothing yet\nmodel: auto\nwarn: false\nmodels:\n  - name: Ours\n    apiKey: k\n    roles: [chat]\n"},
	{"comments and own values", YAML, `# mine
"model": gpt-4   # favourite
text: |
  model: no
  # not a comment
warn:   # unset
models: # list
# first
- name: Theirs # stays
  apiKey: "x"
# end
other: [1, 2]
`, `# mine
"model": auto   # favourite
text: |
  model: no
  # not a comment
warn: false   # unset
models: # list
- name: Ours
  apiKey: k
  roles: [chat]
# first
- name: Theirs # stays
  apiKey: "x"
# end
other: [1, 2]
`},
	{"empty list", YAML, "models: [] # none\nmodel: >-\n  gpt\n  4\n", "models: # none\n  - name: Ours\n    apiKey: k\n    roles: [chat]\nmodel: auto\nwarn: false\n"},

	{"missing", Dotenv, "", "URL=http://x\nKEY=k\n"},
	{"comments and own values", Dotenv, "# mine\nexport KEY='old' # favourite\nTEXT=\"a\nKEY=no\nb\"\nOTHER=1", "# mine\nexport KEY=k # favourite\nTEXT=\"a\nKEY=no\nb\"\nOTHER=1\nURL=http://x\n"},
}

func TestApplyKeepsEverythingElse(t *testing.T) {
	for _, c := range formatCases {
		t.Run(string(c.format)+" "+c.name, func(t *testing.T) {
			after, err := c.format.Apply([]byte(c.before), entriesOf(c.format))
			require.NoError(t, err)
			require.Equal(t, c.after, string(after))
			again, err := c.format.Apply(after, entriesOf(c.format))
			require.NoError(t, err)
			require.Equal(t, c.after, string(again), "twice is the same as once")
		})
	}
}

// additions are edits that a user or the client makes after Apply.
var additions = map[Format]func(string) string{
	JSON:   func(s string) string { return strings.Replace(s, "{", `{"mine": true,`, 1) },
	TOML:   func(s string) string { return s + "\n[projects.\"/x\"]\ntrust = true\n" },
	YAML:   func(s string) string { return s + "mine: true\n" },
	Dotenv: func(s string) string { return s + "MINE=1\n" },
}

// After an edit, Restore leaves the values of the original text and the edit, and nothing else.
func TestRestoreRemovesOnlyTheEntries(t *testing.T) {
	for _, c := range formatCases {
		t.Run(string(c.format)+" "+c.name, func(t *testing.T) {
			add := additions[c.format]
			text, kept, err := c.format.Restore([]byte(add(c.after)), []byte(c.before), entriesOf(c.format))
			require.NoError(t, err)
			require.Empty(t, kept)
			got, err := codecs[c.format].decode(text)
			require.NoError(t, err, string(text))
			before := c.before
			if isBlank([]byte(before)) && c.format == JSON {
				before = "{}"
			}
			if before != "" && !strings.HasSuffix(before, "\n") && c.format != JSON {
				before += "\n"
			}
			want, err := codecs[c.format].decode([]byte(add(before)))
			require.NoError(t, err)
			require.Equal(t, without(want, nil), without(got, nil), string(text))
			for _, comment := range []string{"# mine", "// top", "/* mine */", "// stays", "// my variable", "// end", "# first", "# list", "# later"} {
				require.Equal(t, strings.Count(c.before, comment), strings.Count(string(text), comment), comment)
			}
		})
	}
}

func TestRestoreRemovesEmptyContainers(t *testing.T) {
	for _, c := range []formatCase{
		{format: JSON, before: "{\n  \"mine\": 1\n}\n", after: "{\n  \"mine\": 2\n}\n"},
		{format: TOML, before: "mine = 1\n", after: "mine = 2\n"},
		{format: YAML, before: "mine: 1\n", after: "mine: 2\n"},
	} {
		text, err := c.format.Apply([]byte(c.before), entriesOf(c.format))
		require.NoError(t, err)
		text, _, err = c.format.Restore([]byte(strings.Replace(string(text), "1", "2", 1)), []byte(c.before), entriesOf(c.format))
		require.NoError(t, err)
		require.Equal(t, c.after, string(text))
	}
}

// A change that alters another value, or makes the file invalid, is never accepted.
func TestEveryChangeIsChecked(t *testing.T) {
	e, err := JSON.open([]byte(`{"a": 1}`))
	require.NoError(t, err)
	for _, text := range []string{`{"a": 2, "b": 1}`, `{"b": 1}`, `{"a": 1`} {
		require.ErrorIs(t, e.accept([]byte(text), nil, []string{"b"}), errUnsafeEdit)
	}
	require.NoError(t, e.accept([]byte(`{"b": 1, "a": 1}`), nil, []string{"b"}))
}

func TestRestoreKeepsWhatTheUserChanged(t *testing.T) {
	for format, changed := range map[Format]string{
		JSON:   `{"env": {"URL": "http://theirs", "KEY": "k"}, "model": "auto", "version": 1}`,
		TOML:   "model = \"auto\"\n[providers.ours]\nurl = \"http://theirs\"\nkey = \"k\"\n",
		YAML:   "model: theirs\nwarn: false\nmodels:\n  - name: Ours\n    apiKey: k\n    roles: [chat, edit]\n",
		Dotenv: "URL=http://theirs\nKEY=k\n",
	} {
		text, kept, err := format.Restore([]byte(changed), nil, entriesOf(format))
		require.NoError(t, err, format)
		require.Len(t, kept, 1, format)
		require.Contains(t, string(text), "theirs")
		require.NotContains(t, string(text), "Ours", "an item is ours by its name")
		for _, secret := range []string{`"k"`, "KEY=k", "apiKey"} {
			require.NotContains(t, string(text), secret)
		}
	}
}

func TestFilesThatCannotBeEditedAreRefused(t *testing.T) {
	for text, format := range map[string]Format{
		`{"env": "text"}`:             JSON,
		`{"env": `:                    JSON,
		`[1]`:                         JSON,
		"providers = {ours = {}}\n":   TOML,
		"providers.ours.name = \"x\"": TOML,
		"model = ":                    TOML,
		"{model: x}":                  YAML,
		"models: [{name: a}]":         YAML,
		"a: 1\n---\nb: 2\n":           YAML,
		"- a":                         YAML,
		"a: 1\n...\n":                 YAML,
	} {
		_, err := format.Apply([]byte(text), entriesOf(format))
		require.Error(t, err, text)
	}
}

func TestDiffShowsNoSecret(t *testing.T) {
	changes, err := JSON.Diff([]byte(`{"env": {"KEY": "sk-theirs", "OTHER": "sk-other"}, "model": "opus"}`), []byte(`{"env": {"KEY": "k", "URL": "u"}, "model": "auto"}`), jsonEntries)
	require.NoError(t, err)
	hidden, old, next, url := "(hidden)", `"opus"`, `"auto"`, `"u"`
	require.Equal(t, []Change{
		{Path: "env.URL", New: &url}, {Path: "env.KEY", Old: &hidden, New: &hidden}, {Path: "model", Old: &old, New: &next},
	}, changes)
	changes, err = YAML.Diff(nil, []byte("models:\n  - name: Ours\n    apiKey: sbx_live_0123456789ABCDEFGHIJKLMNOPQRSTUV4U2bLL\n"), yamlEntries)
	require.NoError(t, err)
	require.Equal(t, "models[Ours].apiKey", changes[1].Path)
	require.Equal(t, "sbx_live_0123…", *changes[1].New)
}
