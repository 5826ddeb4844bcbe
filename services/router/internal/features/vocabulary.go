package features

// vocabulary returns the known words in lower case, by meaning. A word may have several
// meanings. Non-ASCII letters match only in lower case.
func vocabulary() map[meaning]string {
	all := map[meaning]string{}
	for _, part := range []map[meaning]string{languageWords(), sentenceWords(), formWords(), domainWords(), programmingWords()} {
		for is, words := range part {
			all[is] += " " + words
		}
	}
	return all
}

// languageWords returns the most frequent words of each language of Latin script.
func languageWords() map[meaning]string {
	return map[meaning]string{
		english: `the of and to in is that it for was on are with as be at this have from or had by but not what all were
			when we there can an your which their if do will each about how up out them then she many some so these would
			other into has more her two like him see time could no make than been its who now people my over did down only
			way find use may any where after why does`,
		german: "der die das und ist nicht ein eine einen einem einer ich du sie es wir ihr mit auf f\u00fcr von zu den dem des im " +
			"in an auch als wie was aber oder wenn kann bitte sind war haben hat wird werden noch nach bei aus \u00fcber sich " +
			"dass wo warum mir mich dich uns mein dein zum zur",
		french: "le la les de des du un une et est que qui dans pour pas sur avec ce cette il elle je tu nous vous ne se au " +
			"aux par plus mais ou o\u00f9 comme sont \u00eatre fait tout \u00e0 tr\u00e8s moi quel quelle pourquoi comment l d j qu " +
			"mon votre leur",
		spanish: "el la los las de que y en un una es por con para no se del al lo como m\u00e1s pero su sus le ya o este esta " +
			"s\u00ed porque muy sin sobre me hay donde qu\u00e9 c\u00f3mo est\u00e1 son mi tu ser tiene puede cu\u00e1l",
		portuguese: "o a os as de que e do da em um uma para com n\u00e3o por mais dos das como mas ao ele ela seu sua ou " +
			"quando muito nos j\u00e1 est\u00e1 eu tamb\u00e9m s\u00f3 pelo pela at\u00e9 isso voc\u00ea \u00e9 s\u00e3o foi qual",
		italian: "il lo la i gli le di che e un una in per con non del della sono si da come pi\u00f9 ma anche se nel alla " +
			"dei delle questo questa \u00e8 al ci mi ho ha perch\u00e9 cosa quale essere molto",
		dutch: `de het een en van in is dat op te zijn met voor niet die aan er om ook als maar bij uit naar dan nog wat je
			ik hij ze wij door over kan heeft deze dit hoe waarom`,
		polish: "i w nie na z do to si\u0119 jest \u017ce o jak ale co tak za od po czy przez dla jako jego by\u0107 tego " +
			"s\u0105 oraz kt\u00f3ry dlaczego jaki mi",
		turkish: "ve bir bu da de i\u00e7in ile ne \u00e7ok daha gibi ama en var olan kadar sonra nas\u0131l neden mi " +
			"m\u0131 ben sen biz ki de\u011fil olarak nedir",
		swedish: "och att det som en p\u00e5 \u00e4r av f\u00f6r med den till inte om ett han de jag har var kan fr\u00e5n " +
			"hur vad varf\u00f6r eller men du vi",
	}
}

