package card

import (
	"math"
	"strconv"
	"strings"
	"testing"
)

// The samples of RFC 8785 3.2.2 and 3.2.3.
func TestCanonicalSamples(t *testing.T) {
	tests := []struct{ name, in, want string }{
		{
			"3.2.2",
			`{
			  "numbers": [333333333.33333329, 1E30, 4.50, 2e-3, 0.000000000000000000000000001],
			  "string": "\u20ac$\u000F\u000aA'\u0042\u0022\u005c\\\"\/",
			  "literals": [null, true, false]
			}`,
			`{"literals":[null,true,false],"numbers":[333333333.3333333,1e+30,4.5,0.002,1e-27],"string":"€$\u000f\nA'B\"\\\\\"/"}`,
		},
		{
			"3.2.3",
			`{"\u20ac":"Euro Sign","\r":"Carriage Return","\ufb33":"Hebrew Letter Dalet With Dagesh","1":"One","\ud83d\ude00":"Emoji: Grinning Face","\u0080":"Control","\u00f6":"Latin Small Letter O With Diaeresis"}`,
			"{\"\\r\":\"Carriage Return\",\"1\":\"One\",\"\u0080\":\"Control\",\"ö\":\"Latin Small Letter O With Diaeresis\",\"€\":\"Euro Sign\",\"😀\":\"Emoji: Grinning Face\",\"\ufb33\":\"Hebrew Letter Dalet With Dagesh\"}",
		},
		{"nothing is escaped for HTML", `{"a":"<&>\u2028"}`, "{\"a\":\"<&>\u2028\"}"},
		{"empties stay", `{"b":[],"a":{},"c":"","d":null}`, `{"a":{},"b":[],"c":"","d":null}`},
	}
	for _, tt := range tests {
		got, err := Canonical([]byte(tt.in))
		if err != nil || string(got) != tt.want {
			t.Errorf("%s: Canonical = %s, %v, want %s", tt.name, got, err, tt.want)
		}
	}
}

// The number samples of RFC 8785 appendix B.
func TestCanonicalNumbers(t *testing.T) {
	for bits, want := range map[uint64]string{
		0x0000000000000000: "0", 0x8000000000000000: "0",
		0x0000000000000001: "5e-324", 0x8000000000000001: "-5e-324",
		0x7fefffffffffffff: "1.7976931348623157e+308", 0xffefffffffffffff: "-1.7976931348623157e+308",
		0x4340000000000000: "9007199254740992", 0xc340000000000000: "-9007199254740992",
		0x4430000000000000: "295147905179352830000",
		0x44b52d02c7e14af5: "9.999999999999997e+22", 0x44b52d02c7e14af6: "1e+23", 0x44b52d02c7e14af7: "1.0000000000000001e+23",
		0x444b1ae4d6e2ef4e: "999999999999999700000", 0x444b1ae4d6e2ef4f: "999999999999999900000", 0x444b1ae4d6e2ef50: "1e+21",
		0x3eb0c6f7a0b5ed8c: "9.999999999999997e-7", 0x3eb0c6f7a0b5ed8d: "0.000001",
		0x41b3de4355555553: "333333333.3333332", 0x41b3de4355555554: "333333333.33333325", 0x41b3de4355555555: "333333333.3333333",
		0x41b3de4355555556: "333333333.3333334", 0x41b3de4355555557: "333333333.33333343",
		0xbecbf647612f3696: "-0.0000033333333333333333", 0x43143ff3c1cb0959: "1424953923781206.2",
	} {
		text := strconv.FormatFloat(math.Float64frombits(bits), 'e', -1, 64)
		got, err := Canonical([]byte(text))
		if err != nil || string(got) != want {
			t.Errorf("Canonical(%s) = %s, %v, want %s", text, got, err, want)
		}
	}
}

func TestCanonicalRefuses(t *testing.T) {
	for name, in := range map[string]string{
		"repeated":           `{"a":1,"a":1}`,
		"through an escape":  `{"a":1,"\u0061":1}`,
		"lone surrogate":     `"\ud800"`,
		"invalid UTF-8":      "\"\xff\"",
		"overflow":           `[1e400]`,
		"negative overflow":  `[-1e400]`,
		"trailing data":      `{}{}`,
		"byte order mark":    "\xEF\xBB\xBF{}",
		"leading zero":       `01`,
		"nothing":            ``,
		"deeper than 10,000": strings.Repeat("[", 10_001) + strings.Repeat("]", 10_001),
	} {
		if got, err := Canonical([]byte(in)); err == nil {
			t.Errorf("%s: Canonical = %.40s, want an error", name, got)
		}
	}
}

func TestDigest(t *testing.T) {
	const plain = `{"a":1,"z":{"signatures":[1]}}`
	want := Sum([]byte(plain))
	for name, in := range map[string]string{
		"as it is":          plain,
		"mark":              "\xEF\xBB\xBF" + plain,
		"order and space":   "{ \"z\" : {\"signatures\":[1.0]},\n\"a\":1e0}",
		"signed, in front":  `{"signatures":[{"protected":"x"}],"z":{"signatures":[1]},"a":1}`,
		"signed, at a back": `{"a":1,"z":{"signatures":[1]},"signatures":null}`,
		"signed, escaped":   `{"a":1,"\u0073ignatures":{},"z":{"signatures":[1]}}`,
	} {
		got, err := Digest([]byte(in))
		if err != nil || got != want {
			t.Errorf("%s: Digest(%s) = %s, %v, want %s", name, in, got, err, want)
		}
	}
	for in, canonical := range map[string]string{
		`{"signatures":1}`:           `{}`,
		`{"signatures":1,"z":2}`:     `{"z":2}`,
		`{"a":1,"signatures":[]}`:    `{"a":1}`,
		`[{"signatures":1}]`:         `[{"signatures":1}]`,
		`{"a":"signatures","s":[2]}`: `{"a":"signatures","s":[2]}`,
		`"signatures"`:               `"signatures"`,
	} {
		if got, err := Digest([]byte(in)); err != nil || got != Sum([]byte(canonical)) {
			t.Errorf("Digest(%s) = %s, %v, want that of %s", in, got, err, canonical)
		}
	}
	if got, err := Digest([]byte(`{"a":1`)); err == nil {
		t.Errorf("Digest of no JSON = %s", got)
	}
}

func TestSum(t *testing.T) {
	// FIPS 180-2, B.1.
	if got, want := Sum([]byte("abc")), "sha256:ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"; got != want {
		t.Errorf("Sum(abc) = %s, want %s", got, want)
	}
}
