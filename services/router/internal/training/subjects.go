package training

import (
	"fmt"
	"io"
	"maps"
	"slices"

	"github.com/signalbox/signalbox/services/router/internal/predict"
	"github.com/signalbox/signalbox/services/router/internal/subject"
)

// subjectsOf returns the subjects, and the categories of the folders that belong to them. The
// categories of mmlu_pro have the names of the subjects.
func subjectsOf() map[string][]string {
	return map[string][]string{
		"biology":          {"high_school_biology", "college_biology"},
		"business":         {"marketing", "professional_accounting", "public_relations", "business_ethics", "management"},
		"chemistry":        {"high_school_chemistry", "college_chemistry"},
		"computer science": {"computer_security", "machine_learning", "college_computer_science", "high_school_computer_science"},
		"economics":        {"high_school_macroeconomics", "high_school_microeconomics", "econometrics"},
		"engineering":      {"electrical_engineering"},
		"health":           {"nutrition", "professional_medicine", "clinical_knowledge", "college_medicine", "anatomy", "medical_genetics", "virology"},
		"history":          {"high_school_us_history", "high_school_world_history", "high_school_european_history", "prehistory"},
		"law":              {"professional_law", "jurisprudence", "international_law"},
		"math":             {"elementary_mathematics", "high_school_mathematics", "high_school_statistics", "college_mathematics", "abstract_algebra", "gsm8k"},
		"philosophy":       {"moral_disputes", "philosophy", "logical_fallacies", "moral_scenarios", "formal_logic", "world_religions"},
		"physics":          {"conceptual_physics", "high_school_physics", "college_physics", "astronomy"},
		"psychology":       {"high_school_psychology", "professional_psychology", "human_aging", "human_sexuality"},
	}
}

// subjectFolders are the folders whose categories are subjects.
var subjectFolders = []string{"mmlu_pro", "routellm_mmlu", mixed}

// subjectSample is a text and the index of its subject.
type subjectSample struct {
	folder, text string
	owner        int
}

// subjectSamples returns the texts with subjects, and the texts without one, whose index is
// the number of subjects. Categories that belong to no subject have none.
func (l *Lab) subjectSamples(names []string) []subjectSample {
	index := map[string]int{}
	for i, name := range names {
		index[name] = i
		for _, category := range subjectsOf()[name] {
			index[category] = i
		}
	}
	var all []subjectSample
	for _, folder := range subjectFolders {
		set := l.sets[folder]
		for i, category := range set.Categories {
			if owner, ok := index[category]; ok {
				all = append(all, subjectSample{folder, set.Texts[i], owner})
			} else if folder != mixed {
				all = append(all, subjectSample{folder, set.Texts[i], len(names)})
			}
		}
	}
	for _, s := range l.corpus.everyday {
		all = append(all, subjectSample{"", s.text, len(names)})
	}
	return all
}

// subjectRows is the number of word rows of the classifier, and subjectRidge its penalty.
const (
	subjectRows  = 1 << 14
	subjectRidge = 2
)

// TrainSubjects learns the classifier of subjects from all data.
func (l *Lab) TrainSubjects() *subject.Classifier {
	return l.trainSubjects(func(string) bool { return true })
}

// trainSubjects learns the classifier from the texts that keep selects.
func (l *Lab) trainSubjects(keep func(text string) bool) *subject.Classifier {
	names := slices.Sorted(maps.Keys(subjectsOf()))
	var samples []sample
	var owners []int
	for _, s := range l.subjectSamples(names) {
		if keep(s.text) {
			samples, owners = append(samples, sample{rows: predict.Rows(s.text)}), append(owners, s.owner)
		}
	}
	targets := make([]target, len(names)+1)
	for k := range targets {
		values := make([]float64, len(samples))
		for i, owner := range owners {
			if values[i] = -1; owner == k {
				values[i] = 1
			}
		}
		targets[k] = target{model: -1, values: values}
	}
	b := &predict.Block{Rows: subjectRows}
	f := &fitter{block: b, idf: documentFrequencies([][]sample{samples}), ridge: subjectRidge, weights: balance(owners, len(targets))}
	f.fit(samples, targets)
	c := &subject.Classifier{Names: names, Rows: b.Rows, IDF: f.idf, Words: b.Words}
	for _, h := range b.Heads {
		c.Levels, c.Scales = append(c.Levels, h.Level), append(c.Scales, h.WordScale)
	}
	return c
}

// PrintSubjects writes how many texts that it has not seen the classifier gives a subject, and
// how many of these are right, for one part of the texts.
func (l *Lab) PrintSubjects(out io.Writer) {
	c := l.trainSubjects(func(text string) bool { return foldOf(text) != 0 })
	texts, named, right := map[string]float64{}, map[string]float64{}, map[string]float64{}
	for _, s := range l.subjectSamples(c.Names) {
		if foldOf(s.text) != 0 {
			continue
		}
		texts[s.folder]++
		if got := c.Of(predict.Rows(s.text)); got > 0 {
			named[s.folder]++
			if got == int64(s.owner)+1 {
				right[s.folder]++
			}
		}
	}
	fmt.Fprintf(out, "Subjects of texts that the classifier has not seen\n\n%-32s %6s %6s %6s\n", "folder", "texts", "named", "right")
	for _, folder := range slices.Sorted(maps.Keys(texts)) {
		name := folder
		if name == "" {
			name = "everyday texts"
		}
		fmt.Fprintf(out, "%-32s %6.0f %6.0f %6.0f\n", name, texts[folder], named[folder], right[folder])
	}
	fmt.Fprintln(out)
}
