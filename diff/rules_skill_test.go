package diff

import (
	"strings"
	"testing"
)

func TestSkillRules(t *testing.T) {
	skills := func(s ...string) string { return `{"skills":[{` + strings.Join(s, "},{") + `}]}` }
	const quote, book = `"id":"quote"`, `"id":"book"`
	in := func(types string) string { return quote + `,"inputModes":[` + types + `]` }
	out := func(types string) string { return quote + `,"outputModes":[` + types + `]` }
	const jsonT, text, pdf = `"application/json"`, `"text/plain"`, `"application/pdf"`
	const needBoth = `{"requires":{"skills":{"quote":{"input":["application/json","text/plain"],"output":["application/json","text/plain"]}}}}`
	assumed := `{"requires":{"skills":{"quote":{"assumed":true}}}}`
	nothing := func(c *Comparison) { c.Lock.Profile = nil }
	runRows(t, []row{
		// skill-removed
		{name: "order", was: skills(quote, book), now: skills(book, quote), want: []string{"card-changed"}},
		{name: "another one is gone", was: skills(quote, book), now: skills(quote), want: []string{"skill-lost-unused"}},
		{name: "its name changed", was: skills(quote), now: skills(quote + `,"name":"Price"`), want: []string{"text-changed"}},
		{name: "case of the id", was: skills(quote), now: skills(`"id":"Quote"`), want: []string{"skill-removed", "skill-gained"}},
		{name: "gone, nothing recorded", was: skills(quote, book), now: skills(book), edit: nothing, want: []string{"skill-removed"}},
		// skill-ambiguous
		{name: "another one is ambiguous", was: skills(quote, book), now: skills(quote, book, book), want: []string{"skill-lost-unused"}},
		{name: "ids that differ in case", was: skills(quote), now: skills(quote, `"id":"QUOTE"`), want: []string{"skill-gained"}},
		{name: "names alike", was: skills(quote+`,"name":"Q"`, book), now: skills(quote+`,"name":"Q"`, book+`,"name":"Q"`), want: []string{"card-changed"}},
		{name: "two equal entries", was: skills(quote), now: skills(quote, quote), want: []string{"skill-ambiguous"}},
		// input-narrowed, input-widened
		{name: "a type that we do not send is gone", was: skills(in(jsonT + "," + pdf)), now: skills(in(jsonT)), want: []string{"card-changed"}},
		{name: "from the default to its own list", was: skills(quote), now: skills(in(jsonT)), want: []string{"card-changed"}},
		{name: "case and order", was: skills(in(jsonT + "," + text)), now: skills(in(`"Text/Plain","APPLICATION/json"`)), want: []string{"card-changed"}},
		{name: "an alias", was: skills(in(jsonT + "," + text)), now: skills(in(jsonT + `,"text"`)), want: []string{"card-changed"}},
		{
			name: "an alias that the client does not have", was: skills(in(jsonT + "," + text)), now: skills(in(jsonT + `,"text"`)), lock: needBoth,
			client: func(cl *compileClient) { cl.Aliases = nil },
			want:   []string{"input-narrowed", "input-widened", "output-narrowed"},
		},
		{name: "a parameter makes another type", was: skills(in(jsonT)), now: skills(in(`"application/json;v=2"`)), want: []string{"input-narrowed", "input-widened"}},
		{name: "a range has it", was: skills(in(jsonT)), now: skills(in(`"application/*"`)), want: []string{"input-widened"}},
		{name: "a range of all has it", was: skills(in(jsonT)), now: skills(in(`"*/*"`)), want: []string{"input-widened"}},
		{name: "a range of another type has it not", was: skills(in(jsonT)), now: skills(in(`"text/*"`)), want: []string{"input-narrowed", "input-widened"}},
		{name: "what was of a range is named", was: skills(in(jsonT + `,"text/*"`)), now: skills(in(jsonT + "," + text)), want: []string{"card-changed"}},
		{name: "a range has the lock's hand-written spelling", was: skills(in(jsonT)), now: skills(in(`"application/*"`)), want: []string{"input-widened"}, edit: func(c *Comparison) {
			n := c.Lock.Requires.Skills["quote"]
			n.Input = []string{"json"}
			c.Lock.Requires.Skills["quote"] = n
		}},
		{name: "an empty list inherits", was: skills(in(jsonT)), now: skills(quote + `,"inputModes":[]`), want: []string{"card-changed"}},
		{name: "one of ours is gone", was: skills(quote + `,"inputModes":[` + jsonT + "," + text + `],"outputModes":[` + jsonT + "," + text + `]`), now: skills(quote + `,"inputModes":[` + text + `],"outputModes":[` + jsonT + "," + text + `]`), lock: needBoth, want: []string{"input-narrowed"}},
		{
			name: "the default changed under it", was: `{"skills":[{"id":"quote"}]}`, now: `{"skills":[{"id":"quote"}],"defaultInputModes":["text/plain"]}`,
			want: []string{"input-narrowed", "input-widened"},
		},
		{
			name: "the default changed beside it", was: skills(in(jsonT)), now: `{"skills":[{"id":"quote","inputModes":["application/json"]}],"defaultInputModes":["text/plain"]}`,
			want: []string{"card-changed"},
		},
		{name: "narrowed, nothing recorded", was: skills(quote), now: skills(in(text)), edit: nothing, want: []string{"input-narrowed"}},
		{
			name: "the lock's hand-written spelling", was: skills(in(jsonT)), now: skills(in(jsonT)),
			edit: func(c *Comparison) {
				n := c.Lock.Requires.Skills["quote"]
				n.Input, n.Output = []string{"Application/JSON"}, []string{"json"}
				c.Lock.Requires.Skills["quote"] = n
			},
		},
		// output-lost, output-narrowed, output-widened
		{name: "a range promises nothing", was: skills(out(jsonT)), now: skills(out(`"*/*"`)), want: []string{"output-lost", "output-widened"}},
		{name: "a type that we cannot use is gone", was: skills(out(jsonT + "," + pdf)), now: skills(out(jsonT)), want: []string{"card-changed"}},
		{name: "all of ours stay", was: skills(out(jsonT + "," + text)), now: skills(out(jsonT + "," + text + "," + pdf)), want: []string{"output-widened"}},
		{
			name: "all of ours are gone", was: skills(quote + `,"inputModes":[` + jsonT + "," + text + `],"outputModes":[` + jsonT + "," + text + `]`),
			now:  skills(quote + `,"inputModes":[` + jsonT + "," + text + `],"outputModes":[` + pdf + `]`),
			lock: needBoth, want: []string{"output-lost", "output-widened"},
		},
		{
			name: "the first of ours is gone, a foreign one came", was: skills(quote + `,"inputModes":[` + jsonT + "," + text + `],"outputModes":[` + jsonT + "," + text + `]`),
			now:  skills(quote + `,"inputModes":[` + jsonT + "," + text + `],"outputModes":[` + text + "," + pdf + `]`),
			lock: needBoth, want: []string{"output-narrowed", "output-widened"},
		},
		{
			name: "a type that the lock names came", was: skills(quote + `,"inputModes":[` + jsonT + "," + text + `],"outputModes":[` + jsonT + `]`),
			now:  skills(quote + `,"inputModes":[` + jsonT + "," + text + `],"outputModes":[` + jsonT + "," + text + `]`),
			lock: needBoth, want: []string{"card-changed"},
		},
		{name: "widened, nothing recorded", was: skills(quote), now: skills(out(jsonT + "," + pdf)), edit: nothing, want: []string{"card-changed"}},
		// modes-undeclared
		{name: "the default went, the skill has its own", was: skills(quote + `,"inputModes":[` + jsonT + `],"outputModes":[` + jsonT + `]`), now: `{"defaultInputModes":null,"defaultOutputModes":null,"skills":[{"id":"quote","inputModes":["application/json"],"outputModes":["application/json"]}]}`, want: []string{"card-changed"}},
		{name: "both went", now: `{"defaultInputModes":null,"defaultOutputModes":[]}`, want: []string{"modes-undeclared", "modes-undeclared"}},
		{name: "never declared, and assumed", was: `{"defaultInputModes":null,"defaultOutputModes":null}`, now: `{"defaultInputModes":null,"defaultOutputModes":null}`, lock: assumed},
		{name: "never declared, assumed, nothing recorded", was: `{"defaultInputModes":null}`, now: `{"defaultInputModes":null}`, lock: assumed, edit: nothing},
		{name: "declared now as assumed", was: `{"defaultInputModes":null,"defaultOutputModes":null}`, lock: assumed, want: []string{"card-changed"}},
		{name: "declared now, not as assumed", was: `{"defaultInputModes":null}`, now: `{"defaultInputModes":["text/plain"]}`, lock: assumed, want: []string{"input-narrowed"}},
		{name: "an unused skill's went", was: skills(quote, book+`,"inputModes":["application/json"]`), now: skills(quote, book), want: []string{"card-changed"}},
		{name: "went, nothing recorded", now: `{"defaultInputModes":null}`, edit: nothing, want: []string{"modes-undeclared"}},
		// skill-gained, skill-lost-unused, skill-changed-unused
		{name: "text of an unused one", was: skills(quote, book), now: skills(quote, book+`,"description":"x","tags":["y"]`), want: []string{"card-changed"}},
		{name: "modes of an unused one in another order", was: skills(quote, book+`,"inputModes":["text/plain","application/json"]`), now: skills(quote, book+`,"inputModes":["application/json","text/plain"]`), want: []string{"card-changed"}},
		{name: "unused one was disabled", was: skills(quote, book), now: skills(quote, book+`,"inputModes":7`), want: []string{"skill-lost-unused"}},
		{name: "unused one can be read again", was: skills(quote, book+`,"inputModes":7`), now: skills(quote, book), want: []string{"skill-gained"}},
		{name: "gained, nothing recorded", was: skills(quote), now: skills(quote, book), edit: nothing, want: []string{"card-changed"}},
		{name: "lost, nothing recorded", was: skills(quote, book), now: skills(quote), edit: nothing, want: []string{"card-changed"}},
		{
			name: "security of an unused one", was: skills(quote, book),
			now:  `{"securitySchemes":{` + keyScheme + `},"skills":[{"id":"quote"},{"id":"book","securityRequirements":[{"schemes":{"key":{}}}]}]}`,
			want: []string{"skill-changed-unused"},
		},
	})
}

func TestLikelyRename(t *testing.T) {
	const same = `"name":"Quote","description":"Quotes a price.","tags":["pricing"]`
	tests := []struct{ name, now, want string }{
		{"equal texts", `{"id":"p7",` + same + `}`, "p7"},
		{"id in another case", `{"id":"QUOTE"}`, "QUOTE"},
		{"id with more", `{"id":"quote-v2"}`, "quote-v2"},
		{"a slip", `{"id":"quotes"}`, "quotes"},
		{"the better one", `{"id":"quotes"},{"id":"get-price",` + same + `}`, "get-price"},
		{"nothing in common", `{"id":"book","name":"Book"}`, ""},
		{"equal tags alone", `{"id":"book","tags":["pricing"]}`, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			c := comparison(t, Example{Now: `{"skills":[` + tt.now + `]}`}, exampleClient())
			if got := likelyRename(&c, "quote", freshSkills(&c, 1)); got != tt.want {
				t.Errorf("likelyRename = %q, want %q", got, tt.want)
			}
			f := Compare(c).Findings[0]
			if f.Rule != "skill-removed" || tt.want != "" && !strings.Contains(f.Message, tt.want) {
				t.Errorf("%s: %s", f.Rule, f.Message)
			}
		})
	}
}
