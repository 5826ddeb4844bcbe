package policy

import (
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"github.com/goccy/go-yaml/ast"
)

// errExperimentsNotEditable is returned for a layout of YAML that splitExperiments does not know.
var errExperimentsNotEditable = errors.New("the experiments are written in a way that cannot be changed automatically: change the text of the policy by hand")

// ExperimentDraft is an experiment that AddExperiment writes. The numbers are text, as in the
// document.
type ExperimentDraft struct {
	Name               string
	Share, DailyUSD    string
	Routes, Candidates []string
	Judge              string
}

var (
	simpleName    = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]*$`)
	simpleDecimal = regexp.MustCompile(`^[0-9]{1,12}(\.[0-9]{1,12})?$`)
)

// AddExperiment returns the document with a further experiment. It checks only what it needs to
// write it: the compiler checks the rest. All other text stays as it is.
func AddExperiment(document string, d *ExperimentDraft) (string, error) {
	switch {
	case !simpleName.MatchString(d.Name):
		return "", errors.New("the name of an experiment has letters, digits, dots, dashes and underscores only")
	case !simpleDecimal.MatchString(d.Share) || !simpleDecimal.MatchString(d.DailyUSD):
		return "", errors.New("the share and the daily limit must be decimal numbers, such as 0.05 and 2.50")
	}
	t, err := splitExperiments(document)
	if err != nil {
		return "", err
	}
	if t.find(d.Name) != nil {
		return "", fmt.Errorf("an experiment called %q exists already", d.Name)
	}
	line := fmt.Sprintf("%s%s: {share: %s, routes: %s, candidates: %s, judge: %s, daily_usd: %s}\n", strings.Repeat(" ", t.indent), d.Name,
		d.Share, quoteList(d.Routes), quoteList(d.Candidates), strconv.Quote(d.Judge), strconv.Quote(d.DailyUSD))
	if t.header < 0 {
		t.lines = append(t.lines, "experiments:\n", line)
	} else {
		t.insert(t.header+1, line)
	}
	return t.check(func(all map[string]string) { all[d.Name] = "" })
}

func quoteList(all []string) string {
	quoted := make([]string, len(all))
	for i, s := range all {
		quoted[i] = strconv.Quote(s)
	}
	return "[" + strings.Join(quoted, ", ") + "]"
}

// RemoveExperiment returns the document without an experiment, and without the comments directly
// above it.
func RemoveExperiment(document, name string) (string, error) {
	t, e, err := findExperiment(document, name)
	if err != nil {
		return "", err
	}
	t.lines = append(t.lines[:e.first:e.first], t.lines[e.last+1:]...)
	if len(t.entries) == 1 {
		t.lines = append(t.lines[:t.header:t.header], t.lines[t.header+1:]...)
	}
	return t.check(func(all map[string]string) { delete(all, name) })
}

// PauseExperiment returns the document with an experiment paused or resumed.
func PauseExperiment(document, name string, paused bool) (string, error) {
	t, e, err := findExperiment(document, name)
	if err != nil {
		return "", err
	}
	fields := mapEntries(e.node)
	if len(fields) == 0 {
		return "", errExperimentsNotEditable
	}
	text := strconv.FormatBool(paused)
	written := findEntry(e.node, "paused")
	switch flow, ok := e.node.(*ast.MappingNode); {
	case written != nil:
		err = t.replace(written, text)
	case ok && flow.IsFlowStyle:
		err = t.insertInto(flow.Start.Position.Line, flow.Start.Position.Column, "{", "paused: "+text+", ")
	default:
		at := fields[0].key.Position
		t.insert(at.Line-1, strings.Repeat(" ", at.Column-1)+"paused: "+text+"\n")
	}
	if err != nil {
		return "", err
	}
	return t.check(func(all map[string]string) { all[name] = text })
}

func findExperiment(document, name string) (*experimentsText, *experimentEntry, error) {
	t, err := splitExperiments(document)
	if err != nil {
		return nil, nil, err
	}
	e := t.find(name)
	if e == nil {
		return nil, nil, fmt.Errorf("the policy has no experiment called %q", name)
	}
	return t, e, nil
}

// PromoteCandidate returns the document in which a route sends the requests that no other rule
// decides to one candidate: its first rule without conditions that decides is replaced.
func PromoteCandidate(document, route, name, candidate string) (string, error) {
	if !simpleName.MatchString(name) {
		return "", errors.New("the name of a rule has letters, digits, dots, dashes and underscores only")
	}
	all, err := ListRules([]byte(document))
	if err != nil {
		return "", err
	}
	text, err := splitRules(document, route)
	if err != nil {
		return "", err
	}
	rule := fmt.Sprintf("{name: %s, target: %s}", strconv.Quote(name), strconv.Quote(candidate))
	for _, r := range all {
		if r.Route != route || !r.decidesAlways() {
			continue
		}
		if r.Index >= len(text.rules) {
			return "", errNotEditable
		}
		text.rules[r.Index] = text.lead + rule + text.end
		root, _ := parse([]byte(rule))
		return checkEdit(text.String(), document, route, func(rules []string) []string {
			rules = append([]string{}, rules...)
			rules[r.Index] = formatInline(root)
			return rules
		})
	}
	return "", fmt.Errorf("the route %q has no rule without conditions that chooses a model", route)
}

// decidesAlways reports whether the rule has no conditions and chooses a model.
func (r *WrittenRule) decidesAlways() bool {
	for _, f := range r.Action {
		if len(r.When) == 0 && (f.Name == "target" || f.Name == "strategy" || f.Name == "candidates" || f.Name == "aim") {
			return true
		}
	}
	return false
}
