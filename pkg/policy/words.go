package policy

import (
	_ "embed" // for wordsDocument
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/signalbox/signalbox/pkg/catalog"
)

// Words are what an editor can propose: the fields, values and names that a document can have
// at a path. In paths, * is any name and [] any item of a list. The compiler collects them
// while it reads wordsDocument, so they are exactly what it accepts.
type Words struct {
	// Fields are the fields of a mapping, and Values the allowed values.
	Fields, Values map[string][]string
	// Models and Providers are the paths of the names of models and of providers.
	Models, Providers []string
}

// wordsDocument has every part that a document can have. It is not a valid policy.
//
//go:embed words.yaml
var wordsDocument []byte

// KnownWords returns the words of this build.
func KnownWords(cat *catalog.Catalog) Words {
	w := &wordCollector{fields: map[string][]string{}, values: map[string][]string{}, models: map[string]bool{}, providers: map[string]bool{}}
	root, _ := parse(wordsDocument)
	c := &compiler{catalog: cat, policy: &Policy{}, reader: reader{words: w}}
	c.readDocument(value{node: root})
	return Words{Fields: w.fields, Values: w.values, Models: slices.Sorted(maps.Keys(w.models)), Providers: slices.Sorted(maps.Keys(w.providers))}
}

// wordCollector collects words. A nil collector ignores them.
type wordCollector struct {
	fields, values    map[string][]string
	models, providers map[string]bool
}

func (w *wordCollector) addFields(v value, names []string) {
	if w != nil && v.node != nil {
		w.fields[generalPath(v.path)] = slices.Clone(names)
	}
}

func (w *wordCollector) addValues(v value, words ...string) {
	if w != nil {
		w.values[generalPath(v.path)] = words
	}
}

func (w *wordCollector) addModel(v value) {
	if w != nil {
		w.models[generalPath(v.path)] = true
	}
}

func (w *wordCollector) addProvider(v value) {
	if w != nil {
		w.providers[generalPath(v.path)] = true
	}
}

var itemIndex = regexp.MustCompile(`\[\d+\]`)

// generalPath replaces the names and positions in a path of wordsDocument.
func generalPath(path string) string {
	parts := strings.SplitN(path, ".", 3)
	if len(parts) > 1 && slices.Contains([]string{"providers", "models", "routes", "experiments"}, parts[0]) {
		parts[1] = "*"
	}
	return itemIndex.ReplaceAllString(strings.Join(parts, "."), "[]")
}

// conditionWords are the names of all conditions. Those of metadata end with a dot, because
// any name can follow.
func conditionWords() (all []string) {
	for _, name := range conditionFields() {
		switch family, _ := strings.CutSuffix(name, ".NAME"); family {
		case name:
			all = append(all, name)
		case FieldFeature:
			for _, feature := range FeatureNames() {
				all = append(all, FieldFeature+"."+feature)
			}
		default:
			all = append(all, family+".")
		}
	}
	return all
}
