package redact_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/services/proxy/internal/redact"
)

const unlimited = 1 << 30

func newRedactor(t testing.TB, patterns ...redact.Pattern) *redact.Redactor {
	t.Helper()
	r, err := redact.New(patterns)
	require.NoError(t, err)
	return r
}

func redacted(r *redact.Redactor, body string, limit int) string {
	clean, _ := r.Redact(nil, []byte(body), limit)
	return string(clean)
}

// The part between the marks must be removed from each text, and nothing else.
var found = map[string][]string{
	"key": {
		"<<sk-abcdef1234567890abcd>>", "use <<sk-ant-api03-Zz9_x-y1234567890>>, please", "key:<<sk-proj-abc_DEF-1234567890123456>>.",
		"<<sbx_live_0123456789abcdefghijABCDEFGHIJ012345678>>", "<<sbx_token_0123456789-abcdefghij_ABCDEFGHIJ01234567890>>", "<<AIzaSyA1234567890abcdefghijklmnopqrstuv>>", "x=<<AKIAIOSFODNN7EXAMPLE>>",
		"<<ASIAIOSFODNN7EXAMPLE>>", "<<ghp_abcdefghijklmnopqrstuvwxyz0123456789>>", "<<github_pat_11ABCDEFG0aBcDeFgHiJkL_mnop>>",
		"<<xoxb-123456789012-abcdefABCDEF>>", "<<hf_abcdefghijklmnop1234>>", "<<gsk_abcdefghijklmnop1234>>", "<<glpat-abcdefgh12345678>>", "<<sk_live_4eC39HqLyjWDarjtT1zdp7dc>>",
		"<<eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVmNHl0w5N_XgL0n3I9PlFUP0THsR8U>>",
		"curl -H '<<Bearer abcdefghij0123456789>>'", "<<bearer abc.def-ghi~jkl0123456789==>>", "send <<Basic YWxhZGRpbjpvcGVuc2VzYW1l>> along",
		"a\n<<-----BEGIN RSA PRIVATE KEY-----\nMIIEowIBAAKCAQEA\nabc=\n-----END RSA PRIVATE KEY----->>\nb", "<<-----BEGIN PRIVATE KEY-----\nMIIEvQ>>", "_<<sk-abcdef1234567890abcd>>",
	},
	"password": {
		"curl -H 'Authorization: <<Bearer abcdefghij0123456789>>'", "password=<<hunter2>>", "DB_PASSWORD=<<swordfish>>", `{"password": "<<correct horse>>"}`, "password: <<hunter2>>", "pwd = '<<abc def>>'", "api_key=<<0f9e8d7c6b>>&x=1",
		"postgres://<<app:s3cret>>@db/x", "client_secret => \"<<abcdef>>\"", "x-api-key: <<0123456789abcdef>>", "token=<<abcdefgh12345678>>", "Authorization: <<Token abc123>>",
		`{"a":{"db_password":"<<x>>","n":1}}`, `{"passwords":["<<a>>","<<b>>"]}`, `{"apiKey":"<<plain>>"}`, `password="<<a\"b>>"`,
		`{"password":"<<<Xy7!hunter2>>"}`, `{"password":"<<{hunter2>>"}`, `{"password":"<<***hunter2>>"}`, `{"password":"<<<a>hunter2>>"}`, `{"password":"<<${A:-hunter2}>>"}`, `{"password":"<<[redacted:key]hunter2>>"}`,
		"password=<<<Xy7!hunter2>>", "password={<<hunter2>>", "password=<<{hunter>>", "password=<<{abc}hunter2>>", "password=<<***hunter2>>", "password=<<Xy7!hun(ter2>>",
		`password="<<hun(ter2)>>"`, `{\"password\":\"<<hun(ter2>>\"}`, `{\"password\":\n\"<<hunter2>>\"}`, "{ \"password\" :\r\n\t\"<<correct horse>>\"", "Password:\n<<hunter2>>\nbye", `"password": "<<correct horse>>`,
		`[{"a":1}, "password":["<<hunter2>>", "<<it's>>", <<123456>>], "b":"c"]`, `say "password": {"value": "<<hunter2>>", "n": {"m": ["<<abc>>"]}}, "b": "c"`, `passwords: ['<<hunter two>>', <<abc1>>]`, `"password":["<<hunter2>>`,
		`{"password":{"value":"<<hunter2>>"},"b":"c"}`, `{"password":[{"v":"<<1>>"},"<<hunter2>>"],"b":"c"}`, `{"password":{"a":[{"b":{}},"<<x>>"],"c":"<<y>>"},"d":[{"e":"f"},"g"]}`,
		`{"password_confirmation":"<<a>>","pass":"<<abcd>>","db_pass":"<<abcd>>","passphrase":"<<a>>","credentials":"<<a>>","AccountKey":"<<a>>","SharedAccessKey":"<<a>>","client_secret":"<<a>>","passwort":"<<a>>"}`,
		`{"api-key":"<<a>>","API_KEY":"<<a>>","x-api-key":"<<a>>","apikey":"<<a>>","api_keys":["<<a>>"],"apiKeyValue":"<<a>>","Ocp-Apim-Subscription-Key":"<<a>>"}`, `{"token":"<<abcdefgh12345678>>"}`,
		"password_confirmation=<<hunter2>>", "pass=<<hunter2>>", "passphrase: <<hunter2>>", "my API key: <<0f9e8d7c6b>>", "access token = '<<0f9e8d7c6b>>'", "AccountName=a;AccountKey=<<abc/def+ghi==>>;x=y", "config['password'] = '<<hunter2>>'",
		"**Password:** <<hunter2>>", "**Password**: <<hunter2>>", "AZURE_CREDENTIALS='<<a b c>>'", `the password: "<< and password=>>"<<hunter2>>"`,
	},
	"email": {
		"<<alice@example.com>>", "[<<a.b+c_d@mail.example.co.uk>>].", "mailto:<<alice@example.com>>?subject=x", "('<<o'neil@example.com>>')", "<<j\u00fcrgen@ex\u00e4mple.de>>", "\u8bf7\u8054\u7cfb<<alice@example.com>>\u8c22\u8c22",
		`{"to":["<<a@b.io>>"]}`, "email=<<a@b.io>>", "<<a@b.io>>,<<c@d.io>>",
	},
	"card": {
		"<<4111111111111111>>", "<<4111 1111 1111 1111>>", "card <<5555-5555-5555-4444>>, thanks", "<<3782 822463 10005>>", "<<30569309025904>>", "<<6011111111111117>> 12/27", "<<4222222222222>>",
		"1 2 3 4 5 6 7 8 9 1 2 3 4 5 <<4111 1111 1111 1111>>", "1 2 3 4 5 6 7 8 9 1 2 3 4 <<4111 1111 1111 1111>> 5 6 7", "<<4111 1111 1111 1111>> 123", "<<2223003122003222>>", "<<4111\u00a01111\u00a01111\u00a01111>>", "<<4111\u20111111\u20111111\u20111111>>", "visa<<4111111111111111>>", `{"n":"<<378282246310005>>"}`, "<<6304000000000000>>",
	},
	"phone": {
		"<<+1 415 555 2671>>", "<<+14155552671>>", "tel:<<+49 (0)30 1234567>>", "<<+49 30 1234567>>,", "<<+4915112345678>>", "call <<(415) 555-2671>> now", "<<415-555-2671>>", "<<415.555.2671>>", "<<1-800-555-2671>>",
		"<<030 1234567>>", "<<0151/23456789>>", "<<020 7946 0958>>", "<<01 23 45 67 89>>", "<<0049 30 1234567>>", "phone <<4155552671>>", "Tel. <<555-1234>>", "my mobile is <<0151 2345678>>", "phone: <<415 555 2671>>",
		`{"phone":"<<4155552671>>"}`, `{"phoneNumber":"<<12 34 56 78>>"}`, "<<(030) 1234567>>", "<<+44 20 7946 0958>>, 12",
	},
}

