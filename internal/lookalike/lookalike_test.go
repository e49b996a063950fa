package lookalike

import (
	"strings"
	"testing"
	"unicode"
)

func TestHost(t *testing.T) {
	for _, tt := range []struct{ host, want string }{
		{"pricing.example.com", ""},
		{"PRICING.example.com.", ""},
		{"my_agent.internal", ""},
		{"r3---sn-4g5e.example", ""},
		{"127.0.0.1", ""},
		{"2001:db8::1", ""},
		{"", ""},
		{"münchen.example", ""},
		{"xn--mnchen-3ya.example", ""},
		{"əliyev.example", ""}, // Azerbaijani is Latin
		{"пример.example", ""}, // и is like no Latin letter
		{"правда.example", ""},
		{"яндекс.рф", ""},
		{"оса.рф", ""}, // a wasp, in a domain of its own script
		{"ελλάδα.example", ""},
		{"例え.example", ""},         // Han and kana
		{"東京タワーshop.example", ""},  // with Latin
		{"한국어abc漢字.example", ""},   // Korean
		{"ㄅㄆ漢字.example", ""},       // Taiwan
		{"مثال.example", ""},       // Arabic
		{"דוגמה2.example", ""},     // digits are of every script
		{"उदाहरण.example", ""},     // combining marks, too
		{"пример.example.com", ""}, // each label by itself
		{"xn--zz.example", ""},     // no label that can be read
		{strings.Repeat("аa.", 400) + "example", ""},

		{"аpple.example", `the label "аpple" (xn--pple-43d) mixes Cyrillic and Latin letters`},
		{"xn--pple-43d.example", `the label "аpple" (xn--pple-43d) mixes Cyrillic and Latin letters`},
		{"pricing.pаrtner.example.com", `the label "pаrtner" (xn--prtner-3nf) mixes Cyrillic and Latin letters`},
		{"PАRTNER.example", `the label "pаrtner" (xn--prtner-3nf) mixes Cyrillic and Latin letters`},
		{"gοοgle.example", `the label "gοοgle" (xn--ggle-0nda) mixes Greek and Latin letters`},
		{"αб.example", `the label "αб" (xn--mxa0x) mixes Cyrillic and Greek letters`},
		{"ab한か.example", `the label "ab한か" (xn--ab-173ax264e) mixes Hangul, Hiragana and Latin letters`},
		{"авдe漢.example", `the label "авдe漢" (xn--e-7sbgi5897k) mixes Cyrillic, Han and Latin letters`},
		{"example.cоm", `the label "cоm" (xn--cm-fmc) mixes Cyrillic and Latin letters`},

		{"аррӏе.example", `the label "аррӏе" (xn--80ak6aa92e) is all Cyrillic, and looks like "apple"`},
		{"xn--80ak6aa92e.com", `the label "аррӏе" (xn--80ak6aa92e) is all Cyrillic, and looks like "apple"`},
		{"аррӏе-2.com", `the label "аррӏе-2" (xn---2-6kcu8ca51h) is all Cyrillic, and looks like "apple-2"`},
		{"оса.example.com", `the label "оса" (xn--80a1aj) is all Cyrillic, and looks like "oca"`},
		{"роо.ехамрӏе.рф.com", `the label "роо" (xn--n1aae) is all Cyrillic, and looks like "poo"`},
		{"example.сом", `the label "сом" (xn--l1adi) is all Cyrillic, and looks like "com"`},
		{"νικη.example", `the label "νικη" (xn--sxaddk) is all Greek, and looks like "vikn"`},
		{"հօոս.example", `the label "հօոս" (xn--ebbqp4a) is all Armenian, and looks like "honu"`},
	} {
		if got := Host(tt.host); got != tt.want {
			t.Errorf("Host(%q) = %s, want %s", tt.host, got, tt.want)
		}
	}
}

// The letters of the table are of the scripts that it says, and none is one that
// it looks like.
func TestAlike(t *testing.T) {
	for r, like := range alike {
		if !unicode.In(r, unicode.Cyrillic, unicode.Greek, unicode.Armenian) || unicode.ToLower(r) != r {
			t.Errorf("%q (%U) is no small letter of another script", r, r)
		}
		if len(like) != 1 || like[0] < 'a' || like[0] > 'z' {
			t.Errorf("%q looks like %q, want one Latin letter", r, like)
		}
	}
}

func FuzzHost(f *testing.F) {
	for _, s := range []string{"example.com", "аpple.com", "xn--80ak6aa92e.com", "..", "xn--", "\xff.a", "例え.テスト"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		got := Host(s)
		if got != "" && strings.IndexFunc(s, func(r rune) bool { return r >= 0x80 }) < 0 && !strings.Contains(strings.ToLower(s), "xn--") {
			t.Errorf("Host(%q) = %s of a plain host", s, got)
		}
		if strings.ContainsFunc(got, unicode.IsControl) {
			t.Errorf("Host(%q) = %q, which holds a control character", s, got)
		}
	})
}
