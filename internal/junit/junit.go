// Package junit writes a result in the XML of JUnit's reports, which most CI
// systems show as tests: a suite for each lock, in it a test for each rule that
// spoke, or one that passes where none did.
//
// What fails the run is a failure, an undecided lock an error, and what is
// waived a skipped test with the reason; the rest passes, and says in its output
// what was seen. The attributes are those that the schema of Jenkins knows, and
// file, which GitLab reads.
package junit

import (
	"encoding/xml"
	"fmt"
	"io"
	"strings"

	"github.com/a2alock/a2alock/lockfile"
	"github.com/a2alock/a2alock/report"
)

// maxTold is how many findings of one rule and lock are told in full.
const maxTold = 100

type suites struct {
	XMLName  xml.Name `xml:"testsuites"`
	Name     string   `xml:"name,attr"`
	Tests    int      `xml:"tests,attr"`
	Failures int      `xml:"failures,attr"`
	Errors   int      `xml:"errors,attr"`
	Suites   []suite  `xml:"testsuite"`
}

type suite struct {
	Name     string `xml:"name,attr"`
	Tests    int    `xml:"tests,attr"`
	Failures int    `xml:"failures,attr"`
	Errors   int    `xml:"errors,attr"`
	Skipped  int    `xml:"skipped,attr"`
	Cases    []test `xml:"testcase"`
}

type test struct {
	Name    string   `xml:"name,attr"`
	Class   string   `xml:"classname,attr"`
	File    string   `xml:"file,attr,omitempty"`
	Time    string   `xml:"time,attr"`
	Skipped *skipped `xml:"skipped"`
	Error   *fault   `xml:"error"`
	Failure *fault   `xml:"failure"`
	Out     *output  `xml:"system-out"`
}

type output struct {
	Text string `xml:",innerxml"`
}

type skipped struct {
	Message string `xml:"message,attr"`
}

type fault struct {
	Message string `xml:"message,attr"`
	Type    string `xml:"type,attr"`
	Text    string `xml:",innerxml"`
}

// Write writes the listing as one XML document in UTF-8 with a final newline.
// What XML cannot hold becomes U+FFFD. A listing of nothing is one test that
// passes, since some systems take a report without tests for a broken one.
func Write(w io.Writer, l *report.Listing) error {
	all := suites{Name: "a2alock"}
	if run := ofRun(l); len(run.Cases) > 0 {
		all.add(run)
	}
	for i := range l.Subjects {
		all.add(ofSubject(&l.Subjects[i]))
	}
	out, err := xml.MarshalIndent(all, "", "  ")
	if err != nil {
		return fmt.Errorf("writing XML: %w", err)
	}
	_, err = fmt.Fprintf(w, "%s%s\n", xml.Header, out)
	return err
}

func (all *suites) add(s suite) {
	s.Tests = len(s.Cases)
	for _, c := range s.Cases {
		switch {
		case c.Error != nil:
			s.Errors++
		case c.Failure != nil:
			s.Failures++
		case c.Skipped != nil:
			s.Skipped++
		}
	}
	all.Tests += s.Tests
	all.Failures += s.Failures
	all.Errors += s.Errors
	all.Suites = append(all.Suites, s)
}

// ofRun is what concerns no single lock.
func ofRun(l *report.Listing) suite {
	s := suite{Name: "a2alock"}
	for i := range l.Errors {
		s.Cases = append(s.Cases, test{
			Name: fmt.Sprintf("runs (%d)", i+1), Class: "a2alock", File: report.Line(l.Errors[i].File), Time: "0", Error: wrong(&l.Errors[i]),
		})
	}
	if len(l.Errors) == 0 && len(l.Subjects) == 0 {
		s.Cases = []test{{Name: "has nothing to judge", Class: "a2alock", Time: "0", Out: said(l.Verdict)}}
	}
	return s
}

func ofSubject(sub *report.Subject) suite {
	s := suite{Name: sub.Name}
	named := func(name string) test {
		return test{Name: name, Class: class(sub), File: report.Line(sub.File), Time: "0"}
	}
	if sub.Open != nil {
		c := named("can be decided")
		c.Error = wrong(sub.Open)
		s.Cases = append(s.Cases, c)
	}
	for _, items := range byRule(sub.Items) {
		c := named(items[0].Rule)
		c.judge(items)
		s.Cases = append(s.Cases, c)
	}
	if len(s.Cases) == 0 {
		s.Cases = []test{named(sub.Fine)}
	}
	return s
}

// class groups the tests of a lock: its path, less what is the same for all. A
// dot would part it, as in names of Java.
func class(sub *report.Subject) string {
	name := strings.TrimRight(strings.TrimSuffix(sub.Name, lockfile.Suffix), "./")
	if name == "" {
		name = sub.Name
	}
	return strings.ReplaceAll(name, ".", "_")
}

// byRule keeps together what one rule said, in the order of each rule's worst.
func byRule(items []report.Item) [][]*report.Item {
	var groups [][]*report.Item
	at := map[string]int{}
	for i := range items {
		rule := items[i].Rule
		n, ok := at[rule]
		if !ok {
			n = len(groups)
			at[rule] = n
			groups = append(groups, nil)
		}
		groups[n] = append(groups[n], &items[i])
	}
	return groups
}

// judge says what became of the test that items of one rule are.
func (c *test) judge(items []*report.Item) {
	var texts []string
	fails, stands := (*report.Item)(nil), true
	for n, i := range items {
		switch {
		case n < maxTold:
			texts = append(texts, i.Word+": "+i.Text())
		case n == maxTold:
			texts = append(texts, fmt.Sprintf("… %d more", len(items)-n))
		}
		if i.Fails && fails == nil {
			fails = i
		}
		stands = stands && i.Waived != nil
	}
	text := strings.Join(texts, "\n\n")
	switch {
	case fails != nil:
		c.Failure = &fault{Message: message(fails, len(items)), Type: fails.Word, Text: Text(text)}
	case stands:
		c.Skipped = &skipped{Message: "waived " + report.Justification(items[0].Waived)}
		c.Out = said(text)
	default:
		c.Out = said(text)
	}
}

func said(text string) *output { return &output{Text(text)} }

// Text escapes s as the text of an element. Line feeds stay, so that people can
// read the file too.
func Text(s string) string {
	var b strings.Builder
	_ = xml.EscapeText(&b, []byte(s)) // a Builder takes everything
	return strings.ReplaceAll(b.String(), "&#xA;", "\n")
}

func message(worst *report.Item, n int) string {
	if n > 1 {
		return fmt.Sprintf("%s (and %d more)", worst.Message, n-1)
	}
	return worst.Message
}

func wrong(i *report.Item) *fault {
	return &fault{Message: i.Message, Type: i.Rule, Text: Text(i.Text())}
}
