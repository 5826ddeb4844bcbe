package training

import "strings"

// paraphrase replaces common phrases of requests by others with the same meaning.
func paraphrase(text string) string { return paraphrases.Replace(text) }

var paraphrases = strings.NewReplacer(
	"Which of the following", "Which one of these", "which of the following", "which one of these",
	"What is the ", "Tell me the ", "what is the ", "tell me the ",
	"How many ", "What number of ", "how many ", "what number of ",
	"How much ", "What amount of ", "how much ", "what amount of ",
	"Find the ", "Determine the ", "find the ", "determine the ",
	"Compute ", "Calculate ", "Calculate ", "Work out ", "Evaluate ", "Calculate ",
	"Who was ", "Which person was ", "Who wrote ", "Which person wrote ", "When did ", "In which year did ", "Where is ", "In which place is ",
	"Write a function to ", "Implement a function that can ", "Write a python function to ", "Implement a python function that can ",
	"Explain ", "Describe ", "Give me ", "Provide ", "Write a ", "Compose a ", "Summarise ", "Condense ",
	" because ", " since ", " in order to ", " to ", " needs to ", " has to ", " wants to ", " would like to ", " bought ", " purchased ", " gets ", " receives ",
	" each ", " every ", " also ", " in addition ", " however ", " but ", " large ", " big ", " most likely ", " most probably ", " best describes ", " describes best ",
)
