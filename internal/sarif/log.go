package sarif

import (
	"fmt"
	"strings"

	"github.com/a2alock/a2alock/diff"
	"github.com/a2alock/a2alock/report"
)

// These are the objects of SARIF 2.1.0, by the names of the specification, with
// the members that a2alock has something to say for.

type log struct {
	Schema  string `json:"$schema"`
	Version string `json:"version"`
	Runs    []run  `json:"runs"`
}

type run struct {
	Tool        tool                `json:"tool"`
	Invocations []invocation        `json:"invocations"`
	Bases       map[string]location `json:"originalUriBaseIds"`
	Results     []result            `json:"results"`
	ColumnKind  string              `json:"columnKind"`
}

type tool struct {
	Driver driver `json:"driver"`
}

type driver struct {
	Name           string `json:"name"`
	Version        string `json:"version,omitzero"`
	InformationURI string `json:"informationUri"`
	Rules          []rule `json:"rules"`
}

type rule struct {
	ID         string        `json:"id"`
	Short      message       `json:"shortDescription"`
	Full       message       `json:"fullDescription"`
	HelpURI    string        `json:"helpUri,omitzero"`
	Help       message       `json:"help"`
	Default    configuration `json:"defaultConfiguration"`
	Properties *properties   `json:"properties,omitzero"`
}

type configuration struct {
	Level string `json:"level"`
}

type properties struct {
	Tags []string `json:"tags"`
}

type message struct {
	Text     string `json:"text"`
	Markdown string `json:"markdown,omitzero"`
}

type invocation struct {
	Success       bool           `json:"executionSuccessful"`
	Notifications []notification `json:"toolExecutionNotifications"`
}

type notification struct {
	Level     string  `json:"level"`
	Message   message `json:"message"`
	Locations []place `json:"locations,omitempty"`
}

type result struct {
	RuleID       string            `json:"ruleId"`
	RuleIndex    int               `json:"ruleIndex"`
	Level        string            `json:"level"`
	Message      message           `json:"message"`
	Locations    []place           `json:"locations"`
	Fingerprints map[string]string `json:"partialFingerprints,omitzero"`
	// Suppressions is there in every result or in none (3.27.23).
	Suppressions []suppression `json:"suppressions"`
}

type suppression struct {
	Kind          string `json:"kind"`
	Status        string `json:"status"`
	Justification string `json:"justification"`
}

type place struct {
	Physical physical `json:"physicalLocation"`
}

type physical struct {
	Artifact location `json:"artifactLocation"`
	Region   *region  `json:"region,omitzero"`
}

type location struct {
	URI         string   `json:"uri,omitzero"`
	Base        string   `json:"uriBaseId,omitzero"`
	Description *message `json:"description,omitzero"`
}

type region struct {
	Line   int `json:"startLine"`
	Column int `json:"startColumn"`
}

// describe says what a rule is. The codes of faults in a card have no more to
// say than their name; their level is the worst that was met.
func describe(id string, worst report.Level) rule {
	r, ok := diff.Lookup(id)
	if !ok {
		words := message{Text: strings.ReplaceAll(id, "-", " ")}
		return rule{
			ID: id, Short: words, Full: words,
			Help:    message{Text: "a2alock validate says where, and what it disables."},
			Default: configuration{level(worst)},
		}
	}
	text := fmt.Sprintf("%s\n\nWhat to do: %s\n\nRests on: %s.", r.Why, r.Do, r.Reference())
	return rule{
		ID:      id,
		Short:   message{Text: upper(r.Title) + "."},
		Full:    message{Text: upper(r.Title) + ". " + r.Why},
		HelpURI: home + "/blob/main/docs/rules.md#" + id,
		Help: message{
			Text:     text,
			Markdown: fmt.Sprintf("%s\n\n**What to do**: %s\n\nRests on: %s.", r.Why, r.Do, r.Reference()),
		},
		Default:    configuration{level(report.Level(r.Class))},
		Properties: &properties{Tags: []string{strings.ToLower(strings.ReplaceAll(r.Subject, " ", "-"))}},
	}
}

// upper begins a sentence.
func upper(s string) string {
	if s == "" {
		return s
	}
	return strings.ToUpper(s[:1]) + s[1:]
}
