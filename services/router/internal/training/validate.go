package training

import (
	"fmt"
	"hash/fnv"
	"math"
	"strings"

	"github.com/signalbox/signalbox/pkg/catalog"
	"github.com/signalbox/signalbox/services/router/internal/predict"
)

// Folds is the number of parts of the cross-validation.
const Folds = 5

// foldOf returns the part of a text. Texts that begin alike are in the same part, because
// several collections contain the same questions.
func foldOf(text string) int {
	head := strings.ToLower(strings.Join(strings.Fields(text), " "))
	hash := fnv.New32a()
	hash.Write([]byte(head[:min(len(head), 60)]))
	return int(hash.Sum32() >> 8 % Folds) //nolint:gosec // small
}

// Lab holds the data of a training run.
type Lab struct {
	reader *reader
	corpus *corpus
	sets   map[string]*Set
	pairs  []Pair
}

// Open reads the folders that the collections and the pairs need.
func Open(dir string, cat *catalog.Catalog) (*Lab, error) {
	l := &Lab{reader: newReader(cat), corpus: &corpus{sources: sources()}, sets: map[string]*Set{}}
	var err error
	if l.pairs, err = ReadPairs(dir); err != nil {
		return nil, err
	}
	for _, src := range l.corpus.sources {
		var sets []*Set
		for _, part := range src.parts {
			set, err := l.open(dir, part.folder)
			if err != nil {
				return nil, err
			}
			sets = append(sets, set.only(part.categories))
		}
		l.corpus.samples = append(l.corpus.samples, l.reader.join(sets))
	}
	for _, pair := range l.pairs {
		if _, err := l.open(dir, pair.Folder); err != nil {
			return nil, err
		}
	}
	for i, text := range everydayPrompts() {
		l.corpus.everyday = append(l.corpus.everyday, l.reader.readVaried(text, i))
	}
	return l, nil
}

func (l *Lab) open(dir, folder string) (*Set, error) {
	if set, ok := l.sets[folder]; ok {
		return set, nil
	}
	set, err := ReadSet(dir, folder)
	l.sets[folder] = set
	return set, err
}

// Train learns weights from all data.
func (l *Lab) Train() *predict.Weights { return train(l.corpus) }

// scorerFor returns a scorer with weights learned from the samples that keep selects. Only the
// given models get heads, or all if models is nil.
func (l *Lab) scorerFor(models map[string]bool, keep func(collection int, s *sample) bool) *scorer {
	return &scorer{predictor: predict.FromWeights(l.trainOn(models, keep), "validation"), reader: l.reader}
}

// trainOn returns weights learned from the samples that keep selects. Without samples a
// collection is left out.
func (l *Lab) trainOn(models map[string]bool, keep func(collection int, s *sample) bool) *predict.Weights {
	part := &corpus{everyday: l.corpus.everyday, models: models}
	for c, samples := range l.corpus.samples {
		var kept []sample
		for i := range samples {
			if keep(c, &samples[i]) {
				kept = append(kept, samples[i])
			}
		}
		if len(kept) > 0 {
			part.sources, part.samples = append(part.sources, l.corpus.sources[c]), append(part.samples, kept)
		}
	}
	return train(part)
}

// CrossValidate returns a task per pair. The weights that score a prompt were learned without
// its part. Scores are ranks within a part: the weights of different parts have different
// levels, and a level is the higher, the less the part itself needs the strong model.
func (l *Lab) CrossValidate(report func(fold int)) ([]Task, []CollectionCalibration) {
	tasks, calibrations := make([]Task, len(l.pairs)), make([]CollectionCalibration, len(l.corpus.samples))
	for fold := range Folds {
		s := l.scorerFor(nil, func(_ int, s *sample) bool { return foldOf(s.text) != fold })
		for i, pair := range l.pairs {
			l.evaluate(&tasks[i], pair, s, func(text string) bool { return foldOf(text) == fold })
		}
		l.calibrate(calibrations, s.predictor, fold)
		report(fold)
	}
	return tasks, calibrations
}

// evaluate adds the scores of the selected prompts to a task.
func (l *Lab) evaluate(t *Task, pair Pair, s *scorer, use func(text string) bool) {
	set := l.sets[pair.Folder]
	strong, ok1 := set.column(pair.Strong)
	weak, ok2 := set.column(pair.Weak)
	t.Pair = pair
	if !ok1 || !ok2 {
		return
	}
	var scores []float64
	for i, text := range set.Texts {
		a, b := set.Scores[i][strong], set.Scores[i][weak]
		if !use(text) || math.IsNaN(a) || math.IsNaN(b) {
			continue
		}
		score, similarity := s.score(pair, text)
		if similarity > 0 {
			t.Inside++
		}
		scores = append(scores, score)
		t.Strong, t.Weak = append(t.Strong, a), append(t.Weak, b)
	}
	for _, rank := range meanRanks(scores) {
		t.Scores = append(t.Scores, (rank+0.5)/float64(len(scores)))
	}
}

// LeaveOneOut returns a task per pair, with weights that were learned without the collections
// of the pair's prompts.
func (l *Lab) LeaveOneOut() []Task {
	tasks, scorers, models := make([]Task, len(l.pairs)), map[string]*scorer{}, map[string]bool{}
	for _, pair := range l.pairs {
		models[predict.Normalise(pair.Strong)], models[predict.Normalise(pair.Weak)] = true, true
	}
	for i, pair := range l.pairs {
		own := l.collectionsOf(pair.Folder)
		key := fmt.Sprint(own)
		if scorers[key] == nil {
			scorers[key] = l.scorerFor(models, func(c int, _ *sample) bool { return !own[c] })
		}
		l.evaluate(&tasks[i], pair, scorers[key], func(string) bool { return true })
	}
	return tasks
}

// collectionsOf says which collections contain prompts of a folder.
func (l *Lab) collectionsOf(folder string) []bool {
	own := make([]bool, len(l.corpus.sources))
	for c, src := range l.corpus.sources {
		for _, part := range src.parts {
			own[c] = own[c] || part.folder == folder
		}
	}
	return own
}
