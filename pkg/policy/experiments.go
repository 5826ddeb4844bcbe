package policy

import (
	"slices"
	"strings"

	"github.com/signalbox/signalbox/pkg/catalog"
)

func (c *compiler) readExperiments(v value) {
	all := c.readEntries(v)
	if len(all) > maxExperiments {
		c.reportProblem(v, CodeTooLarge, "too many experiments: a policy can have at most %d", maxExperiments)
		return
	}
	for _, e := range all {
		c.readExperiment(e)
	}
}

func (c *compiler) readExperiment(v value) {
	c.checkName(v, "._-")
	c.currentRoute = v.path
	f := c.readFields(v, "share", "routes", "keys", "candidates", "judge", "rubrics", "daily_usd", "paused")
	for _, missing := range []struct{ field, fix string }{
		{"share", `add "share: 0.05" to sample 5 % of the requests`},
		{"candidates", `add the models to compare, such as "candidates: [small]"`},
		{"judge", `add the model that compares the responses, such as "judge: large"`},
		{"daily_usd", `add what the experiment may spend in a day, such as "daily_usd: 2"`},
	} {
		if _, ok := f[missing.field]; !ok {
			c.reportProblem(v, CodeMissingField, "%q is missing: %s", missing.field, missing.fix)
		}
	}
	e := Experiment{Name: v.name, Candidates: []string{}}
	setField(f, "share", &e.Share, c.readExperimentShare)
	setField(f, "daily_usd", &e.NanoUSDPerDay, c.readDailyUSD)
	setField(f, "candidates", &e.Candidates, c.readExperimentCandidates)
	setField(f, "judge", &e.Judge, c.readPricedEndpoint)
	setField(f, "rubrics", &e.Rubrics, c.readRubrics)
	setField(f, "paused", &e.Paused, c.readBool)
	c.readExperimentScope(v, f, &e)
	c.policy.Experiments = append(c.policy.Experiments, e)
}

// readExperimentScope reads which requests are sampled.
func (c *compiler) readExperimentScope(v value, f map[string]value, e *Experiment) {
	if routes, ok := f["routes"]; ok {
		names, at := c.readStrings(routes)
		for i, name := range names {
			c.checkExperimentRoute(at[i], name)
		}
		e.Routes = slices.Sorted(slices.Values(names))
	}
	if keys, ok := f["keys"]; ok {
		e.Keys = slices.Sorted(slices.Values(c.readTexts(keys)))
	}
	if len(e.Routes)+len(e.Keys) == 0 {
		c.reportProblem(v, CodeMissingField, `the experiment samples nothing: add "routes: [auto]", or "keys" with the ids of keys`)
	}
}

func (c *compiler) checkExperimentRoute(v value, name string) {
	known := []string{}
	for _, r := range c.policy.Routes {
		if r.Kind != catalog.Chat {
			continue
		}
		if known = append(known, r.Name); r.Name == "auto" {
			for _, preset := range presetAims {
				known = append(known, preset.name)
			}
		}
	}
	if !slices.Contains(known, name) {
		c.reportUnknownName(v, CodeBadValue, name, known, "no chat route is called %q: experiments sample chat routes", name)
	}
}

func (c *compiler) readExperimentShare(v value) int64 {
	text, ok := c.readString(v)
	if !ok {
		return 0
	}
	share, err := parseDecimal(text, 4)
	if err != nil || share <= 0 || share > WholeShare {
		c.reportProblem(v, CodeBadValue, "must be a share of the requests, more than 0 and at most 1, such as 0.05, with at most four decimal places")
	}
	return share
}

func (c *compiler) readDailyUSD(v value) int64 {
	text, ok := c.readString(v)
	if !ok {
		return 0
	}
	nano, err := parseDecimal(text, 9)
	if err != nil || nano <= 0 || nano > maxDailyUSD*1e9 {
		c.reportProblem(v, CodeBadValue, "must be an amount in US dollars, more than 0 and at most %d, such as 2.50", maxDailyUSD)
	}
	return nano
}

func (c *compiler) readExperimentCandidates(v value) []string {
	items := c.readItems(v)
	switch {
	case len(items) > maxExperimentCandidates:
		c.reportProblem(v, CodeTooLarge, "too many candidates: an experiment can have at most %d", maxExperimentCandidates)
		return []string{}
	case len(items) == 0:
		c.reportProblem(v, CodeMissingField, "the list is empty: name at least one model to compare")
	}
	all := []string{}
	for _, item := range items {
		name := c.readPricedEndpoint(item)
		if slices.Contains(all, name) {
			c.reportProblem(item, CodeDuplicateEntry, "%q is listed twice: remove one", name)
			continue
		}
		all = append(all, name)
	}
	return all
}

// readPricedEndpoint reads a chat model, or model@provider. It needs a price, because the
// daily limit of an experiment could not be held without.
func (c *compiler) readPricedEndpoint(v value) string {
	name := c.readEndpointName(v, catalog.Chat)
	m, provider, ok := c.findEndpoint(name)
	if ok && !slices.ContainsFunc(m.Endpoints, func(e Endpoint) bool {
		return (provider == "" || provider == e.Provider) && len(m.EndpointPrices(&e)) > 0
	}) {
		c.reportProblem(v, CodeUnpricedModel, `%q has no price, so the daily limit of the experiment cannot be held: add a price under "models"`, name)
	}
	return name
}

func (c *compiler) readRubrics(v value) map[string]string {
	c.words.addFields(v, RubricTasks())
	all := map[string]string{}
	for _, entry := range c.readEntries(v) {
		if !slices.Contains(RubricTasks(), entry.name) {
			at := value{path: entry.path, key: entry.key}
			c.reportUnknownName(at, CodeBadValue, entry.name, RubricTasks(), "%q is not a kind of task: use one of %s", entry.name, strings.Join(RubricTasks(), ", "))
			continue
		}
		text := strings.TrimSpace(c.readText(entry))
		if text == "" || len(text) > maxRubric {
			c.reportProblem(entry, CodeBadValue, "must say what makes a response good, in at most %d bytes", maxRubric)
		}
		all[entry.name] = text
	}
	return all
}
