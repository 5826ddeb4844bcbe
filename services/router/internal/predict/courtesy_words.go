package predict

import "strings"

// openings are the signs of a polite sentence before a request, closings of one after it.
var (
	openings = wordsOf("hi hello hey greetings morning afternoon evening please kindly help thanks thank question questions problem task exercise hallo hola bonjour bitte")
	closings = wordsOf("please thanks thank cheers appreciated appreciate grateful regards danke merci gracias")
)

// politeWords holds the words that polite sentences consist of.
var politeWords = wordsOf(`a advance advice afternoon again all am an and answer any appreciate appreciated are ask asking assist
	assistance assistant at be below best bitte bonjour can chatbot cheers could d danke day dear do doing evening exercise favor favour
	figure find following for friend give good got gracias grateful great greetings hallo have having hello help helping here hey hi
	hola hope how i if in is it just kind kindly know like ll look looking lot lots m madam many me merci mind morning much my need
	nice of on one out please problem question questions quick re regards s sir so solve some stuck take task team thank thanks that
	the there these this those time to today trouble try trying understand us ve very want was we well with wonder wondering would
	you your`)

func wordsOf(words string) map[string]bool {
	all := map[string]bool{}
	for word := range strings.FieldsSeq(words) {
		all[word] = true
	}
	return all
}
