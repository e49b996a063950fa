package schedule

import (
	"errors"
	"fmt"
	"math/bits"
	"slices"
	"strconv"
	"strings"
	"time"
	_ "time/tzdata" // zones in an empty image

	"github.com/robfig/cron/v3"
)

const maxBytes = 1 << 10

// rarest is the longest time that may pass between two slots. A schedule that
// comes less often than this is a mistake.
const rarest = 5 * 365 * 24 * time.Hour

// Parse reads a schedule for a time zone. It is five fields (minute, hour, day
// of month, month, day of week), each *, or a list of numbers, names and ranges
// with an optional step (1-5, mon-fri, */15; Sunday is 0 or 7), or one of
// @hourly, @daily, @midnight, @weekly, @monthly, @yearly, @annually, or @every
// and a duration of whole seconds. The zone is a name of the IANA database, ""
// being UTC. Errors quote what is wrong in spec or zone.
func Parse(spec, zone string) (*Spec, error) {
	if len(spec) > maxBytes {
		return nil, fmt.Errorf("a schedule of %d bytes: want at most %d", len(spec), maxBytes)
	}
	location, err := parseZone(zone)
	if err != nil {
		return nil, err
	}
	s := &Spec{text: strings.Trim(spec, " "), zone: location}
	if err := s.parse(); err != nil {
		return nil, fmt.Errorf("%q: %w", s.text, err)
	}
	return s, nil
}

func parseZone(name string) (*time.Location, error) {
	if name == "Local" { // what the machine makes of it
		return nil, errors.New(`time zone "Local": want the name of a zone, such as Europe/Berlin`)
	}
	zone, err := time.LoadLocation(name)
	if err != nil {
		return nil, fmt.Errorf("time zone %q is unknown: want a name such as Europe/Berlin", name)
	}
	return zone, nil
}

func (s *Spec) parse() error {
	foreign := func(r rune) bool { return r < ' ' || r > '~' }
	switch {
	case s.text == "":
		return errors.New("want five fields, or @daily and its like")
	case strings.ContainsFunc(s.text, foreign):
		return errors.New("a character that no schedule has: want letters, digits and * ? , - / @ with spaces between fields")
	case strings.HasPrefix(s.text, "TZ="), strings.HasPrefix(s.text, "CRON_TZ="):
		return errors.New("a time zone is no part of the schedule: set timezone beside it")
	}
	if interval, ok := strings.CutPrefix(s.text, "@every "); ok {
		return s.parseEvery(strings.TrimLeft(interval, " "))
	}
	if s.text[0] == '@' {
		return s.parseDescriptor()
	}
	return s.parseFields()
}

func (s *Spec) parseEvery(text string) error {
	d, err := time.ParseDuration(text)
	switch {
	case err != nil:
		return errors.New("want @every and a duration such as 90s, 15m or 24h")
	case d < time.Second:
		return errors.New("want @every and at least 1s")
	case d%time.Second != 0:
		return errors.New("want @every and whole seconds")
	case d > rarest:
		return errors.New("does not come within five years")
	}
	s.every, s.shortest = int64(d/time.Second), d
	return nil
}

var descriptors = []string{"@hourly", "@daily", "@midnight", "@weekly", "@monthly", "@yearly", "@annually"}

func (s *Spec) parseDescriptor() error {
	if !slices.Contains(descriptors, s.text) {
		return fmt.Errorf("want %s or @every DURATION", strings.Join(descriptors, ", "))
	}
	set, err := guarded(cron.Descriptor, s.text)
	if err != nil {
		return err
	}
	s.calendar = calendar{minute: set.Minute, hour: set.Hour, dom: set.Dom, month: set.Month, dow: set.Dow}
	return s.settle()
}

func (s *Spec) parseFields() error {
	texts := strings.Fields(s.text)
	if len(texts) == 1 {
		if meant := "@" + texts[0]; slices.Contains(descriptors, meant) {
			return fmt.Errorf("did you mean %s?", meant)
		}
		if d, err := time.ParseDuration(texts[0]); err == nil && d > 0 {
			return fmt.Errorf("did you mean @every %s?", texts[0])
		}
	}
	if len(texts) != len(fields) {
		return fmt.Errorf("%s, want 5: minute, hour, day of month, month, day of week; or @daily and its like", plural(len(texts), "field"))
	}
	var faults []string
	for i, f := range fields {
		text, err := f.check(strings.ToLower(texts[i]))
		if err != nil {
			faults = append(faults, fmt.Sprintf("%s %q: %v", f.name, texts[i], err))
			continue
		}
		set, err := guarded(f.option, text)
		if err != nil { // check is meant to find all that the parser would
			faults = append(faults, fmt.Sprintf("%s %q: %v", f.name, texts[i], err))
			continue
		}
		*f.of(&s.calendar) = f.in(set)
	}
	if faults != nil {
		return errors.New(strings.Join(faults, "; "))
	}
	s.calendar.real = strings.Contains(texts[1], "/")
	return s.settle()
}

// settle computes what follows from the calendar, and refuses one that never
// comes.
func (s *Spec) settle() error {
	c := &s.calendar
	c.minute, c.hour = c.minute&^wildcard, c.hour&^wildcard // it counts for days alone
	c.real = c.real || bits.OnesCount64(c.hour) == 24
	// Any start does: the calendar alone decides, no zone does. From 2001 on the
	// next leap day is three years away.
	start := time.Date(2001, 1, 1, 0, 0, 0, 0, time.UTC).Unix()
	last, ok := c.first(start, start+int64(rarest/time.Second))
	if !ok {
		return errors.New("there is no such day within five years")
	}
	// The shortest time between two slots shows in the first day that has
	// several, or in the days of the first years.
	shortest := int64(horizon)
	for range 200 {
		next, ok := c.first(last+60, last+horizon)
		if !ok {
			break
		}
		shortest, last = min(shortest, next-last), next
	}
	s.shortest = time.Duration(shortest) * time.Second
	return nil
}

// guarded parses the one field, or descriptor, that option names. The parser
// has panicked on odd input before.
func guarded(option cron.ParseOption, text string) (set *cron.SpecSchedule, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("not understood: %v", r)
		}
	}()
	schedule, err := cron.NewParser(option).Parse(text)
	if err != nil {
		return nil, err
	}
	set, ok := schedule.(*cron.SpecSchedule)
	if !ok {
		return nil, errors.New("not understood")
	}
	return set, nil
}

func plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return strconv.Itoa(n) + " " + noun + "s"
}
