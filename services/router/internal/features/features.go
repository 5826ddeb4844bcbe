// Package features extracts small numbers from the text of a request: its language,
// how much of it is code, which task it states and which form it requests. A Reader
// reads them in one pass. The record stores the numbers, so that a decision can be
// repeated without the text. The proxy extracts the structural features, such as the
// number of messages. Package quality and the policy use the features.
//
// A policy refers to a feature as feature.NAME. Features that are 0 are left out.
// Shares are in thousandths. The other numbers are counts unless stated otherwise.
//
//	lexical              version of the reader; present whenever a text was read
//	language             1 en, 2 de, 3 fr, 4 es, 5 pt, 6 it, 7 nl, 8 pl, 9 tr, 10 sv, 11 ru,
//	                     12 uk, 13 el, 14 ar, 15 he, 16 hi, 17 zh, 18 ja, 19 ko, 20 th
//	language_confidence  lead over the second most likely language, in thousandths
//	non_latin            share of the letters that are not Latin
//	words, lines         of the excerpt; in scripts without spaces two letters count as a word
//	length               class of the size: 1 up to 40 bytes, 2 up to 200, 3 up to 1,000,
//	                     4 up to 4,000, 5 above
//	code                 share of the bytes that are code
//	code_language        1 go, 2 python, 3 javascript, 4 java, 5 c, 6 rust, 7 sql, 8 shell,
//	                     9 html, 10 csharp, 11 php, 12 ruby
//	fences, inline_code  blocks and spans between backticks
//	code_words           words of programming, such as compile or endpoint
//	trace                1 if the text contains a stack trace
//	maths                score from 0 to 1000
//	latex, operators     LaTeX commands; operators between numbers or names
//	numbers              numbers written in digits
//	digits               share of the bytes that are digits
//	questions            sentences that end in a question mark
//	asks_what, asks_why, asks_how, asks_yes_no
//	                     1 if a sentence begins with such a question
//	task_write, task_summarise, task_translate, task_explain, task_fix, task_classify,
//	task_extract, task_compare, task_implement, task_solve, task_rewrite, task_plan
//	                     1 if a sentence states this task
//	wants_json, wants_table, wants_list, wants_short, wants_long, wants_steps
//	                     1 if this form is requested
//	wants_words          requested length in words
//	options              lines of a multiple choice
//	list_items           other lines of a list
//	greeting             1 if the text is only a greeting or thanks
//	polite, negations    polite words, and words such as not or never
//	urls                 web addresses
//	legal, medical, finance, reasoning
//	                     words of the domain
package features

import (
	"slices"
	"strings"

	"github.com/signalbox/signalbox/pkg/decide"
)

// Version identifies the reader. Increase it when the same text gives other features.
const Version = 3

// feature is the index of a feature in a Vector.
type feature int

const (
	lexical feature = iota
	language
	languageConfidence
	nonLatin
	words
	lines
	length
	code
	codeLanguage
	fences
	inlineCode
	codeWords
	trace
	maths
	latex
	operators
	numbers
	digits
	questions
	asksWhat // asksWhat to asksYesNo are in the same order as the meanings what to yesNo
	asksWhy
	asksHow
	asksYesNo
	taskWrite // taskWrite to taskPlan are in the same order as the meanings write to plan
	taskSummarise
	taskTranslate
	taskExplain
	taskFix
	taskClassify
	taskExtract
	taskCompare
	taskImplement
	taskSolve
	taskRewrite
	taskPlan
	wantsJSON
	wantsTable
	wantsList
	wantsShort
	wantsLong
	wantsSteps
	wantsWords
	options
	listItems
	greeting
	polite
	negations
	urls
	legal
	medical
	finance
	reasoning
	featureCount
)

var featureNames = [featureCount]string{
	"lexical", "language", "language_confidence", "non_latin", "words", "lines", "length",
	"code", "code_language", "fences", "inline_code", "code_words", "trace",
	"maths", "latex", "operators", "numbers", "digits",
	"questions", "asks_what", "asks_why", "asks_how", "asks_yes_no",
	"task_write", "task_summarise", "task_translate", "task_explain", "task_fix", "task_classify",
	"task_extract", "task_compare", "task_implement", "task_solve", "task_rewrite", "task_plan",
	"wants_json", "wants_table", "wants_list", "wants_short", "wants_long", "wants_steps", "wants_words",
	"options", "list_items", "greeting", "polite", "negations", "urls",
	"legal", "medical", "finance", "reasoning",
}

// Names returns the names of all features in a fixed order.
func Names() []string { return append([]string(nil), featureNames[:]...) }

// featuresByName holds the features sorted by name.
var featuresByName = sortFeatures()

func sortFeatures() (all [featureCount]feature) {
	for i := range all {
		all[i] = feature(i)
	}
	slices.SortFunc(all[:], func(a, b feature) int { return strings.Compare(featureNames[a], featureNames[b]) })
	return all
}

// Vector holds the value of every feature.
type Vector [featureCount]int64

// AppendTo appends the features that are not 0 to values, sorted by name. values must be
// empty.
func (v *Vector) AppendTo(values decide.NamedValues) decide.NamedValues {
	for _, i := range featuresByName {
		if v[i] != 0 {
			values = append(values, decide.NamedValue{Name: featureNames[i], Value: v[i]})
		}
	}
	return values
}

// CountPolite replaces the number of polite words by that of another text: the one that the
// vector's text is a part of.
func (v *Vector) CountPolite(whole *Vector) { v[polite] = whole[polite] }

// IsGreeting reports whether the text is only a greeting or thanks.
func (v *Vector) IsGreeting() bool { return v[greeting] != 0 }
