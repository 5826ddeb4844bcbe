package features

// meaning is what a word may stand for; a word may stand for several things.
type meaning uint64

const (
	english meaning = 1 << iota
	german
	french
	spanish
	portuguese
	italian
	dutch
	polish
	turkish
	swedish

	what
	why
	how
	yesNo

	write
	summarise
	translate
	explain
	fix
	classify
	extract
	compare
	implement
	solve
	rewrite
	plan

	golang
	python
	javascript
	java
	cee
	rust
	sql
	shell
	html
	csharp
	php
	ruby
	// called marks the name of a programming language, as against a keyword.
	called

	// lead may stand between the beginning of a sentence and its verb.
	lead
	greet
	thank
	// filler may stand in a greeting.
	filler

	// demand makes a form that soon follows one that is asked for.
	demand
	json
	table
	list
	short
	long

	maths1
	reason
	program
	command
	law
	medicine
	money
	negation
	failure

	// numeral is a number written as a word.
	numeral
	unitWord
	unitSentence
	unitParagraph
	unitPage

	step
)

const (
	languages = english | german | french | spanish | portuguese | italian | dutch | polish | turkish | swedish
	asks      = what | why | how | yesNo
	tasks     = write | summarise | translate | explain | fix | classify | extract | compare | implement | solve | rewrite | plan
	keywords  = golang | python | javascript | java | cee | rust | sql | shell | html | csharp | php | ruby
	units     = unitWord | unitSentence | unitParagraph | unitPage
	social    = greet | thank
	forms     = json | table | list | short | long
	trades    = maths1 | reason | program | law | medicine | money
)

const (
	latinLanguages = 10
	codeLanguages  = 12
)
