package slack

import (
	"fmt"
	"net/url"
	"strings"
	"unicode/utf16"

	goslack "github.com/slack-go/slack"
)

// Slack's limits, in UTF-16 units, the most that anyone could count. maxTotal
// is ours: Slack refuses messages at about 13,000 without saying where.
const (
	maxHeader  = 150
	maxSection = 3000
	maxBlocks  = 50
	maxTotal   = 12000
	// maxURL is a link's.
	maxURL = 1000
)

// A Message is what a channel shows: the title, and below it, with a colour at
// the side, sections. All texts are plain, and are shown as they are: a star or a
// backtick in them marks nothing.
type Message struct {
	Title string // one line
	Over  bool   // the title is struck through
	Color string // "#rrggbb"
	// Head and Foot are always shown whole, so they are kept short. Of List as
	// many are shown as fit, and then how many Things are left out.
	Head, List, Foot []Section
	Things           string // what List holds, in the plural
	More             int    // how many were left out of List before
	Broadcast        bool   // a bot's message in a thread shows in the channel too
}

// A Section is a label and a text.
type Section struct {
	Label, Text string
	Code        bool
	Link        string // an URL of our own, which Text is
}

// text is what notifications show, and clients that know no blocks.
func (m *Message) text() string { return cut(m.Title, maxHeader) }

// top is the title. Struck through it is rich text, of which Slack parses
// nothing: in mrkdwn, the title's own marks would count, and nothing escapes them.
func (m *Message) top() []goslack.Block {
	if m.Over {
		title := goslack.NewRichTextSectionTextElement(shorten(m.Title, maxHeader), &goslack.RichTextSectionTextStyle{Strike: true})
		return []goslack.Block{goslack.NewRichTextBlock("", goslack.NewRichTextSection(title))}
	}
	return []goslack.Block{goslack.NewHeaderBlock(plain(m.text()))}
}

func (m *Message) attachment() goslack.Attachment {
	var head, list, foot []*goslack.TextBlockObject
	left := maxTotal
	for _, s := range m.Head {
		head = append(head, s.object(maxTotal/8))
		left -= length(head[len(head)-1].Text)
	}
	for _, s := range m.Foot {
		foot = append(foot, s.object(maxTotal/8))
		left -= length(foot[len(foot)-1].Text)
	}
	room := maxBlocks - 1 - len(head) - len(foot) // one for what is left out
	more := m.More
	for i, s := range m.List {
		text := s.object(maxSection)
		if left -= length(text.Text); left < 0 || len(list) == room {
			more += len(m.List) - i
			break
		}
		list = append(list, text)
	}
	if more > 0 {
		list = append(list, plain(escape(fmt.Sprintf("… %d more %s", more, m.Things))))
	}
	a := goslack.Attachment{Color: m.Color}
	for _, text := range append(append(head, list...), foot...) {
		a.Blocks.BlockSet = append(a.Blocks.BlockSet, goslack.NewSectionBlock(text, nil, nil))
	}
	return a
}

func (m *Message) options() []goslack.MsgOption {
	return []goslack.MsgOption{
		goslack.MsgOptionText(m.text(), false), // escaped already
		goslack.MsgOptionBlocks(m.top()...),
		goslack.MsgOptionAttachments(m.attachment()),
		goslack.MsgOptionDisableLinkUnfurl(),
		goslack.MsgOptionDisableMediaUnfurl(),
		goslack.MsgOptionParse(false),
	}
}

// plain is a text of which Slack parses nothing, neither marks nor names.
func plain(escaped string) *goslack.TextBlockObject {
	o := goslack.NewTextBlockObject(goslack.PlainTextType, escaped, false, false)
	o.Emoji = new(false)
	return o
}

// object is s as a text of at most limit. Only what is ours, or in code, where
// nothing counts but its end, is mrkdwn: a star in it has no escape.
func (s Section) object(limit int) *goslack.TextBlockObject {
	label := ""
	if s.Label != "" {
		label = cut(s.Label, limit/4) + ": "
	}
	text := ""
	switch u := linkTarget(s.Link); {
	case u != "":
		text = "<" + u + ">"
	case s.Code:
		text = "`" + cut(strings.ReplaceAll(s.Text, "`", "ˋ"), limit-length(label)-2) + "`"
	}
	if text == "" || strings.ContainsAny(s.Label, "*_~`") {
		return plain(label + cut(s.Text, limit-length(label)))
	}
	return goslack.NewTextBlockObject(goslack.MarkdownType, label+text, false, true)
}

// linkTarget is u as a link can hold it, "" for what should be none.
func linkTarget(u string) string {
	parsed, err := url.Parse(u)
	if err != nil || parsed.Scheme != "https" && parsed.Scheme != "http" {
		return ""
	}
	u = strings.NewReplacer("<", "%3C", ">", "%3E", "|", "%7C", "&", "&amp;").Replace(parsed.String())
	if length(u) > maxURL {
		return ""
	}
	return u
}

var escapes = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;")

func escape(s string) string { return escapes.Replace(s) }

// length counts as the strictest of Slack's parts could.
func length(s string) int {
	n := 0
	for _, r := range s {
		n += max(1, utf16.RuneLen(r))
	}
	return n
}

// cut escapes s, and shortens it to limit between two characters, saying how
// many are left out.
func cut(s string, limit int) string { return shortenAs(s, limit, escape) }

// shorten is cut for where nothing is escaped.
func shorten(s string, limit int) string {
	return shortenAs(s, limit, func(s string) string { return s })
}

func shortenAs(s string, limit int, escape func(string) string) string {
	if escaped := escape(s); length(escaped) <= limit {
		return escaped
	}
	const note = 20 // " … 1000000000 more"
	runes := []rune(s)
	var b strings.Builder
	size := 0
	for i, r := range runes {
		text := escape(string(r))
		if size += length(text); size > limit-note {
			return b.String() + fmt.Sprintf(" … %d more", len(runes)-i)
		}
		b.WriteString(text)
	}
	return b.String()
}
