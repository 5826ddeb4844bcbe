package features

// meaning is a set of bits. Each bit is one thing that a word may mean.
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
	clang
	rust
	sql
	shell
	html
	csharp
	php
	ruby
	// languageName marks the name of a programming language or tool, not a keyword.
	languageName

	// leadWord marks words that may stand between the beginning of a sentence and its verb.
	leadWord
	greet
	thank
	// filler marks words that may occur in a greeting.
	filler

	// demand marks words that request the form after them, as in "as JSON".
	demand
	json
	table
	list
	short
	long

	mathsWord
	reason
	program
	latexCommand
	law
	medicine
	money
	negation
	failure

	// numeral marks numbers that are written as words.
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
	keywords  = golang | python | javascript | java | clang | rust | sql | shell | html | csharp | php | ruby
	units     = unitWord | unitSentence | unitParagraph | unitPage
	social    = greet | thank
	forms     = json | table | list | short | long
	domains   = mathsWord | reason | program | law | medicine | money
)

const (
	latinLanguages = 10
	codeLanguages  = 12
)
