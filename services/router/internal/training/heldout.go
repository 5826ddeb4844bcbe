package training

import "strings"

// heldOutParaphrase replaces phrases by others with the same meaning. Nothing is learned from
// this list: it measures how decisions react to phrases that training has not met. Its figures
// were seen while settings were chosen, so they are slightly optimistic.
func heldOutParaphrase(text string) string { return heldOutParaphrases.Replace(text) }

var heldOutParaphrases = strings.NewReplacer(
	"Which of the following", "Among the items listed, which one", "which of the following", "among the items listed, which one",
	"What is ", "I'd like to know what is ", "What are ", "I'd like to know what are ", "what is ", "what would be ",
	"How many ", "Work out how many ", "how many ", "just how many ", "How much ", "Work out how much ", "how much ", "just how much ",
	"How long ", "For what length of time ", "How far ", "Over what distance ", "How do ", "In what way do ", "How does ", "In what way does ",
	"Find ", "Figure out ", "find ", "figure out ", "Compute ", "Figure out ", "Calculate ", "Determine ", "Determine ", "Establish ",
	"Solve ", "Give the solution of ", "Simplify ", "Bring into simpler form ", "Prove ", "Show ",
	"Who ", "What person ", "When ", "At what time ", "Where ", "At what place ", "Why ", "For what reason ",
	"Write a function to ", "Please create a function in order to ", "Write a python function to ", "Create some Python code to ",
	"Write a function that ", "Create a function which ", "Write ", "Put together ", "Explain ", "Clarify ", "Describe ", "Characterise ",
	"Suppose ", "Assume ", "Let ", "Now let ", "If ", "Given that ", "Assume that ", "Suppose that ",
	" therefore ", " thus ", " but ", " yet ", " begins ", " starts ", " a total of ", " altogether ", " per ", " for each ", " gives ", " hands ",
	" buys ", " pays for ", " needs ", " requires ", " wants ", " wishes ", " makes ", " produces ", " such that ", " so that ",
	" must ", " has to ", " following ", " below ", " statement ", " claim ", " likely ", " probable ", " usually ", " normally ",
	" given list", " supplied list", " given string", " supplied string", " check whether ", " test whether ", " using ", " by means of ",
)
