package edit

import (
	"bytes"
	"errors"
	"regexp"
	"slices"
	"strings"
)

// dotenvCodec edits .env files. A path has one element, the name of the variable.
type dotenvCodec struct{}

// dotenvLine matches an assignment as the dotenv package of npm does. Values in quotes can
// have several lines. The groups are the name and the value.
var dotenvLine = regexp.MustCompile(`(?m)^[ \t]*(?:export[ \t]+)?([\w.-]+)(?:[ \t]*=|:[ \t])[ \t]*` +
	"('(?:\\\\'|[^'])*'|\"(?:\\\\\"|[^\"])*\"|`(?:\\\\`|[^`])*`|[^#\\r\\n]*)" + `[ \t]*(?:#.*)?\r?$`)

func (dotenvCodec) decode(text []byte) (map[string]any, error) {
	tree := map[string]any{}
	for _, m := range dotenvLine.FindAllSubmatch(text, -1) {
		tree[string(m[1])] = unquoteDotenv(strings.TrimSpace(string(m[2])))
	}
	return tree, nil
}

func unquoteDotenv(value string) string {
	if len(value) < 2 || !strings.ContainsRune("'\"`", rune(value[0])) || value[0] != value[len(value)-1] {
		return value
	}
	inner := value[1 : len(value)-1]
	if value[0] == '"' {
		return strings.NewReplacer(`\n`, "\n", `\r`, "\r").Replace(inner)
	}
	return inner
}

var plainValue = regexp.MustCompile(`^[A-Za-z0-9_./:@%+-]*$`)

func (dotenvCodec) set(text []byte, path []string, value any) ([]byte, error) {
	literal, ok := value.(string)
	if !ok || len(path) != 1 {
		return nil, errors.New("a variable must be text")
	}
	if !plainValue.MatchString(literal) {
		literal = quoteDotenv(literal)
	}
	if at := lastAssignment(text, path[0]); at != nil {
		start, end := at[4], at[4]+len(bytes.TrimRight(text[at[4]:at[5]], " \t"))
		return splice(text, start, end, literal), nil
	}
	return insertLines(text, len(text), path[0]+"="+literal+lineEnding(text)), nil
}

// quoteDotenv chooses quotes that the value does not contain: dotenv has no escapes for them.
func quoteDotenv(value string) string {
	for _, quote := range []string{"'", `"`, "`"} {
		if !strings.Contains(value, quote) {
			return quote + value + quote
		}
	}
	return value
}

func (dotenvCodec) remove(text []byte, path []string) ([]byte, error) {
	at := lastAssignment(text, path[0])
	if at == nil {
		return text, nil
	}
	return splice(text, at[0], lineEnd(text, at[1]), ""), nil
}

// removeAssignment removes the lines that assign a value to a name.
func removeAssignment(text []byte, name string, value any) []byte {
	for _, m := range slices.Backward(dotenvLine.FindAllSubmatchIndex(text, -1)) {
		assigned := unquoteDotenv(strings.TrimSpace(string(text[m[4]:m[5]])))
		if string(text[m[2]:m[3]]) == name && assigned == value {
			text = splice(text, m[0], lineEnd(text, m[1]), "")
		}
	}
	return text
}

// lastAssignment returns the offsets of the last match for a name. Of two assignments, the
// last one is valid.
func lastAssignment(text []byte, name string) (at []int) {
	for _, m := range dotenvLine.FindAllSubmatchIndex(text, -1) {
		if string(text[m[2]:m[3]]) == name {
			at = m
		}
	}
	return at
}
