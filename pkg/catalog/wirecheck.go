package catalog

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// fixed are fields without which a request is none, or that say what it is.
var fixed = []string{"model", "messages", "input", "stream"}

// WireFault is what is wrong with one field of a Wire.
type WireFault struct{ Field, Text string }

// Error is the fault with its field.
func (f WireFault) Error() string { return f.Field + ": " + f.Text }

// Faults are what no upstream can mean, in entries of the catalog and of
// policies alike.
func (w *Wire) Faults() []WireFault {
	var c wireCheck
	c.names("drop", w.Drop, isPath)
	c.names("keep", w.Keep, isPath)
	c.names("refuse", w.Refuse, isField)
	c.names("drop_default", w.DropDefault, isField)
	for name, v := range w.Add {
		c.want("add", isField(name) && json.Valid(v), "%q wants to be the name of a field, and its JSON", name)
	}
	names := map[string]int{}
	for from, to := range w.Rename {
		_, again := w.Rename[to]
		_, added := w.Add[to]
		c.want("rename", isField(from) && isField(to) && !again && !added, "%q cannot become %q", from, to)
		names[to]++
		c.want("rename", names[to] == 1, "two fields cannot both be %q", to)
	}
	for name, words := range w.Only {
		c.want("only", isField(name) && len(words) > 0, "%q wants to be the name of a field, with words", name)
	}
	for name := range w.Values {
		c.names("values", []string{name}, isField)
	}
	for name, l := range w.Limits {
		c.want("limits", isField(name) && l.valid(), "%q wants to be the name of a field, with a min or a max", name)
	}
	for from, to := range w.Roles {
		c.want("roles", (from == "developer" || from == "system") && isName(to), "%q cannot become %q", from, to)
	}
	known := w.Reasoning == "" || slices.Contains(Reasoners(), w.Reasoning)
	c.want("reasoning", known, "%q is not one of %v", w.Reasoning, Reasoners())
	c.want("tool_id_length", w.ToolIDLength >= 0 && w.ToolIDLength <= maxToolID, "want at most %d", maxToolID)
	c.want("max_inputs", w.MaxInputs >= 0, "want a number")
	if w.HTTP != nil {
		c.http(w.HTTP)
	}
	return c.faults
}

// Check fails with all faults.
func (w *Wire) Check() error {
	var errs []error
	for _, f := range w.Faults() {
		errs = append(errs, f)
	}
	return errors.Join(errs...)
}

// maxToolID is as much of a hash as an id is made of.
const maxToolID = 32

type wireCheck struct{ faults []WireFault }

func (c *wireCheck) want(field string, ok bool, format string, args ...any) {
	if !ok {
		c.faults = append(c.faults, WireFault{field, fmt.Sprintf(format, args...)})
	}
}

func (c *wireCheck) names(field string, names []string, valid func(string) bool) {
	for _, name := range names {
		c.want(field, valid(name), "%q is not the name of a field that may be missing", name)
	}
}

func (c *wireCheck) http(h *WireHTTP) {
	header := isHeader(h.AuthHeader) && isVisible(h.AuthPrefix) && (h.AuthHeader != "" || h.AuthPrefix == "")
	c.want("http", header, "want the name of a header, and a prefix only with one")
	for _, path := range []string{h.ChatPath, h.EmbeddingsPath} {
		ok := path == "" || path[0] == '/' && isVisible(path) && !strings.ContainsAny(path, "?# ")
		c.want("http", ok, "%q is not a path", path)
	}
	for name, v := range h.Query {
		c.want("http", name != "" && isVisible(name) && isVisible(v), "%q is not a parameter", name)
	}
}

// isPath tells whether a name leads to a field that may be missing.
func isPath(name string) bool {
	for part := range strings.SplitSeq(name, ".") {
		if !isName(strings.TrimSuffix(part, "[]")) {
			return false
		}
	}
	return !strings.HasSuffix(name, "[]") && !slices.Contains(fixed, name) &&
		name != "messages[].role" && name != "messages[].content"
}

// isField tells whether a name is of a top-level field that may be missing.
func isField(name string) bool { return isName(name) && !slices.Contains(fixed, name) }

func isName(name string) bool {
	ok := name != "" && len(name) <= 64
	for _, r := range name {
		ok = ok && (isLetter(r) || r >= '0' && r <= '9' || r == '_' || r == '-' || r == '$')
	}
	return ok
}

func isLetter(r rune) bool { return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' }

func isHeader(name string) bool {
	ok := len(name) <= 64
	for _, r := range name {
		ok = ok && (isLetter(r) || r >= '0' && r <= '9' || r == '-')
	}
	return ok
}

func isVisible(s string) bool {
	return !strings.ContainsFunc(s, func(r rune) bool { return r < ' ' || r > '~' })
}

// valid tells whether the limit is one.
func (l Limit) valid() bool {
	least, ok := number(l.Min)
	most, ok2 := number(l.Max)
	return ok && ok2 && (l.Min != "" || l.Max != "") && (l.Min == "" || l.Max == "" || least <= most)
}

func number(s string) (float64, bool) {
	if s == "" {
		return 0, true
	}
	f, err := strconv.ParseFloat(s, 64)
	return f, err == nil && json.Valid([]byte(s))
}
