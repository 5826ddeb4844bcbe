package ledger

import (
	"maps"
	"slices"
	"strings"
)

// workView holds the fields of a record that say for whom and for what work a client sent the
// request. They are the values of the filter words session, agent, user, tag and meta.NAME.
type workView struct {
	Session *string `json:"session"`
	Agent   *string `json:"agent"`
	User    *string `json:"user"`
	// Inputs is nil in lists, and for requests without a decision.
	Inputs *struct {
		Tags     []string          `json:"tags"`
		Metadata map[string]string `json:"metadata"`
	} `json:"inputs"`
}

// workRows returns one row for each value that the request has.
func (w *workView) workRows() (rows [][]string) {
	add := func(name, value string) {
		if value != "" {
			rows = append(rows, []string{name, value})
		}
	}
	for _, field := range []struct {
		name  string
		value *string
	}{{"Session", w.Session}, {"Agent", w.Agent}, {"User", w.User}} {
		if field.value != nil {
			add(field.name, *field.value)
		}
	}
	if w.Inputs == nil {
		return rows
	}
	add("Tags", strings.Join(w.Inputs.Tags, ", "))
	var metadata []string
	for _, name := range slices.Sorted(maps.Keys(w.Inputs.Metadata)) {
		metadata = append(metadata, name+"="+w.Inputs.Metadata[name])
	}
	add("Metadata", strings.Join(metadata, ", "))
	return rows
}
