package training

import (
	"bufio"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"

	"github.com/signalbox/signalbox/services/router/internal/predict"
)

// Set is a folder of prompts with the outcomes of models.
type Set struct {
	Folder string
	IDs    []string
	Texts  []string
	// Categories holds the subject or task of each prompt; it may be empty.
	Categories []string
	Models     []string
	// Scores holds a row per prompt. A missing outcome is NaN.
	Scores [][]float64
}

// maxLine limits a line of prompts.jsonl, in bytes.
const maxLine = 16 << 20

// ReadSet reads a folder. Without scores.csv, the set has no models.
func ReadSet(dir, folder string) (*Set, error) {
	s := &Set{Folder: folder}
	if err := s.readPrompts(filepath.Join(dir, folder, "prompts.jsonl")); err != nil {
		return nil, err
	}
	header, rows, err := readTable(filepath.Join(dir, folder, "scores.csv"))
	if errors.Is(err, os.ErrNotExist) {
		return s, nil
	}
	if err != nil {
		return nil, err
	}
	if len(rows) != len(s.Texts) {
		return nil, fmt.Errorf("%s has %d scores for %d prompts", folder, len(rows), len(s.Texts))
	}
	s.Models, s.Scores = header, rows
	return s, nil
}

func (s *Set) readPrompts(path string) error {
	file, err := os.Open(path)
	if err != nil {
		return err
	}
	defer file.Close()
	lines := bufio.NewScanner(file)
	lines.Buffer(nil, maxLine)
	for lines.Scan() {
		var prompt struct{ ID, Prompt, Category string }
		if err := json.Unmarshal(lines.Bytes(), &prompt); err != nil {
			return fmt.Errorf("%s, line %d: %w", path, len(s.IDs)+1, err)
		}
		s.IDs, s.Texts = append(s.IDs, prompt.ID), append(s.Texts, prompt.Prompt)
		s.Categories = append(s.Categories, prompt.Category)
	}
	return lines.Err()
}

// readTable reads a table of numbers with an id in the first column.
func readTable(path string) (header []string, rows [][]float64, err error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, nil, err
	}
	defer file.Close()
	records, err := csv.NewReader(file).ReadAll()
	if err != nil || len(records) == 0 {
		return nil, nil, fmt.Errorf("%s: %w", path, err)
	}
	for line, record := range records[1:] {
		row := make([]float64, len(record)-1)
		for i, field := range record[1:] {
			if row[i] = math.NaN(); field == "" {
				continue
			}
			if row[i], err = strconv.ParseFloat(field, 64); err != nil {
				return nil, nil, fmt.Errorf("%s, line %d: %w", path, line+2, err)
			}
		}
		rows = append(rows, row)
	}
	return records[0][1:], rows, nil
}

// only returns the prompts of some categories. Without categories, it returns the set.
func (s *Set) only(categories []string) *Set {
	if len(categories) == 0 {
		return s
	}
	part := &Set{Folder: s.Folder, Models: s.Models}
	for i, category := range s.Categories {
		if slices.Contains(categories, category) {
			part.IDs, part.Texts = append(part.IDs, s.IDs[i]), append(part.Texts, s.Texts[i])
			part.Categories, part.Scores = append(part.Categories, category), append(part.Scores, s.Scores[i])
		}
	}
	return part
}

// column returns the scores of a model, by its exact name or by its normalised name.
func (s *Set) column(model string) (int, bool) {
	for i, name := range s.Models {
		if name == model {
			return i, true
		}
	}
	for i, name := range s.Models {
		if predict.Normalise(name) == predict.Normalise(model) {
			return i, true
		}
	}
	return 0, false
}

// Pair is a comparison of two models on the prompts of a set.
type Pair struct{ Task, Folder, Strong, Weak string }

// ReadPairs reads pairs.csv of a folder, or of its parent.
func ReadPairs(dir string) ([]Pair, error) {
	path := filepath.Join(dir, "pairs.csv")
	if _, err := os.Stat(path); err != nil {
		path = filepath.Join(dir, "..", "pairs.csv")
	}
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	records, err := csv.NewReader(file).ReadAll()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	var pairs []Pair
	for line, r := range records {
		if len(r) < 4 {
			return nil, fmt.Errorf("%s, line %d: 4 columns are needed", path, line+1)
		}
		if line > 0 {
			pairs = append(pairs, Pair{Task: r[0], Folder: r[1], Strong: r[2], Weak: r[3]})
		}
	}
	return pairs, nil
}
