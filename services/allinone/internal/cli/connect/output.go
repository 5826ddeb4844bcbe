package connect

import (
	"fmt"
	"strings"

	"github.com/signalbox/signalbox/services/allinone/internal/cli"
	"github.com/signalbox/signalbox/services/allinone/internal/cli/connect/clients"
	"github.com/signalbox/signalbox/services/allinone/internal/cli/connect/edit"
)

// resultView is the result of a command as JSON. Secrets are masked.
type resultView struct {
	Client   string     `json:"client"`
	Status   string     `json:"status"`
	URL      *string    `json:"url"`
	KeyID    *string    `json:"key_id"`
	Files    []fileView `json:"files"`
	Warnings []string   `json:"warnings"`
}

type fileView struct {
	Path    string        `json:"path"`
	Action  string        `json:"action"`
	Changes []edit.Change `json:"changes"`
	Kept    []string      `json:"kept"`
}

// describeAction says what happens to a file.
var describeAction = map[string]string{
	"create":  "new file",
	"change":  "changed",
	"restore": "restored as it was",
	"remove":  "removed, because it did not exist before",
	"edit":    "was edited since: only the entries of Signalbox are removed",
	"none":    "not changed",
}

// showPlan prints the changes before the user is asked. With --json it prints only warnings.
func (s *setup) showPlan(plan []plannedFile) error {
	for _, w := range s.warnings(plan) {
		if _, err := fmt.Fprintln(s.Err, "Warning:", cli.Sanitize(w)); err != nil {
			return err
		}
	}
	if s.JSON {
		return nil
	}
	var b strings.Builder
	for _, p := range plan {
		fmt.Fprintf(&b, "%s (%s)\n", cli.Sanitize(p.Path.String()), describeAction[p.action])
		for _, c := range p.diff {
			writeChange(&b, c)
		}
		for _, name := range p.kept {
			fmt.Fprintf(&b, "    %s was changed since, and stays\n", cli.Sanitize(name))
		}
	}
	_, err := fmt.Fprintln(s.Out, b.String())
	return err
}

func writeChange(b *strings.Builder, c edit.Change) {
	if c.Old != nil {
		fmt.Fprintf(b, "  - %s: %s\n", cli.Sanitize(c.Path), cli.Sanitize(*c.Old))
	}
	if c.New != nil {
		fmt.Fprintf(b, "  + %s: %s\n", cli.Sanitize(c.Path), cli.Sanitize(*c.New))
	}
}

func (s *setup) view(status, url, keyID string, plan []plannedFile) resultView {
	v := resultView{Client: s.client.Name, Status: status, URL: cli.NullIfEmpty(url), KeyID: cli.NullIfEmpty(keyID), Files: []fileView{}, Warnings: s.warnings(plan)}
	for _, p := range plan {
		v.Files = append(v.Files, fileView{
			Path: p.Path.String(), Action: p.action, Changes: append([]edit.Change{}, p.diff...), Kept: append([]string{}, p.kept...),
		})
	}
	return v
}

func (s *setup) printDryRun(t clients.Target, plan []plannedFile) error {
	return s.PrintResult(s.view("planned", t.URL, "", plan), []string{"Nothing was changed, because of --dry-run."})
}

func (s *setup) printConnected(r *record, t clients.Target, plan []plannedFile, status string) error {
	rows := [][]string{{"Connected", s.client.Title + " to " + t.URL}}
	if status == "unchanged" {
		rows[0] = []string{"Connected", s.client.Title + " to " + t.URL + " already; nothing was changed"}
	}
	if r.Key.ID != "" {
		rows = append(rows, []string{"Key", r.Key.Name + ", " + r.Key.ID})
	}
	if s.client.Note != "" {
		rows = append(rows, []string{"Note", s.client.Note})
	}
	rows = append(rows, []string{"Undo", "signalbox disconnect " + s.client.Name})
	return s.PrintResult(s.view(status, t.URL, r.Key.ID, plan), rows...)
}

func (s *setup) printDisconnected(r *record, plan []plannedFile, status string) error {
	row := []string{"Disconnected", s.client.Title + " from " + r.URL}
	if status == "planned" {
		row = []string{"Nothing was changed, because of --dry-run."}
	}
	return s.PrintResult(s.view(status, r.URL, r.Key.ID, plan), row)
}

func (s *setup) printNotConnected() error {
	return s.PrintResult(s.view("not_connected", "", "", nil), []string{s.client.Title + " is not connected; nothing was changed."})
}