// The end user and the session are in the record as hashes. The body must not show them.
func TestTheUserAndTheMetadataAreHidden(t *testing.T) {
	body := `{"user":"ada","safety_identifier":"s","prompt_cache_key":"k","metadata":{"team":"search","n":1.5,"more":{"a":["b"]}},"model":"m",` +
		`"messages":[{"role":"user","content":"hi","metadata":{"user":"ben"}}]}`
	const hidden = `"[redacted:identity]"`
	require.Equal(t, `{"user":`+hidden+`,"safety_identifier":`+hidden+`,"prompt_cache_key":`+hidden+`,"metadata":{"team":`+hidden+`,"n":`+hidden+
		`,"more":{"a":[`+hidden+`]}},"model":"m","messages":[{"role":"user","content":"hi","metadata":{"user":"ben"}}]}`, redacted(newRedactor(t), body, unlimited))
}

func TestFinds(t *testing.T) {
	r := newRedactor(t)
	for kind, texts := range found {
		for _, marked := range texts {
			give := strings.NewReplacer("<<", "", ">>", "").Replace(marked)
			want := marked
			for strings.Contains(want, "<<") {
				from, to := strings.Index(want, "<<"), strings.Index(want, ">>")
				want = want[:from] + "[redacted:" + kind + "]" + want[to+len(">>"):]
			}
			if strings.HasPrefix(give, "{") {
				require.Equal(t, want, redacted(r, give, unlimited), marked)
				continue
			}
			require.Equal(t, want, r.RedactText(give), marked)
			inside, err := json.Marshal([]string{give})
			require.NoError(t, err)
			var out []string
			require.NoError(t, json.Unmarshal([]byte(redacted(r, string(inside), unlimited)), &out))
			require.Equal(t, []string{want}, out)
		}
	}
}