// sentenceWords returns words that begin sentences, and words of greetings.
func sentenceWords() map[meaning]string {
	return map[meaning]string{
		what: "what which who whom whose when where was wer wann wo welche welcher quel quelle qui quand cu\u00e1l qui\u00e9n " +
			"qu\u00e9",
		why:   "why warum weshalb wieso pourquoi waarom perch\u00e9",
		how:   "how wie comment c\u00f3mo hoe",
		yesNo: `is are were do does did can could will would should has have am may isn aren doesn`,
		leadWord: "please can could would will you i we want need like d to help me us now then also first second next finally " +
			"just kindly and so ok okay task your bitte s il vous pla\u00eet por favor must should",
		write: "write compose draft author schreibe schreib verfasse \u00e9cris r\u00e9dige escribe redacta escreva scrivi " +
			"brainstorm invent",
		summarise: "summarise summarize summary condense shorten tldr zusammenfassung fasse r\u00e9sume resumir riassumi",
		translate: "translate \u00fcbersetze \u00fcbersetz traduis traduire traduce traduzca traduza traduci vertaal",
		explain:   "explain describe define teach clarify elaborate discuss erkl\u00e4re erkl\u00e4r beschreibe explique explica spiega",
		fix:       `fix debug correct repair troubleshoot diagnose proofread korrigiere corrige corrija`,
		classify:  `classify categorise categorize label rate score rank tag decide detect klassifiziere`,
		extract:   `extract identify find parse pull retrieve collect extrahiere extrais extrae`,
		compare:   `compare contrast differentiate distinguish versus vs vergleiche compara`,
		implement: `implement code program build refactor optimise optimize port develop implementiere`,
		solve: "solve calculate compute evaluate prove derive determine simplify integrate differentiate factor l\u00f6se " +
			"berechne calcule calcula",
		rewrite: `rewrite rephrase paraphrase reword edit improve polish reformulate umformuliere`,
		plan:    `plan outline design organise organize schedule propose recommend suggest`,
		greet: "hi hello hey hiya yo greetings howdy hallo moin servus guten bonjour salut hola buenos ciao ol\u00e1 hej " +
			"morning afternoon evening night bye goodbye",
		thank: `please thanks thank thx cheers sorry welcome bitte danke merci gracias obrigado grazie`,
		filler: "good how are you there everyone all is it going doing today so much very a nice day to meet ok okay great cool " +
			"again my friend what s up the for help that tag morgen abend d\u00edas well see later lot and have perfect",
	}
}

// formWords returns words about the form and length of the response.
func formWords() map[meaning]string {
	return map[meaning]string{
		demand: `as in return output format respond reply answer give produce generate create make provide using into valid
			only write use present show print als en como`,
		json:  `json jsonl`,
		table: `table tables tabular spreadsheet csv tabelle tableau tabla`,
		list:  `list lists bullet bullets bulleted bulletpoints enumerate enumerated checklist liste lista`,
		short: `brief briefly concise concisely succinct short shortly tersely tldr kurz knapp`,
		long: "detailed detail thorough thoroughly comprehensive comprehensively extensive essay depth elaborate article report " +
			"ausf\u00fchrlich",
		numeral:       `one two three four five six seven eight nine ten single`,
		unitWord:      "word words w\u00f6rter mots palabras",
		unitSentence:  "sentence sentences line lines s\u00e4tze phrases",
		unitParagraph: "paragraph paragraphs stanza stanzas abs\u00e4tze",
		unitPage:      `page pages seiten`,
		step:          `step steps stepwise`,
		negation: `not no never none neither nor without except cannot t nicht kein keine ne pas nunca sin incorrect false
			least unlikely`,
	}
}

// domainWords returns the words of subjects such as maths or law.
func domainWords() map[meaning]string {
	return map[meaning]string{
		mathsWord: `equation equations integral derivative theorem lemma proof polynomial matrix matrices vector eigenvalue
			probability variance triangle rectangle circle radius perimeter angle integer integers prime divisible remainder
			modulo sum product fraction percent percentage average mean median ratio sequence limit convergent function
			logarithm sine cosine tangent quadratic linear algebra geometry calculus permutation permutations combinations
			solve calculate compute total altogether twice thrice half times many much each per gleichung`,
		reason: `therefore because implies assume suppose infer deduce conclude hypothesis logically logic premise premises
			puzzle riddle argument necessarily consistent contradiction scenario explain why most best likely evidence
			theory principle according analysis prove`,
		law: "contract clause plaintiff defendant liability tort statute court attorney lawyer litigation jurisdiction " +
			"legal law lease gdpr copyright patent trademark negligence indemnity breach felony constitutional vertrag " +
			"gesetz kl\u00e4ger",
		medicine: `patient patients diagnosis symptom symptoms treatment dose dosage mg clinical disease syndrome infection
			fever blood surgery cancer diabetes hypertension medication prescription physician doctor therapy artery
			chronic acute arzt patientin`,
		money: `revenue profit invoice tax taxes interest loan mortgage stock stocks shares bond bonds dividend portfolio
			equity liabilities asset assets accounting balance ledger inflation investment investor bank credit debit
			cashflow depreciation ebitda currency`,
		latexCommand: `frac dfrac tfrac sum int sqrt boxed cdot times leq geq le ge neq infty alpha beta gamma delta theta lambda
			pi sigma mu left right begin end mathbb mathrm mathbf text lim prod log ln sin cos tan partial nabla vec hat
			overline binom forall exists rightarrow to in equiv pmod approx`,
	}
}
