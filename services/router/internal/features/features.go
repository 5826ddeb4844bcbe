// Package features reads small numbers out of the text of a request: what
// language it is in, how much of it is code, what is asked and in which form.
// They are kept on the record, so that a decision can be made again without
// the text; the structural ones are the proxy's. It judges nothing: what the
// numbers mean for a choice is the quality package's and the policy's affair.
//
// A policy names them in a condition as feature.NAME. What is 0 is left out.
// Shares are thousandths; what is not marked otherwise is a count.
//
//	lexical              version of the reader; present whenever a text was read
//	language             1 en, 2 de, 3 fr, 4 es, 5 pt, 6 it, 7 nl, 8 pl, 9 tr, 10 sv, 11 ru,
//	                     12 uk, 13 el, 14 ar, 15 he, 16 hi, 17 zh, 18 ja, 19 ko, 20 th
//	language_confidence  share by which it leads the next
//	non_latin            share of the letters
//	words, lines         of the excerpt; scripts without spaces count two letters a word
//	length               class: 1 to 40 bytes, 2 to 200, 3 to 1,000, 4 to 4,000, 5 more
//	code                 share of the bytes
//	code_language        1 go, 2 python, 3 javascript, 4 java, 5 c, 6 rust, 7 sql, 8 shell,
//	                     9 html, 10 csharp, 11 php, 12 ruby
//	fences, inline_code  blocks and spans between backticks
//	code_words           words of programming, such as compile or endpoint
//	trace                true for an error's trace
//	maths                score from 0 to 1000
//	latex, operators     commands of LaTeX; signs between numbers or names
//	numbers              numbers written in digits
//	digits               share of the bytes
//	questions            sentences that end in a question mark
//	asks_what, asks_why, asks_how, asks_yes_no
//	                     true for a sentence that begins so
//	task_write, task_summarise, task_translate, task_explain, task_fix, task_classify,
//	task_extract, task_compare, task_implement, task_solve, task_rewrite, task_plan
//	                     true for a sentence that tells to
//	wants_json, wants_table, wants_list, wants_short, wants_long, wants_steps
//	                     true for a form that is asked for
//	wants_words          length that is asked for, in words
//	options              lines of a multiple choice
//	list_items           other lines of a list
//	greeting             true for a greeting or thanks and nothing else
//	polite, negations, urls
//	legal, medical, finance, reasoning
//	                     words of the trade
package features

import (
	"slices"
	"strings"

	"github.com/signalbox/signalbox/pkg/decide"
)

// Version changes whenever the same text would give other features.
const Version = 1

// feature is the place of a feature in a Vector.
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
	asksWhat // the next three follow in the order of their meanings
	asksWhy
	asksHow
	asksYesNo
	taskWrite // so do the next eleven
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
	count
)

var names = [count]string{
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

// Names are all features, in a fixed order.
func Names() []string { return append([]string(nil), names[:]...) }

// byName are the features in the order of their names. It never changes.
var byName = sortNames()

func sortNames() (all [count]feature) {
	for i := range all {
		all[i] = feature(i)
	}
	slices.SortFunc(all[:], func(a, b feature) int { return strings.Compare(names[a], names[b]) })
	return all
}

// Vector has the value of every feature.
type Vector [count]int64

// AppendTo adds the features that are not 0 to an empty list.
func (v *Vector) AppendTo(all decide.Numbers) decide.Numbers {
	for _, i := range byName {
		if v[i] != 0 {
			all = append(all, decide.Number{Name: names[i], Value: v[i]})
		}
	}
	return all
}
