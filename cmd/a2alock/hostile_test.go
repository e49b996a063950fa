package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
)

// nasties are what no output may hold as it is. Each stands for its kind.
var nasties = []string{
	"\x1b[2J\x1b[31m", "\x1b]52;c;ZXZpbA==\x07", "\x1b]8;;https://x.example\x1b\\", "\x1b]0;", "\x00", "\r", "\r\n::error::pwned",
	"\n::error file=a::pwned", "::error::pwned", " ::add-mask::x", "##vso[task.complete]", "##teamcity[x]", "\x07\x7f", "\u009b2J", "\u0085",
	"\u202emoc", "\u2066x\u2069", "\u200b", "\ufeff", "\u2028::warning::", "\U000e0041\U000e0042", "\u00ad", "\ufffe", "\t\v\f",
}

// hostileCard has text in every place for text.
func hostileCard(t *testing.T, text string) []byte {
	t.Helper()
	type object = map[string]any
	security := []object{{"schemes": object{"scheme " + text: object{"list": []string{"scope" + text}}}}}
	card := object{
		"name": "name" + text, "description": text, "version": "1" + text, text: text, "documentationUrl": text, "iconUrl": text,
		"provider": object{"organization": text, "url": "https://p.example/" + text},
		"supportedInterfaces": []object{
			{"url": "https://a.example/rpc", "protocolBinding": "JSONRPC", "protocolVersion": "1.0", "tenant": text},
			{"url": "https://a.example/" + text, "protocolBinding": text, "protocolVersion": text},
			{"url": text, "protocolBinding": "JSONRPC", "protocolVersion": "0.3"},
			{"url": "https://a.example/u", "protocolBinding": "urn:b" + text, "protocolVersion": "1.0"},
		},
		"capabilities": object{text: text, "extensions": []object{{"uri": "urn:e" + text, "description": text, "params": object{text: text}}}},
		"securitySchemes": object{
			"scheme " + text: object{"apiKeySecurityScheme": object{"name": text, "location": "header", "description": text}},
			"other" + text:   object{"odd" + text: text},
		},
		"securityRequirements": security,
		"defaultInputModes":    []string{"text/plain", text}, "defaultOutputModes": []string{"text/plain", "x/" + text},
		"skills": []object{
			{
				"id": "skill" + text, "name": text, "description": text, "tags": []string{text}, "examples": []string{text},
				"securityRequirements": security, text: text,
			},
			{"id": text, "name": text, "description": text, "tags": []string{text}, "inputModes": []string{text}},
			{"id": "broken" + text, "name": 7, "inputModes": text},
		},
		"signatures": []object{{"protected": text, "signature": text}},
	}
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(card); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// typed runs a2alock in the working directory, and wants output that is clean
// and of a length that a person can bear.
func typed(t *testing.T, args ...string) (code int, stdout string) {
	t.Helper()
	var out, errs bytes.Buffer
	code = run(t.Context(), &env{stdin: strings.NewReader(""), stdout: &out, stderr: &errs}, args)
	shown := out.String()
	if slices.Contains(args, "github") {
		shown = annotation.ReplaceAllString(shown, "annotation: ")
	}
	for name, text := range map[string]string{"stdout": shown, "stderr": errs.String()} {
		if fault := unclean(text); fault != "" {
			t.Errorf("a2alock %q: %s: %s", args, name, fault)
		}
		if strings.Contains(text, secret) {
			t.Errorf("a2alock %q: %s holds a secret: %s", args, name, text)
		}
	}
	if slices.Contains(args, "json") && !json.Valid(out.Bytes()) {
		t.Errorf("a2alock %q (code %d): stdout is no JSON: %.300q", args, code, out.String())
	}
	return code, out.String()
}

// annotation begins the commands that are a2alock's own.
var annotation = regexp.MustCompile(`(?m)^::(?:error|warning|notice) (?:(?:file|line|col|title)=[^:,\n]*,?)+::`)

// writeFile makes a file in the working directory.
func writeFile(t *testing.T, name string, data []byte) {
	t.Helper()
	if err := os.WriteFile(name, data, 0o666); err != nil {
		t.Fatal(err)
	}
}

// Cards with each of the nasties in every place go through every command that
// shows a card, in every format.
func TestHostileCards(t *testing.T) {
	for i, nasty := range nasties {
		t.Run(fmt.Sprint(i), func(t *testing.T) {
			t.Chdir(t.TempDir())
			writeFile(t, "card.json", hostileCard(t, nasty))
			for _, format := range formats {
				typed(t, "validate", "card.json", "--format", format)
			}
			code, out := typed(t, "compile", "card.json")
			if code != 0 {
				t.Fatalf("compile: exit code %d: the card is not read, so the test shows nothing", code)
			}
			keepsData(t, out, "skill"+nasty)
			typed(t, "compile", "card.json", "--for-model")
			typed(t, "plan", "card.json", "--skill", "skill"+nasty)
			typed(t, "plan", "card.json", "--skill", "skill"+nasty, "--format", "json")
			typed(t, "init", "card.json", "--config", "made.yaml")
			hostileLock(t, nasty)
		})
	}
}

// keepsData wants the JSON of a profile to have the skill by its very id: JSON
// escapes, and alters nothing.
func keepsData(t *testing.T, profile, id string) {
	t.Helper()
	var p struct {
		Skills map[string]any `json:"skills"`
	}
	if err := json.Unmarshal([]byte(profile), &p); err != nil {
		t.Fatal(err)
	}
	if _, ok := p.Skills[id]; !ok {
		t.Errorf("compile has no skill %q", id)
	}
}

// hostileLock pins card.json and holds the lock against a card in which
// everything is another.
func hostileLock(t *testing.T, nasty string) {
	t.Helper()
	const agent = "https://a.example/card.json"
	typed(t, "pin", "card.json", "--agent", agent)
	typed(t, "pin", "card.json", "--agent", agent, "--skill", "nosuch", "--extension", "urn:none")
	typed(t, "pin", "card.json", "--agent", agent, "--skill", "broken"+nasty)
	typed(t, "pin", "card.json", "--agent", agent, "--skill", "skill"+nasty, "--input", "no/such", "--dry-run")
	code, _ := typed(t, "pin", "card.json", "--agent", agent, "--skill", "skill"+nasty, "--workflow", nasty, "--owner", nasty, "-o", "a2a.lock.json")
	if code != 0 {
		t.Fatalf("pin: exit code %d", code)
	}
	writeFile(t, "next.json", bytes.ReplaceAll(hostileCard(t, nasty+nasty), []byte("apiKey"), []byte("apiKeys")))
	for _, format := range formats {
		typed(t, "check", "--card", "card.json", "--format", format)
		typed(t, "check", "--card", "next.json", "--format", format)
		typed(t, "diff", "card.json", "next.json", "--format", format)
		typed(t, "impact", "next.json", "--format", format)
	}
	soon := time.Now().AddDate(0, 0, 30).Format(time.DateOnly)
	typed(t, "plan", "a2a.lock.json", "--card", "next.json", "--skill", "skill"+nasty)
	typed(t, "waive", "a2a.lock.json", "0123456789abcdef", "--card", "next.json", "--until", soon, "--reason", nasty)
	typed(t, "ls")
	typed(t, "ls", "--format", "json")
	typed(t, "pin", "next.json", "--agent", agent, "-o", "a2a.lock.json", "--skill", "skill"+nasty+nasty)
	typed(t, "pin", "next.json", "--agent", agent, "-o", "a2a.lock.json", "--dry-run")
	typed(t, "fmt")
}

// A card may be a megabyte of one text. No line for people is that long, and
// JSON has it all.
func TestHugeTexts(t *testing.T) {
	t.Chdir(t.TempDir())
	huge := strings.Repeat("A long story. ", 1000)
	writeFile(t, "card.json", hostileCard(t, huge))
	const longest = 4 * maxLine
	for _, args := range [][]string{
		{"validate", "card.json"},
		{"compile", "card.json", "--for-model"},
		{"pin", "card.json", "--agent", "https://a.example/card.json"},
		{"pin", "card.json", "--agent", "https://a.example/card.json", "--skill", "none"},
		{"pin", "card.json", "--agent", "https://a.example/card.json", "--skill", "skill" + huge, "-o", "a2a.lock.json"},
		{"pin", "card.json", "--agent", "https://a.example/card.json", "-o", "a2a.lock.json", "--workflow", huge, "--owner", huge},
		{"ls"},
		{"check", "--card", "card.json"},
		{"check", "--card", "card.json", "--card", "nosuch" + huge},
		{"explain", huge},
		{huge},
		{"check", "--" + huge},
	} {
		var out bytes.Buffer
		run(t.Context(), &env{stdin: strings.NewReader(""), stdout: &out, stderr: &out}, args)
		for line := range strings.Lines(out.String()) {
			if len(line) > longest {
				t.Errorf("a2alock %.80q prints a line of %d bytes: %.200q", args, len(line), line)
			}
		}
	}
	_, out := typed(t, "compile", "card.json")
	keepsData(t, out, "skill"+huge)
}

// A skill whose id is too long for a prompt is not there under another.
func TestLongIDsAreLeftOut(t *testing.T) {
	t.Chdir(t.TempDir())
	writeFile(t, "card.json", hostileCard(t, strings.Repeat("x", 1000)))
	var out, errs bytes.Buffer
	code := run(t.Context(), &env{stdin: strings.NewReader(""), stdout: &out, stderr: &errs}, []string{"compile", "card.json", "--for-model"})
	want := `a2alock: the skill "skillxxxx`
	if code != 0 || !strings.HasPrefix(errs.String(), want) || !strings.Contains(errs.String(), `" is left out: its id is too long for a prompt`) || strings.Count(errs.String(), "\n") != 1 {
		t.Errorf("exit code %d, %s; want 0 and %s…", code, &errs, want)
	}
	if n := strings.Count(out.String(), `{"id":`); n != 1 || strings.Contains(out.String(), "skillx") {
		t.Errorf("%d skills, want the one whose id is whole: %.2000s", n, &out)
	}
}