func TestLeavesTheRest(t *testing.T) {
	r := newRedactor(t)
	for _, text := range []string{
		"", "hello", "scikit-learn, task-1234567890123, risk-averse and desk-based", "sk-learn-is-a-library-of-python", "the hf_dataset and a bearer of bad news", "Basic understanding of physics",
		"password=<your password>", "password={password}", "secret: {{ .Values.secret }}", "password=${A}", "password=****", "password = null", "password=$(cat /run/pw)", `password="<none>"`, "password=[redacted:password]", "pass: 12 of 13",
		"--- PASS: TestA_B/c-1 (0.00s)", "bypass=always", "two passes: 1234", "fetch(u, {credentials: 'include'})", `{"password": {"type": "string"}}`, "password: see\nbelow", "PASSWORD=\nUSER=bob1", "the key: 12345678", "<td>Password:</td>",
		"password: please enter it", "the password is long", "password = input()", "password=${SECRET}", "password: string;", "if token = tokenizer.next()", "max_tokens=4096", "PWD=/home/user",
		"a@b", "@user and user@", "pkg@1.2.3", "x @ y.com", "https://example.com/a:b", "http://user@",
		"512 768 1024 2048 4096", "prompt_tokens: 1024, completion_tokens: 2048", "1760000000", "1760000000123", "1760000000123456", "1760000000123456789", "2026-11-15T08:13:33Z 2026-11-15 08:13",
		"05.11.2026 12:30", "01/02/2024 10", "192.168.100.200", "10.0.0.1:8080", "0123456789", "0612345678", "3.14159265358979", "0.4111111111111111", "id 12345678", "order 4155552671", "+100 000 000",
		"4111111111111112", "12345678-1234-4123-8123-123456789012", "550e8400-e29b-41d4-a716-446655440000", "019a8c3e-4155-7555-8267-100000000000", "v1.22.333", "ISBN 978-3-16-148410-0", "2019 2020 2021 2022",
		"a4111111111111111b", "$1,234,567.89", "100%", "50% off", `C:\new\table`, "room 101-102-1033", "hotel 1234567", strings.Repeat("-", 400), strings.Repeat("=", 400),
		"-----BEGIN CERTIFICATE-----\nabc\n-----END CERTIFICATE-----", "${password}", "x+12345678901",
	} {
		require.Equal(t, text, r.RedactText(text))
		quoted, err := json.Marshal(map[string]any{"content": text})
		require.NoError(t, err)
		require.Equal(t, string(quoted), redacted(r, string(quoted), unlimited), text)
	}
}

// Card and phone numbers are found after any other numbers.
func TestFindsNumbersInALine(t *testing.T) {
	r := newRedactor(t)
	for before := range 60 {
		for number, note := range map[string]string{
			"4111 1111 1111 1111": "[redacted:card]", "3782 822463 10005": "[redacted:card]", "6304 0000 0000 0000": "[redacted:card]", "415-555-2671": "[redacted:phone]", "020 7946 0958": "[redacted:phone]", "0151 234 567 89": "[redacted:phone]",
		} {
			line := strings.Repeat("7 ", before) + "%" + strings.Repeat(" 512", before%20)
			require.Equal(t, strings.Replace(line, "%", note, 1), r.RedactText(strings.Replace(line, "%", number, 1)), "%s behind %d", number, before)
		}
	}
	for _, text := range []string{strings.Repeat("7 ", 8) + "12.030 1234567" + strings.Repeat(" 512", 8), strings.Repeat("7 ", 9) + "0.4111111111111111 2 3 4 5 6 7 8 9"} {
		require.Equal(t, text, r.RedactText(text))
	}
}

