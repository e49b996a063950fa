package schedule

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/robfig/cron/v3"
)

// A field is one of the five of a spec.
type field struct {
	name     string
	option   cron.ParseOption
	min, max int
	names    []string // of the values from min on
	of       func(*calendar) *uint64
	in       func(*cron.SpecSchedule) uint64
}

var fields = []field{
	{
		name: "minute", option: cron.Minute, max: 59,
		of: func(c *calendar) *uint64 { return &c.minute },
		in: func(s *cron.SpecSchedule) uint64 { return s.Minute },
	},
	{
		name: "hour", option: cron.Hour, max: 23,
		of: func(c *calendar) *uint64 { return &c.hour },
		in: func(s *cron.SpecSchedule) uint64 { return s.Hour },
	},
	{
		name: "day of month", option: cron.Dom, min: 1, max: 31,
		of: func(c *calendar) *uint64 { return &c.dom },
		in: func(s *cron.SpecSchedule) uint64 { return s.Dom },
	},
	{
		name: "month", option: cron.Month, min: 1, max: 12,
		names: []string{"jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"},
		of:    func(c *calendar) *uint64 { return &c.month },
		in:    func(s *cron.SpecSchedule) uint64 { return s.Month },
	},
	{
		name: "day of week", option: cron.Dow, max: 7,
		names: []string{"sun", "mon", "tue", "wed", "thu", "fri", "sat"},
		of:    func(c *calendar) *uint64 { return &c.dow },
		in:    func(s *cron.SpecSchedule) uint64 { return s.Dow },
	},
}

// check refuses what the parser would take for something else than was meant
// (an empty item, *-5, a step past the end), and gives the text that it is to
// read, in which Sunday is always 0.
func (f field) check(text string) (string, error) {
	var items []string
	for item := range strings.SplitSeq(text, ",") {
		checked, err := f.checkItem(item)
		if err != nil {
			return "", err
		}
		items = append(items, checked)
	}
	return strings.Join(items, ","), nil
}

func (f field) checkItem(item string) (string, error) {
	values, step, stepped := strings.Cut(item, "/")
	by := 1
	if stepped {
		n, ok := number(step)
		if most := f.max - f.min + 1; !ok || n < 1 || n > most {
			return "", fmt.Errorf("want a step of 1-%d", most)
		}
		by = n
	}
	if values == "*" || values == "?" {
		return item, nil
	}
	low, high, ranged := strings.Cut(values, "-")
	from, ok := f.value(low)
	if !ok {
		return "", f.want()
	}
	to := from
	switch {
	case ranged:
		if to, ok = f.value(high); !ok {
			return "", f.want()
		}
		if to == 0 && high == "sun" && from > 0 { // fri-sun ends the week
			to = 7
		}
	case stepped: // "5/15" goes on to the end
		to = f.max
		if f.max == 7 && from < 7 {
			to = 6
		}
	}
	if from > to {
		return "", errors.New("the range ends before it begins")
	}
	if f.max == 7 && to == 7 {
		return sundayFirst(from, by), nil
	}
	return item, nil
}

// sundayFirst spells the days of week from, from+by, … 7 with Sunday as 0.
func sundayFirst(from, by int) string {
	var days []string
	for d := from; d <= 7; d += by {
		days = append(days, strconv.Itoa(d%7))
	}
	return strings.Join(days, ",")
}

func (f field) value(text string) (int, bool) {
	if i := slices.Index(f.names, text); i >= 0 {
		return f.min + i, true
	}
	n, ok := number(text)
	return n, ok && f.min <= n && n <= f.max
}

func (f field) want() error {
	if f.names != nil {
		return fmt.Errorf("want %d-%d or %s-%s", f.min, f.max, f.names[0], f.names[len(f.names)-1])
	}
	return fmt.Errorf("want %d-%d", f.min, f.max)
}

// number reads digits alone: no sign, and no more than any field holds.
func number(text string) (int, bool) {
	if text == "" || len(text) > 3 || strings.Trim(text, "0123456789") != "" {
		return 0, false
	}
	n, err := strconv.Atoi(text)
	return n, err == nil
}