func TestNumbersOfJSON(t *testing.T) {
	r := newRedactor(t, redact.Pattern{Name: "customer", Pattern: `^77\d{4}$`})
	require.Equal(t, `{"a":"[redacted:card]","b":[1760000000,-1,1.5e3,0.4111111111111111],"phone":"[redacted:phone]","c":"[redacted:customer]","pwd":"[redacted:password]","pins":{"password":["[redacted:password]"]},"pass":12}`,
		redacted(r, `{"a":4111111111111111,"b":[1760000000,-1,1.5e3,0.4111111111111111],"phone":4155552671,"c":771234,"pwd":12,"pins":{"password":[1.5]},"pass":12}`, unlimited))
	require.Equal(t, `"[redacted:card]"`, redacted(r, `4111111111111111`, unlimited))
}

func TestNamesOfJSON(t *testing.T) {
	require.Equal(t, `{"[redacted:email]": {"x" : [ ]} }`, redacted(newRedactor(t), `{"alice@example.com": {"x" : [ ]} }`, unlimited))
}

func TestWhatHasNothingToHideStaysAsWritten(t *testing.T) {
	body := ` {"a" : "\u0041\/\ud83d\ude00 \ud800", "b":[1.0e+2,true,null] }` + "\n"
	out, whole := newRedactor(t).Redact([]byte("x"), []byte(body), len(body))
	require.True(t, whole)
	require.Equal(t, "x"+body, string(out))
	out, whole = newRedactor(t).Redact(nil, []byte(body), len(body)-1)
	require.False(t, whole)
	require.Equal(t, body[:len(body)-1], string(out))
}

func TestPatterns(t *testing.T) {
	_, err := redact.New([]redact.Pattern{{Name: "bad", Pattern: "("}})
	require.ErrorContains(t, err, "bad")
	r := newRedactor(t, redact.Pattern{Name: "customer-no", Pattern: `KD-\d{6}`}, redact.Pattern{Name: "name", Pattern: `(?i)miller`})
	require.Equal(t, "[redacted:customer-no] of [redacted:name]", r.RedactText("KD-123456 of MILLER"))
	require.Equal(t, `{"a":"[redacted:customer-no]"}`, redacted(r, `{"a":"\u004bD\u002D123456"}`, unlimited))
}

func TestOverlappingFindsAreOne(t *testing.T) {
	r := newRedactor(t, redact.Pattern{Name: "a", Pattern: `bcd`}, redact.Pattern{Name: "b", Pattern: `abc`}, redact.Pattern{Name: "c", Pattern: `def`})
	require.Equal(t, "x[redacted:b]f", r.RedactText("xabcdf"))
	require.Equal(t, "x[redacted:b]y[redacted:c]", r.RedactText("xabcdydef"))
}

func TestRunsOfDataAreCounted(t *testing.T) {
	r := newRedactor(t)
	blob := strings.Repeat("iVBORw0KGgoAAAANSUhEUgAA/+", 100) + "=="
	require.Equal(t, `{"url":"data:image/png;base64,[redacted:data 2602 bytes]","x":1}`, redacted(r, `{"url":"data:image/png;base64,`+blob+`","x":1}`, unlimited))
	require.Equal(t, "[redacted:data 2702 bytes]", r.RedactText(strings.ReplaceAll(blob, "/", `\/`)), "slashes may be escaped")
	lines := strings.Repeat(strings.Repeat("QUJD", 19)+"\r\n", 5) + "QUJD"
	require.Equal(t, "a [redacted:data 394 bytes]\r\nHello you", r.RedactText("a "+lines+"\r\nHello you"))
	word := strings.Repeat("a", 256)
	require.Equal(t, word, r.RedactText(word))
	require.Equal(t, "[redacted:data 257 bytes]", r.RedactText(word+"a"))
}
